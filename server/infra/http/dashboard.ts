import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import sirv from 'sirv';
import { chooseEncoding, compress } from './encoding.ts';
import { isPage } from './pages.ts';

/** Answers requests for the dashboard's files and pages. Resolves with whether it answered. With the status 404 it sends the page at any path. */
export type Dashboard = (
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  status?: 200 | 404,
) => Promise<boolean>;

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

const guarded = {
  'content-security-policy': policy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
};

/** Serves the files of `npm run build`, of which all but the page are compressed already. */
export function createDashboard(folder: string, basePath = ''): Dashboard {
  // `dev` reads the folder at each request: a build may replace it while the server runs.
  const files = sirv(folder, { dev: true, etag: true, brotli: true, gzip: true, setHeaders });

  async function sendPage(request: IncomingMessage, response: ServerResponse, status: 200 | 404): Promise<void> {
    const built = await readFile(join(folder, 'index.html'), 'utf8').catch(() => null);
    if (built === null) {
      response
        .writeHead(404, { 'content-type': 'text/plain; charset=utf-8' })
        .end(`The dashboard is not built: run npm run build. The API is at ${basePath}/graphql.\n`);
      return;
    }
    // The build's addresses are relative, and the page has many addresses.
    const html = Buffer.from(built.replaceAll('="./', `="${basePath}/`));
    const encoding = chooseEncoding(request.headers['accept-encoding']);
    const etag = `"${createHash('sha256').update(html).digest('base64url').slice(0, 22)}-${encoding}"`;
    const headers = { ...guarded, etag, 'cache-control': 'no-cache', vary: 'accept-encoding' };
    if (status === 200 && request.headers['if-none-match']?.includes(etag)) {
      response.writeHead(304, headers).end();
      return;
    }
    const body = await compress(html, encoding);
    response.writeHead(status, {
      ...headers,
      'content-type': 'text/html; charset=utf-8',
      'content-length': body.length,
      ...(encoding !== 'identity' && { 'content-encoding': encoding }),
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  }

  return async (request, response, path, status = 200) => {
    if (status === 404 || isPage(path)) {
      await sendPage(request, response, status);
      return true;
    }
    if (!path.startsWith('/assets/') && !/^\/[\w-]+\.(svg|js|webmanifest)$/.test(path)) return false;
    // sirv reads `br;q=0` as br, and throws for a range that ends before it starts.
    request.headers['accept-encoding'] = chooseEncoding(request.headers['accept-encoding']);
    delete request.headers.range;
    // sirv handles no stream errors: a file that is removed or cannot be opened would end the process.
    response.once('pipe', (file: Readable) => file.once('error', () => response.destroy()));
    let isFound = true;
    files(request, response, () => void (isFound = false));
    return isFound;
  };
}

function setHeaders(response: ServerResponse, path: string): void {
  // Names of assets contain a hash of their content.
  const cached = path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache';
  for (const [name, value] of Object.entries({ 'cache-control': cached, ...guarded })) response.setHeader(name, value);
}
