import { type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { GraphQLError } from 'graphql';
import { type Ask, createEngine, type EngineOptions } from '../api/engine.ts';
import { limits } from '../core/limits.ts';
import { type CallerRequest, requestOf } from '../core/request.ts';
import { type Caller, logOf } from '../core/work.ts';
import type { AppLive } from '../delivery/live/subscribing.ts';
import type { Env } from '../infra/env.ts';
import {
  createAnswers,
  json,
  refusal,
  requestIdHeader,
  type Answered,
  text,
  unavailable,
} from '../infra/http/answers.ts';
import { type Body, bodyOf } from '../infra/http/body.ts';
import { createDashboard } from '../infra/http/dashboard.ts';
import { createDoor } from '../infra/http/door.ts';
import { EventStream } from '../infra/http/eventStream.ts';
import { createGraphiqlPage, type Tab } from '../infra/http/graphiqlPage.ts';
import { createHttpServer, refuseSocket, type HttpLimits } from '../infra/http/httpServer.ts';
import type { LedgerLimits } from '../infra/http/ledger.ts';
import { createPersistedOperations, type PersistedOperations } from '../infra/limits/persisted.ts';
import { Charge } from '../infra/limits/plugin.ts';
import { createRates, type Kind, type Rates } from '../infra/limits/rates.ts';
import type { Log } from '../infra/log.ts';
import { createPing } from '../infra/ping.ts';
import { packageFolder } from '../core/place.ts';
import type { Database } from '../infra/prisma.ts';

/** The output folder of `npm run build`. */
const builtDashboard = join(packageFolder, 'dist');
const drainWithin = 7_000;

/**
 * Returns undefined for requests of other routes. `request` has no body: it is `body`. Routes that require a key call `caller`, which charges the request (a GET as a
 * read, others as a write, unless the route says it) and rejects with UNAUTHENTICATED or RATE_LIMITED.
 */
export type Route = (
  request: Request,
  caller: (charged?: Kind) => Promise<Caller>,
  ask: Ask,
  made: CallerRequest,
  body: Body,
) => Answered | undefined | Promise<Answered | undefined>;

export interface Authentication {
  (authorization: string | undefined): Promise<Caller>;
  /** Whether callers without a key are allowed. The server then answers only under loopback names. */
  readonly open: boolean;
}

/** Starts work that runs until `stop`, which resolves when it has ended. */
export type Background = () => { stop(): Promise<void> };

export interface AppOptions extends Omit<EngineOptions, 'rates' | 'persisted'> {
  env: Pick<Env, 'host' | 'port'> & Partial<Pick<Env, 'allowedOrigins' | 'basePath' | 'trustedProxies'>>;
  database: Database;
  log: Log;
  authenticate: Authentication;
  /** Default: the rates of `limits.ts`. */
  rates?: Rates;
  /** Default: none. */
  persisted?: PersistedOperations;
  http?: Partial<HttpLimits>;
  /** Default: that of `limits.ts`. */
  answerWithin?: number;
  unread?: Partial<LedgerLimits>;
  graphiqlTabs?: Tab[];
  /** Folder of the built dashboard. Default: `dist`. */
  dashboardFolder?: string;
  routes?: Route[];
  background?: Background[];
  live?: AppLive;
  /** Further services that this server can do without and that are away. Default: none. */
  degraded?: (() => string[]) | undefined;
  /** Text for Prometheus. Default: none. */
  metrics?: { readonly contentType: string; read(): Promise<string> } | undefined;
}

export interface App {
  /** Set by `start`. */
  readonly url: string;
  start(): Promise<void>;
  /** Reports not ready, waits for running requests, then closes everything except the database. */
  stop(): Promise<void>;
}

/** The server over HTTP: routes, pages, metrics, readiness, start and stop. `engine.ts` executes the operations. */
export function buildApp({ env, database, log, authenticate, ...options }: AppOptions): App {
  const { maskError, rates = createRates(), persisted = createPersistedOperations({}, { only: false }) } = options;
  const engine = createEngine({ ...options, rates, persisted });
  const graphiql = createGraphiqlPage(options.graphiqlTabs ?? [], { needsKey: !authenticate.open });
  const dashboard = createDashboard(options.dashboardFolder ?? builtDashboard, env.basePath);
  const ping = createPing(database.url);
  const answers = createAnswers(options.unread);
  let background: ReturnType<Background>[] = [];
  const sockets = options.live?.sockets({
    ...engine.ofSockets,
    identify: (address, authorization) => rates.authenticating(address, authorization, authenticate),
  });
  const { basePath = '' } = env;
  const door = createDoor({ ...env, open: authenticate.open });
  const server = createHttpServer(handle, upgrade, options.http);
  let origin = '';

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const made = requestOf(request.headers[requestIdHeader], request.headers['traceparent']);
    response.setHeader(requestIdHeader, made.id);
    try {
      if (door.enter(request, response)) await route(request, response, request.url?.split('?')[0] ?? '/', made);
    } catch (error) {
      logOf(log, made).error({ err: error, path: request.url }, 'A request failed');
      if (response.headersSent) response.destroy();
      else text(response, 500, 'Internal error. The server log has the details.');
    }
  }

  function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const refuse = (status: number): void => refuseSocket(socket, status);
    if (sockets === undefined) return refuse(404);
    const refused = door.refusesSocket(request, '/graphql');
    if (refused !== null) return refuse(refused);
    if (server.draining) return refuse(503);
    sockets.upgrade(request, socket, head, door.addressOf(request));
  }

  async function route(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    made: CallerRequest,
  ): Promise<void> {
    const reads = request.method === 'GET' || request.method === 'HEAD';
    // OPTIONS is what HAProxy asks unless told otherwise.
    const probes = reads || request.method === 'OPTIONS';
    if (path === '/livez' && probes) return json(response, 200, { status: 'ok' });
    if (path === '/readyz' && probes) return ready(response);
    if (server.draining) return unavailable(response, 'Baton is stopping: try again in a moment.');
    if (path === '/graphql') {
      if (reads && request.headers.accept?.includes('text/html')) return graphiql(request, response);
      return answer(request, response, made);
    }
    if (reads && (await dashboard(request, response, path))) return;
    if (reads && path === '/metrics' && options.metrics !== undefined)
      return metrics(request, response, made, options.metrics);
    const webRequest = toWebRequest(request, door.originOf(request) ?? origin);
    const body = bodyOf(request);
    const address = door.addressOf(request);
    const account = answers.accountOf(request);
    let by: Caller | undefined;
    for (const candidate of options.routes ?? []) {
      const identified = async (charged: Kind = reads ? 'read' : 'write'): Promise<Caller> => {
        const caller = await identify(request, made);
        await engine.turnOf(caller);
        rates.take(caller, charged);
        return (by = caller);
      };
      const found = await candidate(webRequest, identified, engine.ask, made, body);
      if (found === undefined) continue;
      return answers.sendFound(response, found, { account, key: by?.principal ?? address }, () =>
        rates.takeInTurn(by!, 'read'),
      );
    }
    const browses = reads && request.headers.accept?.includes('text/html') === true;
    if (browses && (await dashboard(request, response, path, 404))) return;
    text(response, 404, `Nothing here. The API is at ${basePath}/graphql.`);
  }

  /** Without a key for programs of this machine only. */
  async function metrics(
    request: IncomingMessage,
    response: ServerResponse,
    made: CallerRequest,
    { contentType, read }: NonNullable<AppOptions['metrics']>,
  ): Promise<void> {
    const account = answers.accountOf(request);
    let key = 'metrics';
    if (request.headers.authorization !== undefined || !door.isLocal(request)) {
      try {
        const caller = await identify(request, made);
        rates.take(caller, 'read');
        if (caller.role === 'AGENT')
          return refusal(
            response,
            403,
            'FORBIDDEN',
            'Metrics are for keys of role ANALYST, OPERATOR or ADMIN: use one of these.',
          );
        key = caller.principal;
      } catch (error) {
        return refuse(response, error, made);
      }
    }
    const found = new Response(request.method === 'HEAD' ? null : await read(), {
      headers: { 'content-type': contentType, 'cache-control': 'no-store' },
    });
    await answers.sendFound(response, found, { account, key }, () => Promise.resolve());
  }

  async function ready(response: ServerResponse): Promise<void> {
    if (server.draining) return json(response, 503, { status: 'stopping' });
    const degraded = [...(options.live?.degraded() ?? []), ...(options.degraded?.() ?? [])];
    if (await ping.answers()) return json(response, 200, { status: 'ok', ...(degraded.length > 0 && { degraded }) });
    json(response, 503, { status: 'unavailable', missing: ['postgres'] });
  }

  async function answer(request: IncomingMessage, response: ServerResponse, made: CallerRequest): Promise<void> {
    const account = answers.accountOf(request);
    const late = setTimeout(() => {
      if (!response.headersSent)
        unavailable(
          response,
          'The request took longer than 30 s and may still take effect: read the record before you repeat it.',
        );
    }, options.answerWithin ?? limits.answerWithin);
    try {
      const caller = await identify(request, made).catch((error: unknown) => refuse(response, error, made));
      if (caller === undefined) return;
      const charge = new Charge(rates, caller);
      const result = await engine.answer(request, { caller, charge }, origin);
      try {
        try {
          charge.settle();
        } catch (error) {
          return refuse(response, error, made);
        }
        if (result !== null && !response.headersSent)
          await answers.send(response, result, { account, key: caller.principal });
      } finally {
        // Also when it was not sent.
        if (result instanceof EventStream) await result.events.return?.();
      }
    } finally {
      clearTimeout(late);
    }
  }

  async function identify(request: IncomingMessage, made: CallerRequest): Promise<Caller> {
    // Two Authorization headers are joined, so that neither is accepted.
    const authorization = request.headersDistinct['authorization']?.join(', ');
    return { ...(await rates.authenticating(door.addressOf(request), authorization, authenticate)), request: made };
  }

  /** Runs before the operation is parsed, so that callers without a key learn nothing about it. */
  function refuse(response: ServerResponse, error: unknown, made: CallerRequest): void {
    const masked = maskError(error, made);
    if (!(masked instanceof GraphQLError)) throw error;
    const { http, code } = masked.extensions as {
      http?: { status: number; headers: Record<string, string> };
      code: string;
    };
    if (code === 'UNAVAILABLE') return unavailable(response, masked.message);
    for (const [name, value] of Object.entries(http?.headers ?? {})) response.setHeader(name, value);
    refusal(response, http?.status ?? 500, code, masked.message);
  }

  return {
    get url() {
      return `${origin}${basePath}`;
    },
    async start() {
      origin = await server.listen(env.host, env.port);
      background = (options.background ?? []).map((begin) => begin());
    },
    async stop() {
      server.drain();
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<'late'>((resolve) => (timer = setTimeout(resolve, drainWithin, 'late')));
      // Closes sockets before streams: clients must get a close code that lets them reconnect, not a completed stream.
      await Promise.race([sockets?.close(), late]);
      const streamsEnded = options.live?.endStreams();
      const done = Promise.all([streamsEnded, server.idle(), ...background.map((task) => task.stop())]);
      if ((await Promise.race([done, late])) === 'late') log.warn('Requests still ran when the time to stop was over');
      clearTimeout(timer);
      await server.close();
      await ping.close();
    },
  };
}

function toWebRequest(request: IncomingMessage, origin: string): Request {
  const { method = 'GET' } = request;
  const headers = Object.entries(request.headersDistinct).flatMap(([name, values]) =>
    (values ?? []).map((value): [string, string] => [name, value]),
  );
  // Not resolved against `origin`: //evil.example would then be the host.
  return new Request(`${origin}${request.url}`, { method, headers });
}
