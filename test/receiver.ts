import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { vi } from 'vitest';
import { atEnd } from './database.ts';

/** What a webhook sent. */
export interface Received {
  headers: IncomingHttpHeaders;
  body: string;
  event: { id: string; type: string; cursor: string; session: { id: string } | null; [field: string]: unknown };
}

export type Answering = (received: Received, response: ServerResponse) => void;
const taking: Answering = (_received, response) => response.writeHead(204).end();

/** A receiver of webhooks on 127.0.0.1. `answers.with` may be replaced at any time. */
export async function receiver() {
  const received: Received[] = [];
  const answers = { with: taking };
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = Buffer.concat(parts).toString();
      const one: Received = { headers: request.headers, body, event: JSON.parse(body) as Received['event'] };
      received.push(one);
      answers.with(one, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/baton`,
    received,
    answers,
    taking,
    /** The types that it got, of one Session or of all. */
    types: (sessionId?: string) =>
      received
        .filter(({ event }) => sessionId === undefined || event.session?.id === sessionId)
        .map(({ event }) => event.type),
    has: (number: number) =>
      vi.waitFor(
        () => received.length >= number || Promise.reject(new Error(`${received.length} of ${number} deliveries`)),
        { timeout: 40_000, interval: 5 },
      ),
  };
}

/** Whether one of the signatures of a delivery was made with this secret. */
export function isSignedWith(secret: string, { headers, body }: Received): boolean {
  const [t, ...signatures] = String(headers['baton-signature']).split(',');
  return signatures.includes(
    `v1=${createHmac('sha256', secret)
      .update(`${t!.slice(2)}.${body}`)
      .digest('hex')}`,
  );
}
