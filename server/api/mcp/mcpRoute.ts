import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { GraphQLError } from 'graphql';
import { httpStatusOf } from '../../core/httpStatus.ts';
import { parseJson, TooManyValues } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import type { CallerRequest } from '../../core/request.ts';
import type { Caller } from '../../core/work.ts';
import { isWorkspaceId } from '../../core/workspace.ts';
import type { Streams } from '../../delivery/live/streams.ts';
import type { Followed } from '../../infra/http/answers.ts';
import { type Body, BrokenOff, readText } from '../../infra/http/body.ts';
import { isOriginAllowed } from '../../infra/http/originCheck.ts';
import type { Ask } from '../engine.ts';
import { deskOf, type Desk, type Place } from './ask.ts';
import { changesOf } from './changes.ts';
import { actingFor, WrongAddress } from './identity.ts';
import { confirmNotice } from './proposals.ts';
import { Refused } from './result.ts';
import { createServer } from './server.ts';
import { NoAgent, toolsOf } from './tools.ts';

export interface McpRouteOptions {
  streams: Streams;
  maskError: (error: unknown, request?: CallerRequest) => Error;
  /** Origins whose pages may send requests. */
  allowedOrigins: readonly string[];
  version: string;
}

const address = /^\/mcp(?:\/([^/]+))?$/;

/**
 * `/mcp` and `/mcp/<agent>`: the Model Context Protocol over streamable HTTP. A POST stands alone; a GET opens a stream of
 * changes. A request is charged as a read, and each operation that it executes as over GraphQL.
 */
export const mcpRoute = ({ streams, maskError: masked, allowedOrigins, version }: McpRouteOptions) => {
  /** Notices that an answer that is under way says. */
  const saying = new Set<string>();
  /** Answers that are made now. */
  const making = new Set<Promise<Response>>();

  /** Answers a message. Records which notices it says once it is sent: what was not sent is said again. */
  async function post(
    request: Request,
    sent: Body,
    deskWith: (saysNotice: Desk['saysNotice']) => Desk,
    made: CallerRequest,
  ): Promise<Response | Followed> {
    const said: string[] = [];
    const desk = deskWith((noticeId) => {
      if (saying.has(noticeId)) return false;
      saying.add(noticeId);
      return said.push(noticeId) > 0;
    });
    const end = (): void => said.splice(0).forEach((noticeId) => saying.delete(noticeId));
    const begun = answered(request, sent, desk, made);
    making.add(begun);
    const response = await begun
      .catch((error: unknown) => {
        end();
        throw error;
      })
      .finally(() => making.delete(begun));
    if (said.length === 0) return response;
    let isOver = false;
    return {
      response,
      over(isSent) {
        if (isOver) return;
        isOver = true;
        void Promise.allSettled(isSent ? said.map((noticeId) => confirmNotice(desk, noticeId)) : [])
          // What is being made now may have read it before it was confirmed.
          .then(() => Promise.allSettled(making))
          .then(end);
      },
    };
  }

  async function answered(request: Request, sent: Body, desk: Desk, made: CallerRequest): Promise<Response> {
    const body = await readText(sent, limits.body.json);
    if (body === null) return refused(made, 413, `The message is larger than ${limits.body.json} bytes: send less.`);
    const parsedBody = parsed(body);
    if (parsedBody instanceof SyntaxError) {
      const what = parsedBody instanceof TooManyValues ? parsedBody.message : 'not JSON';
      return refused(made, 400, `The body is ${what}: send one JSON-RPC message.`, -32_700);
    }
    if (Array.isArray(parsedBody))
      return refused(made, 400, 'Send one JSON-RPC message for each request, not a list.', -32_600);
    // An agent that does not exist is refused when a client connects, not at the first call.
    if (isInitialize(parsedBody)) await toolsOf(desk);
    const server = createServer(desk, { version, masked });
    // Stateless: a server for each request, without sessions.
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    await server.connect(transport);
    try {
      return await transport.handleRequest(request, { parsedBody });
    } finally {
      await server.close();
    }
  }

  return async (
    request: Request,
    identified: (charged: 'read') => Promise<Caller>,
    ask: Ask,
    made: CallerRequest,
    body: Body,
  ): Promise<Response | Followed | undefined> => {
    const url = new URL(request.url);
    const [found, encoded] = address.exec(url.pathname) ?? [];
    if (found === undefined) return undefined;
    if (request.method !== 'POST' && request.method !== 'GET')
      return refused(made, 405, 'Send messages with POST, or open a stream with GET.', undefined, {
        allow: 'GET, POST',
      });
    if (!isOriginAllowed(request.headers.get('origin') ?? undefined, url.origin, allowedOrigins))
      return refused(made, 403, 'Pages of other origins may not use this address.');
    try {
      const caller = actingFor(await identified('read'), encoded === undefined ? null : decoded(encoded));
      const place = placeIn(url, request.headers);
      const deskWith = (saysNotice: Desk['saysNotice']): Desk => deskOf(caller, ask, place, saysNotice);
      if (request.method === 'POST') return await post(request, body, deskWith, made);
      if (request.headers.get('accept')?.includes('text/event-stream') !== true)
        return refused(
          made,
          406,
          'Accept text/event-stream: a GET opens a stream of changes. Send messages with POST.',
        );
      return await changesOf(
        streams,
        caller,
        deskWith(() => false),
      );
    } catch (error) {
      if (error instanceof BrokenOff) return refused(made, 400, 'The body ended early: send it again.');
      if (error instanceof WrongAddress) return refused(made, error.status, error.message);
      if (error instanceof NoAgent) return refused(made, 404, error.message);
      if (error instanceof Refused) return later(made, httpStatusOf(error.code), error.message);
      const shown = masked(error, made);
      const { http, code } = (shown instanceof GraphQLError ? shown.extensions : {}) as {
        http?: { headers?: Record<string, string> };
        code?: string;
      };
      return refused(made, httpStatusOf(String(code)), shown.message, undefined, http?.headers);
    }
  };
};

/** The header that names the Session of the run in which a program works; empty or absent: none. */
const sessionHeader = 'baton-session';

/** @throws WrongAddress */
function placeIn({ searchParams }: URL, headers: Headers): Place {
  const workspaceId = searchParams.get('workspace') || null;
  if (workspaceId !== null && !isWorkspaceId(workspaceId))
    throw new WrongAddress(
      404,
      `workspace is not the id of a workspace, ws_ and 20 hex digits: connect the folder again`,
    );
  return { workspaceId, sessionId: headers.get(sessionHeader) || null };
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

const refused = (
  made: CallerRequest,
  status: number,
  message: string,
  code = -32_000,
  headers: Record<string, string> = {},
): Response =>
  Response.json(
    { jsonrpc: '2.0', error: { code, message, data: { requestId: made.id } }, id: null },
    { status, headers: { 'cache-control': 'no-store', ...headers } },
  );

/** The refusal of a read; the client may try again when it is about rates or an absent service. */
const later = (made: CallerRequest, status: number, message: string): Response =>
  refused(made, status, message, undefined, status === 429 || status === 503 ? { 'retry-after': '1' } : {});

const isInitialize = (message: unknown): boolean =>
  typeof message === 'object' && message !== null && Reflect.get(message, 'method') === 'initialize';

function parsed(body: string): unknown {
  try {
    return parseJson(body, limits.values.most);
  } catch (error) {
    return error;
  }
}
