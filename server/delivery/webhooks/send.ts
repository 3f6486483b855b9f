import { lookup as resolve } from 'node:dns';
import { Agent as HttpAgent, request as httpRequest, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { DeliveryError } from '../../generated/prisma/client.ts';
import { isAllowed, literalOf } from '../../work/webhooks/address.ts';

/** From the name's resolution to the answer's status. */
export const answersWithin = 10_000;
/** Of the answer's body. A longer one ends the connection. */
const readBytes = 16_384;

export interface Answer {
  /** Null without an answer. */
  status: number | null;
  /** Null when the receiver took the event. */
  error: DeliveryError | null;
}

export interface Sender {
  /** Sends a POST. Never rejects. */
  post(url: string, headers: Record<string, string>, body: string): Promise<Answer>;
  close(): void;
}

export interface SenderOptions {
  allow: readonly string[];
  /** Default: that of Node. */
  lookup?: LookupFunction;
  timeoutMs?: number;
}

class Refused extends Error {}

/**
 * Sends to receivers that nobody vouches for. The address is checked where the connection takes it, so a name that resolves
 * differently after a check gains nothing. Redirects are not followed, and of an answer only the status is used. Each post has a
 * connection of its own and is sent once: on a kept one that ends, nobody knows whether the receiver has read it.
 */
export function createSender({ allow, lookup = resolve, timeoutMs = answersWithin }: SenderOptions): Sender {
  const agents = (https: boolean) => {
    const checked: LookupFunction = (hostname, options, callback) =>
      lookup(hostname, { ...options, all: true }, (error, found) => {
        if (error !== null) return callback(error, '');
        const addresses = Array.isArray(found) ? found : [];
        const refused =
          addresses.length === 0 || addresses.some(({ address }) => !isAllowed(address, { https, allow }));
        if (refused) return callback(new Refused(), '');
        if (options.all === true) callback(null, addresses);
        else callback(null, addresses[0]!.address, addresses[0]!.family);
      });
    const options = { keepAlive: false, lookup: checked };
    return https ? new HttpsAgent(options) : new HttpAgent(options);
  };
  const [http, https] = [agents(false), agents(true)];

  function post(url: string, headers: Record<string, string>, body: string): Promise<Answer> {
    const target = new URL(url);
    const isHttps = target.protocol === 'https:';
    // Node resolves names only: a literal address reaches no `lookup`.
    const literal = literalOf(target);
    if (literal !== null && !isAllowed(literal, { https: isHttps, allow }))
      return Promise.resolve({ status: null, error: 'PRIVATE_ADDRESS' });
    return new Promise((done) => {
      const sent = { ...headers, 'content-length': String(Buffer.byteLength(body)) };
      const options: RequestOptions = { method: 'POST', headers: sent, agent: isHttps ? https : http };
      const request = (isHttps ? httpsRequest : httpRequest)(target, options, (response) => {
        clearTimeout(timer);
        const status = response.statusCode ?? 0;
        done({ status, error: errorOf(status) });
        let left = readBytes;
        const slow = setTimeout(() => response.destroy(), timeoutMs).unref();
        response
          .on('data', (chunk: Buffer) => {
            left -= chunk.length;
            if (left < 0) response.destroy();
          })
          .on('error', () => undefined)
          .on('close', () => clearTimeout(slow));
      });
      const timer = setTimeout(() => {
        done({ status: null, error: 'TIMEOUT' });
        request.destroy();
      }, timeoutMs);
      request.on('upgrade', ({ statusCode }, socket) => {
        clearTimeout(timer);
        socket.destroy();
        done({ status: statusCode ?? 0, error: 'STATUS' });
      });
      request.on('error', (error: NodeJS.ErrnoException) => {
        clearTimeout(timer);
        done({ status: null, error: errorOfConnection(error) });
      });
      request.end(body);
    });
  }

  return {
    post,
    close() {
      http.destroy();
      https.destroy();
    },
  };
}

function errorOf(status: number): DeliveryError | null {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400 ? 'REDIRECT' : 'STATUS';
}

function errorOfConnection(error: NodeJS.ErrnoException): DeliveryError {
  if (error instanceof Refused) return 'PRIVATE_ADDRESS';
  const code = error.code ?? '';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'UNKNOWN_HOST';
  return /CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO/.test(code) ? 'TLS' : 'UNREACHABLE';
}
