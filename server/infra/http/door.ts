import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIPv6 } from 'node:net';
import { isLoopback, type Env } from '../env.ts';
import { refusal, text } from './answers.ts';
import { allowOrigins } from './cors.ts';
import { addressOf, isForwarded, isHost, originOf } from './forwarded.ts';
import { isHostAllowed } from './hostCheck.ts';
import { isOriginAllowed } from './originCheck.ts';

export type DoorOptions = Partial<Pick<Env, 'allowedOrigins' | 'basePath' | 'trustedProxies'>> & {
  /** Whether the server has no keys. It then answers programs of its own machine only. */
  open: boolean;
};

/** Probes of the process itself do not pass the proxy, and do not know its path. */
const probes = new Set(['/livez', '/readyz']);

/** What is decided about a request before it is routed: where it comes from and under which path. */
export function createDoor({ allowedOrigins = [], basePath = '', trustedProxies = 0, open }: DoorOptions) {
  /** The reason why a server without keys refuses the request. */
  function refusalWithoutKeys(request: IncomingMessage): string | null {
    if (!open || isProbe(request)) return null;
    if (!isHostAllowed(request.headers.host))
      return `This server answers on this machine only: use http://${listeningAt(request)}${basePath}`;
    if (isForwarded(request))
      return 'This server has no keys and answers no requests of proxies: create a key with npm run key, then start it again';
    return null;
  }

  /** Without `Host`, as in HTTP/1.0, the address at which the server listens counts. */
  const isMalformed = (request: IncomingMessage): boolean =>
    (request.headers.host !== undefined && !isHost(request.headers.host)) || originOf(request, trustedProxies) === null;

  /** The address below the base path. Null for addresses elsewhere. */
  function below(address: string): string | null {
    if (basePath === '' || probes.has(address)) return address;
    return address.startsWith(`${basePath}/`) ? address.slice(basePath.length) : null;
  }

  /** Load balancers ask under any name or none. The answer says how the process is, which a page of another site may learn. */
  const isProbe = (request: IncomingMessage): boolean => probes.has(below(request.url!)?.split('?')[0] ?? '');

  return {
    /** The address of the client, behind the trusted proxies. */
    addressOf: (request: IncomingMessage): string => addressOf(request, trustedProxies),

    /**
     * Whether a program of this machine sent the request, and no proxy passed it on. Behind a trusted proxy no request counts as
     * one; pages of other sites do not either, since they have their own name as Host.
     */
    isLocal: (request: IncomingMessage): boolean =>
      trustedProxies === 0 &&
      !isForwarded(request) &&
      isLoopback((request.socket.remoteAddress ?? '').replace(/^::ffff:/, '')) &&
      isHostAllowed(request.headers.host),

    /** The origin under which the client knows this server. Null when its `Host` is malformed. */
    originOf: (request: IncomingMessage): string | null => originOf(request, trustedProxies),

    /** Removes the base path from the request's address. Returns false when it answered the request. */
    enter(request: IncomingMessage, response: ServerResponse): boolean {
      if (isMalformed(request))
        text(response, 400, 'The Host header is malformed: send the name or address of this server.');
      else if (refusalWithoutKeys(request) !== null) text(response, 403, refusalWithoutKeys(request)!);
      else if (!request.url!.startsWith('/') || !URL.canParse(`http://localhost${request.url}`))
        text(response, 400, 'The address is malformed.');
      else if (allowOrigins(allowedOrigins, request, response)) return false;
      else if (isEncoded(request)) refusal(response, 415, 'BAD_REQUEST', 'Send the body without Content-Encoding.');
      else {
        const address = below(request.url!);
        if (address !== null) {
          request.url = address;
          return true;
        }
        const [path, query] = request.url!.split('?', 2);
        if (path === basePath)
          response.writeHead(308, { location: `${basePath}/${query === undefined ? '' : `?${query}`}` }).end();
        else text(response, 404, `Nothing here. Baton is at ${basePath}/`);
      }
      return false;
    },

    /** The status with which an upgrade to a socket is refused, or null. */
    refusesSocket(request: IncomingMessage, path: string): number | null {
      if (isMalformed(request)) return 400;
      if (below(request.url!)?.split('?')[0] !== path) return 404;
      if (refusalWithoutKeys(request) !== null) return 403;
      return isOriginAllowed(request.headers.origin, originOf(request, trustedProxies), allowedOrigins) ? null : 403;
    },
  };
}

function listeningAt({ socket: { localAddress = '', localPort } }: IncomingMessage): string {
  return `${isIPv6(localAddress) ? `[${localAddress}]` : localAddress}:${localPort}`;
}

/** Compressed bodies are refused: a few bytes could unpack to any size. */
const isEncoded = ({ headers }: IncomingMessage): boolean =>
  !/^(identity)?$/i.test(headers['content-encoding']?.trim() ?? '');
