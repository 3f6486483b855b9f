import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/** The client of a request, as trusted proxies report it. */
export interface Client {
  address: string;
  /** The origin under which it knows the server; null when its `Host` is malformed. */
  origin: string | null;
}

const ofProxies = new Set(['forwarded', 'via', 'x-real-ip', 'true-client-ip', 'cf-connecting-ip']);

/** Whether a proxy passed the request on. */
export const isForwarded = ({ headers }: IncomingMessage): boolean => Object.keys(headers).some((name) => name.startsWith('x-forwarded-') || ofProxies.has(name));

/**
 * Believes the forwarding headers of the last `trusted` proxies. Each proxy appends to the lists, so entries before those may
 * be invented by the client.
 */
export function clientOf({ headers, socket }: IncomingMessage, trusted: number): Client {
  const reported = (name: string): string | undefined => {
    const entries = String(headers[name] ?? '').split(',');
    return trusted === 0 ? undefined : entries[Math.max(0, entries.length - trusted)]?.trim();
  };
  const scheme = reported('x-forwarded-proto') === 'https' ? 'https' : 'http';
  const named = `${scheme}://${reported('x-forwarded-host') || headers.host}`;
  return { address: addressIn(reported('x-forwarded-for')) ?? socket.remoteAddress ?? '', origin: URL.canParse(named) ? new URL(named).origin : null };
}

/** Some proxies add the port: `192.0.2.1:5000`, `[2001:db8::1]:5000`. */
function addressIn(entry = ''): string | undefined {
  const address = /^\[(.+)\](?::\d+)?$/.exec(entry)?.[1] ?? /^([\d.]+):\d+$/.exec(entry)?.[1] ?? entry;
  return isIP(address) === 0 ? undefined : address;
}
