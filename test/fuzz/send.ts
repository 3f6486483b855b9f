import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { As, HttpStep, RawStep, SocketStep, Step } from './input.ts';

/** What came back: a status, or null without one, and the text of the answer or of all messages. */
export interface Said {
  status: number | null;
  text: string;
}

export type Keys = Record<As, string>;

const answersWithin = 40_000;
/** How long a stream, or a connection that waits for more, is listened to. */
const listensMs = 60;
const init = '{"type":"connection_init"}';

export const noAnswer: Said = { status: null, text: 'no answer' };
/** Node's client refuses to send it. */
export const unsendable: Said = { status: null, text: 'unsendable' };

export function sendStep(url: string, keys: Keys, step: Step): Promise<Said> {
  if ('raw' in step) return sendRaw(url, step);
  return 'messages' in step ? sendMessages(url, keys, step) : sendHttp(url, keys, step);
}

function sendHttp(
  url: string,
  keys: Keys,
  { method = 'GET', path, headers = {}, as, ...step }: HttpStep,
): Promise<Said> {
  const body = step.base64 === undefined ? step.body : Buffer.from(step.base64, 'base64');
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const late = setTimeout(() => done(noAnswer), answersWithin);
    const done = (said: Said): void => {
      clearTimeout(late);
      resolve(said);
      outgoing?.destroy();
    };
    let outgoing: ReturnType<typeof request> | undefined;
    try {
      outgoing = request(
        {
          hostname,
          port,
          method,
          path,
          agent: false,
          headers: { ...(as && { authorization: `Bearer ${keys[as]}` }), ...headers },
        },
        (response) =>
          void read(response).then(
            (text) => done({ status: response.statusCode ?? null, text }),
            () => done({ status: response.statusCode ?? null, text: 'broken off' }),
          ),
      );
      outgoing.on('upgrade', () => done({ status: 101, text: '' }));
      outgoing.on('error', (error: { code?: string }) => done({ status: null, text: error.code ?? 'broken off' }));
      outgoing.end(body);
    } catch {
      done(unsendable);
    }
  });
}

async function read(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  const all = (async () => {
    for await (const part of response) parts.push(part as Buffer);
  })();
  const isStream = response.headers['content-type']?.startsWith('text/event-stream') === true;
  await (isStream ? Promise.race([all, pause(listensMs)]) : all);
  if (isStream) all.catch(() => undefined);
  return Buffer.concat(parts).toString();
}

async function sendRaw(url: string, { raw }: RawStep): Promise<Said> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  let text = '';
  socket.on('data', (part: Buffer) => (text += part.toString('latin1')));
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.on('error', () => undefined);
  socket.write(Buffer.from(raw, 'latin1'));
  await Promise.race([closed, once(socket, 'data').then(() => pause(5)), pause(listensMs)]).catch(() => undefined);
  socket.destroy();
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? NaN) || null, text };
}

async function sendMessages(url: string, keys: Keys, { messages, as }: SocketStep): Promise<Said> {
  const ws = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
    perMessageDeflate: false,
  });
  let text = '';
  let status: number | null = 101;
  ws.on('message', (data: Buffer) => (text += `${data.toString()}\n`));
  ws.on('error', () => (status = null));
  const closed = new Promise<void>((resolve) => ws.once('close', () => resolve()));
  await Promise.race([once(ws, 'open'), closed]).catch(() => undefined);
  const ready = ws.readyState === WebSocket.OPEN;
  for (const message of ready ? messages : []) {
    if (ws.readyState !== WebSocket.OPEN) break;
    if (typeof message !== 'string') rawWrite(ws, Buffer.from(message.base64, 'base64'));
    else if (message !== init || as === undefined) ws.send(message);
    else {
      ws.send(JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${keys[as]}` } }));
      await Promise.race([once(ws, 'message'), closed, pause(5_000)]).catch(() => undefined);
    }
  }
  await Promise.race([closed, pause(listensMs)]);
  ws.terminate();
  await closed;
  return { status, text };
}

/** Bytes between the frames of the library: headers, lengths, masks and fragments of any kind. */
const rawWrite = (ws: WebSocket, bytes: Buffer): void =>
  void (ws as unknown as { _socket: { write(bytes: Buffer): void } })._socket.write(bytes);
