import type { IncomingMessage, ServerResponse } from 'node:http';

const exposed = 'content-disposition, etag, retry-after, www-authenticate, x-request-id';
/** Seconds for which browsers remember the answer to a preflight. */
const preflightAge = '600';

/**
 * Lets pages of these origins call the server and read its answers. Cookies are never allowed: keys go in `Authorization`.
 * Returns true when the request was a preflight, which it answers.
 */
export function allowOrigins(
  origins: readonly string[],
  { method, headers }: IncomingMessage,
  response: ServerResponse,
): boolean {
  if (origins.length === 0) return false;
  response.appendHeader('vary', 'origin');
  const { origin } = headers;
  if (origin === undefined || !origins.includes(origin)) return false;
  response.setHeader('access-control-allow-origin', origin);
  if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) {
    response.setHeader('access-control-expose-headers', exposed);
    return false;
  }
  response.appendHeader('vary', 'access-control-request-headers');
  const wanted = headers['access-control-request-headers'];
  response.writeHead(204, {
    'access-control-allow-methods': 'GET, HEAD, POST',
    'access-control-max-age': preflightAge,
    ...(wanted !== undefined && { 'access-control-allow-headers': wanted }),
  });
  response.end();
  return true;
}
