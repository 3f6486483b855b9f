import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import sirv from 'sirv';
import { chooseEncoding } from './encoding.ts';

/** Answers when the path is a file of the dashboard or one of its pages; says whether it did. */
export type Dashboard = (request: IncomingMessage, response: ServerResponse, path: string) => Promise<boolean>;

// What the browser shows under these paths is decided by the dashboard. Downloads have an extension, so they are never among them.
const pages = /^\/(?:(?:sessions|agents|inbox|handoffs)(?:\/[^/.]+)?|graph)?$/;

// Nothing inline, no other host; no string becomes a script or markup.
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

/** Serves what `npm run build` made of the client, compressed there. */
export function createDashboard(folder: string): Dashboard {
  // `dev` looks at the folder for each request: a build may replace it while the server runs.
  const files = sirv(folder, { dev: true, etag: true, brotli: true, gzip: true, single: true, ignores: '^/assets/', setHeaders });

  return async (request, response, path) => {
    const isPage = pages.test(path);
    if (!isPage && !path.startsWith('/assets/') && !/^\/[\w-]+\.(svg|js)$/.test(path)) return false;
    // sirv takes `br;q=0` for br, and fails on a range that ends before it starts.
    request.headers['accept-encoding'] = chooseEncoding(request.headers['accept-encoding']);
    delete request.headers.range;
    // It listens for no error of a file: one that goes away, or cannot be opened, would end the process.
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
    // The names of assets change with what is in them.
    'cache-control': path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
    'content-security-policy': policy,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    ...(pages.test(path) && { 'content-type': 'text/html; charset=utf-8' }),
  };
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}
