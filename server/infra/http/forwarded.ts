import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

const ofProxies = new Set(['forwarded', 'via', 'x-real-ip', 'true-client-ip', 'cf-connecting-ip']);

/** Whether a proxy passed the request on. */
export const isForwarded = ({ headers }: IncomingMessage): boolean =>
  Object.keys(headers).some((name) => name.startsWith('x-forwarded-') || ofProxies.has(name));

/**
 * The entry of the first of the last `trusted` proxies. Each proxy appends to the lists, so entries before it may be invented
 * by the client.
 */
function reported({ headers }: IncomingMessage, name: string, trusted: number): string | undefined {
  if (trusted === 0) return undefined;
  const entries = String(headers[name] ?? '').split(',');
  return entries[Math.max(0, entries.length - trusted)]?.trim();
}

/** The address of the client, as trusted proxies report it. */
export const addressOf = (request: IncomingMessage, trusted: number): string =>
  addressIn(reported(request, 'x-forwarded-for', trusted)) ?? request.socket.remoteAddress ?? '';

/** The origin under which the client knows this server, as trusted proxies report it. Null when its `Host` is malformed. */
export function originOf(request: IncomingMessage, trusted: number): string | null {
  const scheme = reported(request, 'x-forwarded-proto', trusted) === 'https' ? 'https' : 'http';
  const named = `${scheme}://${reported(request, 'x-forwarded-host', trusted) || request.headers.host}`;
  return URL.canParse(named) ? new URL(named).origin : null;
}

/** Whether this may stand in `Host`: a name or an address, and a port. What URLs take besides would change the address. */
export const isHost = (host: string): boolean =>
  /^(?:\[[0-9a-f:.]+\]|[^\s/?#@\\:[\]]+)(?::\d{1,5})?$/i.test(host) && URL.canParse(`http://${host}/`);

/** Some proxies add the port: `192.0.2.1:5000`, `[2001:db8::1]:5000`. */
function addressIn(entry = ''): string | undefined {
  const address = /^\[(.+)\](?::\d+)?$/.exec(entry)?.[1] ?? /^([\d.]+):\d+$/.exec(entry)?.[1] ?? entry;
  return isIP(address) === 0 ? undefined : address;
}
