import { createHash } from 'node:crypto';
import { GraphQLError, type GraphQLSchema } from 'graphql';
import { httpStatusOf } from '../core/httpStatus.ts';
import type { Caller } from '../core/work.ts';
import { createRecords } from './records.ts';

/** A file that is read from the database while it is sent. */
export interface Streamed {
  response: Response;
  parts: AsyncIterable<string>;
}

export interface DownloadOptions {
  schema: GraphQLSchema;
  createContext: (caller: Caller) => object;
  maskError: (error: unknown) => Error;
}

const address = /^\/(handoffs|sessions)\/([^/]+)\.(md|json)$/;
const types = { md: 'text/markdown; charset=utf-8', json: 'application/json; charset=utf-8' };

/** `GET /handoffs/<id>.md`, `/handoffs/<id>.json`, `/sessions/<id>.json`: the record as a file. */
export function downloadRoute({ schema, createContext, maskError }: DownloadOptions) {
  return async (request: Request, caller: () => Promise<Caller>): Promise<Response | Streamed | undefined> => {
    const [, noun, id, form] = address.exec(new URL(request.url).pathname) ?? [];
    if (noun === undefined || id === undefined || (noun === 'sessions' && form === 'md')) return undefined;
    const kind = form as 'md' | 'json';
    if (request.method !== 'GET' && request.method !== 'HEAD') return refusal(kind, 405, 'BAD_REQUEST', 'Read a download with GET.', { allow: 'GET, HEAD' });
    try {
      const reader = await caller();
      const records = createRecords({ schema, createContext: () => createContext(reader) });
      const name = `${id}.${kind}`;
      if (noun === 'sessions') {
        const record = await records.session(id);
        if (record === null) return notFound(kind, noun);
        const response = file(request, record.head, name, types[kind]);
        return response.body === null ? response : { response, parts: record.parts() };
      }
      const body = await (kind === 'md' ? records.handoffMarkdown(id) : records.handoffJson(id, { links: true }));
      return body === null ? notFound(kind, noun) : file(request, body, name, types[kind]);
    } catch (error) {
      const masked = maskError(error);
      const code = masked instanceof GraphQLError ? String(masked.extensions['code']) : 'INTERNAL_SERVER_ERROR';
      // An invalid id counts as unknown.
      if (code === 'NOT_FOUND' || code === 'BAD_USER_INPUT') return notFound(kind, noun);
      const status = httpStatusOf(code);
      return refusal(kind, status, code, masked.message, {
        ...(status === 503 && { 'retry-after': '1' }),
        ...(masked instanceof GraphQLError && (masked.extensions['http'])?.headers),
      });
    }
  };
}

/** Recorded text is untrusted: browsers must neither render it as a page nor embed it. */
const guarded = { 'x-content-type-options': 'nosniff', 'content-security-policy': "default-src 'none'; sandbox", 'cross-origin-resource-policy': 'same-origin' };

/** The ETag is the hash of `body`, which changes with any part of the file. */
function file(request: Request, body: string, name: string, type: string): Response {
  const etag = `"${createHash('sha256').update(body).digest('base64url')}"`;
  const headers = { ...guarded, etag, 'cache-control': 'private, no-cache' };
  const knownTags = request.headers.get('if-none-match')?.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  if (knownTags?.some((tag) => tag === etag || tag === '*')) return new Response(null, { status: 304, headers });
  const described = { ...headers, 'content-type': type, 'content-disposition': `attachment; filename="${name}"` };
  return new Response(request.method === 'HEAD' ? null : body, { headers: described });
}

const notFound = (kind: 'md' | 'json', noun: string): Response =>
  refusal(kind, 404, 'NOT_FOUND', `There is no ${noun.slice(0, -1)} with this id.`);

function refusal(kind: 'md' | 'json', status: number, code: string, message: string, more: Record<string, string> = {}): Response {
  const headers = { ...guarded, 'cache-control': 'no-store', ...more };
  if (kind === 'json') return Response.json({ errors: [{ message, extensions: { code } }] }, { status, headers });
  return new Response(`${message}\n`, { status, headers: { ...headers, 'content-type': 'text/plain; charset=utf-8' } });
}
