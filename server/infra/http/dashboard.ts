import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join, relative, sep } from 'node:path';
import { chooseEncoding, type Encoding } from './encoding.ts';
import { endWith } from './sendBody.ts';

/** Answers when the path is a file of the dashboard or one of its pages; says whether it did. */
export type Dashboard = (request: IncomingMessage, response: ServerResponse, path: string) => Promise<boolean>;

interface File {
  type: string;
  etag: string;
  bodies: Partial<Record<Encoding, Buffer>> & { identity: Buffer };
}

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

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

/** Serves what `npm run build` made of the client: read once, already compressed. */
export function createDashboard(folder: string): Dashboard {
  let files: Promise<Map<string, File>> | undefined;

  return async (request, response, path) => {
    const isPage = pages.test(path);
    if (!isPage && !path.startsWith('/assets/') && !/^\/[\w-]+\.(svg|js)$/.test(path)) return false;
    const file = (await (files ??= readFiles(folder))).get(isPage ? '/index.html' : path);
    if (!file) {
      if (!isPage) return false;
      response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' }).end('The dashboard is not built: run npm run build. The API is at /graphql.\n');
      return true;
    }
    await answer(request, response, file, path.startsWith('/assets/'));
    return true;
  };
}

async function answer(request: IncomingMessage, response: ServerResponse, file: File, hashed: boolean): Promise<void> {
  const wanted = chooseEncoding(request.headers['accept-encoding']);
  const encoding = file.bodies[wanted] ? wanted : 'identity';
  const body = file.bodies[encoding] ?? file.bodies.identity;
  const etag = `"${file.etag}-${encoding}"`;
  response.setHeader('etag', etag);
  response.setHeader('vary', 'accept-encoding');
  // The names of assets change with what is in them.
  response.setHeader('cache-control', hashed ? 'public, max-age=31536000, immutable' : 'no-cache');
  if (request.headers['if-none-match']?.includes(etag)) {
    response.writeHead(304).end();
    return;
  }
  if (encoding !== 'identity') response.setHeader('content-encoding', encoding);
  response.writeHead(200, {
    'content-type': file.type,
    'content-length': body.length,
    'content-security-policy': policy,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
  });
  if (request.method === 'HEAD') response.end();
  else await endWith(response, body);
}

async function readFiles(folder: string): Promise<Map<string, File>> {
  const found = new Map<string, File>();
  if (!existsSync(folder)) return found;
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    const type = types[extname(entry.name)];
    if (!entry.isFile() || type === undefined) continue;
    const path = join(entry.parentPath, entry.name);
    const [identity, br, gzip] = await Promise.all([readFile(path), readIfThere(`${path}.br`), readIfThere(`${path}.gz`)]);
    const etag = createHash('sha256').update(identity).digest('base64url').slice(0, 22);
    found.set(`/${relative(folder, path).split(sep).join('/')}`, { type, etag, bodies: { identity, ...(br && { br }), ...(gzip && { gzip }) } });
  }
  return found;
}

const readIfThere = (path: string): Promise<Buffer | undefined> => readFile(path).catch(() => undefined);
