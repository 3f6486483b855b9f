import { createHash } from 'node:crypto';
import { GraphQLError, type GraphQLSchema } from 'graphql';
import { httpStatusOf } from '../../core/httpStatus.ts';
import type { CallerRequest } from '../../core/request.ts';
import type { Caller } from '../../core/work.ts';
import { createRecords } from '../../delivery/exports/records.ts';
import { listCsv } from './listCsv.ts';

/** A file that is read from the database while it is sent. */
export interface Streamed {
  response: Response;
  parts: AsyncIterable<string>;
}

export interface DownloadOptions {
  schema: GraphQLSchema;
  createContext: (caller: Caller) => object;
  maskError: (error: unknown, request?: CallerRequest) => Error;
  /** A Session's log as a transcript of another program; null when the reader may not read it. `head` changes with anything in it. */
  transcript: (
    reader: Caller,
    id: string,
    as: Program,
    given: URLSearchParams,
  ) => Promise<{ head: string; parts: () => AsyncIterable<string> } | null>;
}

export type Program = 'claude-code' | 'codex';

const address = /^\/(?:(handoffs)\/([^/]+)\.(md|json)|(sessions)\/([^/]+)\.(json|(claude-code|codex)\.jsonl))$/;
const listAddress = /^\/([A-Za-z]+)\.csv$/;
const types = {
  csv: 'text/csv; charset=utf-8; header=present',
  md: 'text/markdown; charset=utf-8',
  json: 'application/json; charset=utf-8',
  jsonl: 'application/x-ndjson; charset=utf-8',
};

/**
 * `GET /handoffs/<id>.md`, `/handoffs/<id>.json`, `/sessions/<id>.json`, `.claude-code.jsonl`, `.codex.jsonl`: the record as a file.
 * `GET /<list>.csv`: the rows of that list of `Query`.
 */
export function downloadRoute({ schema, createContext, maskError, transcript }: DownloadOptions) {
  return async (
    request: Request,
    caller: () => Promise<Caller>,
    _ask: unknown,
    made: CallerRequest,
  ): Promise<Response | Streamed | undefined> => {
    const { pathname, searchParams } = new URL(request.url);
    const [, list] = listAddress.exec(pathname) ?? [];
    const found = list === undefined ? address.exec(pathname) : ['', list, '', 'csv'];
    if (found === null) return undefined;
    const [noun, id, form] = (found[1] === undefined ? found.slice(4, 7) : found.slice(1, 4)) as [
      string,
      string,
      string,
    ];
    const program = found[7] as Program | undefined;
    const kind = form === 'md' ? 'md' : 'json';
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return refusal(made, kind, 405, 'BAD_REQUEST', 'Read a download with GET.', { allow: 'GET, HEAD' });
    try {
      const reader = await caller();
      if (list !== undefined) {
        const csv = await listCsv(schema, () => createContext(reader), list, searchParams);
        if (csv === null)
          return refusal(made, kind, 404, 'NOT_FOUND', `There is no list ${list}, or the caller may not read it.`);
        const headers = {
          ...guarded,
          'cache-control': 'no-store',
          'content-type': types.csv,
          'content-disposition': `attachment; filename="${list}.csv"`,
        };
        return streamed(new Response(request.method === 'HEAD' ? null : '', { headers }), csv.parts);
      }
      const records = createRecords({ schema, createContext: () => createContext(reader) });
      const name = `${id}.${form}`;
      if (program !== undefined) {
        const native = await transcript(reader, id, program, searchParams);
        return native === null
          ? notFound(made, kind, noun)
          : streamed(file(request, native.head, name, types.jsonl), native.parts);
      }
      if (noun === 'sessions') {
        const record = await records.session(id);
        if (record === null) return notFound(made, kind, noun);
        return streamed(file(request, record.head, name, types[kind]), record.parts);
      }
      const body = await (kind === 'md' ? records.handoffMarkdown(id) : records.handoffJson(id, { links: true }));
      return body === null ? notFound(made, kind, noun) : file(request, body, name, types[kind]);
    } catch (error) {
      const masked = maskError(error, made);
      const code = masked instanceof GraphQLError ? String(masked.extensions['code']) : 'INTERNAL_SERVER_ERROR';
      // An invalid id counts as unknown. The address of a transcript also has arguments, and its id was looked at.
      if (code === 'NOT_FOUND' || (code === 'BAD_USER_INPUT' && program === undefined && list === undefined))
        return notFound(made, kind, noun);
      const status = httpStatusOf(code);
      return refusal(made, kind, status, code, masked.message, {
        ...(status === 503 && { 'retry-after': '1' }),
        ...(masked instanceof GraphQLError && masked.extensions['http']?.headers),
      });
    }
  };
}

/** Recorded text is untrusted: browsers must neither render it as a page nor embed it. */
const guarded = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'same-origin',
};

/** The ETag is the hash of `body`, which changes with any part of the file. */
function file(request: Request, body: string, name: string, type: string): Response {
  const etag = `"${createHash('sha256').update(body).digest('base64url')}"`;
  const headers = { ...guarded, etag, 'cache-control': 'private, no-cache' };
  const knownTags = request.headers
    .get('if-none-match')
    ?.split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''));
  if (knownTags?.some((tag) => tag === etag || tag === '*')) return new Response(null, { status: 304, headers });
  const described = { ...headers, 'content-type': type, 'content-disposition': `attachment; filename="${name}"` };
  return new Response(request.method === 'HEAD' ? null : body, { headers: described });
}

const streamed = (response: Response, parts: () => AsyncIterable<string>): Response | Streamed =>
  response.body === null ? response : { response, parts: parts() };

const notFound = (made: CallerRequest, kind: 'md' | 'json', noun: string): Response =>
  refusal(made, kind, 404, 'NOT_FOUND', `There is no ${noun.slice(0, -1)} with this id.`);

function refusal(
  made: CallerRequest,
  kind: 'md' | 'json',
  status: number,
  code: string,
  message: string,
  more: Record<string, string> = {},
): Response {
  const headers = { ...guarded, 'cache-control': 'no-store', ...more };
  if (kind === 'json')
    return Response.json({ errors: [{ message, extensions: { code, requestId: made.id } }] }, { status, headers });
  return new Response(`${message}\n`, { status, headers: { ...headers, 'content-type': 'text/plain; charset=utf-8' } });
}
