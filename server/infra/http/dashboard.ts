import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import sirv from 'sirv';
import { chooseEncoding } from './encoding.ts';

/** Answers requests for the dashboard's files and pages. Resolves with whether it answered. With the status 404 it sends the page at any path. */
export type Dashboard = (request: IncomingMessage, response: ServerResponse, path: string, status?: 200 | 404) => Promise<boolean>;

// Paths of the dashboard's router. Downloads have an extension and never match.
const pages = /^\/(?:(?:sessions|agents|inbox|handoffs)(?:\/[^/.]+)?|graph)?$/;

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

/** Serves the files of `npm run build`, which are compressed already. */
export function createDashboard(folder: string): Dashboard {
  // `dev` reads the folder at each request: a build may replace it while the server runs.
  const files = sirv(folder, { dev: true, etag: true, brotli: true, gzip: true, single: true, ignores: '^/assets/', setHeaders });

  return async (request, response, path, status = 200) => {
    if (status === 404) {
      const page = await readFile(join(folder, 'index.html')).catch(() => null);
      if (page === null) return false;
      setHeaders(response, '/');
      response.writeHead(404, { 'content-length': page.length }).end(request.method === 'HEAD' ? undefined : page);
      return true;
    }
    const isPage = pages.test(path);
    if (!isPage && !path.startsWith('/assets/') && !/^\/[\w-]+\.(svg|js)$/.test(path)) return false;
    // sirv reads `br;q=0` as br, and throws for a range that ends before it starts.
    request.headers['accept-encoding'] = chooseEncoding(request.headers['accept-encoding']);
    delete request.headers.range;
    // sirv handles no stream errors: a file that is removed or cannot be opened would end the process.
    response.once('pipe', (file: Readable) => file.once('error', () => response.destroy()));
    let isFound = true;
    files(request, response, () => void (isFound = false));
    if (isFound || !isPage) return isFound;
    response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' }).end('The dashboard is not built: run npm run build. The API is at /graphql.\n');
    return true;
  };
}

function setHeaders(response: ServerResponse, path: string): void {
  const headers = {
    // Names of assets contain a hash of their content.
    'cache-control': path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
    'content-security-policy': policy,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    ...(pages.test(path) && { 'content-type': 'text/html; charset=utf-8' }),
  };
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}
