import { queryFromInfo } from '@pothos/plugin-prisma';
import { GraphQLError, type GraphQLResolveInfo } from 'graphql';
import { z } from 'zod';
import { ForbiddenError } from '../../core/errors.ts';
import { encodeId, newId } from '../../core/ids.ts';
import { ownAgent } from '../../core/rights.ts';
import type { EventRow, Item, StreamKey } from '../../delivery/live/hub.ts';
import { mayRead, readsEverything, unreadable } from '../../delivery/live/readable.ts';
import { historyWentBack, StreamEnded, type Stream } from '../../delivery/live/stream.ts';
import { CursorExpired, CursorLost } from '../../delivery/live/streams.ts';
import { everybody } from '../access/roles.ts';
import { builder, modelRef } from '../graphql/builder.ts';
import type { GraphQLContext } from '../graphql/context.ts';
import { badArgument } from '../graphql/input/badArgument.ts';
import { agentId, decodeArgs, idOf, inputObject, listOf, optional, whereOf } from '../graphql/input/schemas.ts';
import { argsOf } from '../graphql/input/types.ts';

const after = optional(z.string()).describe(
  'Delivers events after the cursor, or after this call when null: first everything missed, then live. CURSOR_EXPIRED for a cursor of another stream, ahead of this one, of an event that the database no longer has since it went back to an earlier moment (`extensions.reason` is HISTORY_WENT_BACK), or older than what is kept: read the current state with a query, then subscribe with null.',
);

const sessionsLimit = 500;
const inboxArgs = z.object({ agentId: agentId.describe('The Agent whose inbox to read.'), after });
const where = inputObject(
  'HandoffEventsWhere',
  'Filters events. Every given condition must match.',
  z.object({
    sessionId: optional(idOf('session')).describe('Events of this Session. Null: of all Sessions and Agents.'),
    agentId: optional(agentId).describe('Events in the inbox of this Agent. Null: of any Agent.'),
  }),
);
const handoffEventsArgs = z.object({ where: whereOf(where).describe('Filter. Null: all events.'), after });
const sessionArgs = z.object({
  sessionIds: optional(
    listOf(idOf('session'), {
      what: 'sessionIds',
      limit: sessionsLimit,
      advice: 'open several subscriptions, or leave it out for all sessions',
    }),
  ).describe(`The Sessions, at most ${sessionsLimit}. Null: all Sessions.`),
  after,
});

builder.subscriptionType({
  description:
    'Live events over WebSocket (graphql-ws) and Server-Sent Events. READY comes first, HEARTBEAT at least every 15 seconds. Each event comes once and in order, with a cursor to continue from. A refusal is one result with an error, then the end.',
});

builder.subscriptionField('handoffAssigned', (t) =>
  t.field({
    access: everybody,
    type: modelRef('Event'),
    description:
      'Inbox of an Agent: what it is given, what returns, what is taken away, and its own changes. An AGENT may read only its own inbox.',
    args: argsOf(inboxArgs),
    subscribe: async (_root, args, context) => {
      const { agentId, after } = decodeArgs(inboxArgs, args);
      const own = ownAgent(context.caller);
      if (own !== null && own !== agentId) throw new ForbiddenError('An agent may listen to its own inbox only');
      await demandExistingAgent(context, agentId, ['agentId']);
      return open(context, { kind: 'inbox', agentId }, after, () => true);
    },
    resolve: (item, _args, context, info) => answer(item, context, info),
  }),
);

builder.subscriptionField('handoffEvents', (t) =>
  t.field({
    access: everybody,
    type: modelRef('Event'),
    description:
      'All events except TURN_APPENDED and LOG_CHANGED, or those of one Session or Agent, in one order. An AGENT gets those of Sessions that it may read, and its own AGENT_CHANGED.',
    args: argsOf(handoffEventsArgs),
    subscribe: async (_root, args, context) => {
      const { where, after } = decodeArgs(handoffEventsArgs, args);
      const { sessionId, agentId } = where;
      if (sessionId !== null) await demandReadableSessions(context, [sessionId], ['where', 'sessionId']);
      if (agentId !== null) await demandExistingAgent(context, agentId, ['where', 'agentId']);
      return open(
        context,
        { kind: 'all' },
        after,
        (event) => {
          if (event.type === 'TURN_APPENDED' || event.type === 'LOG_CHANGED') return false;
          return (
            (sessionId === null || event.sessionId === sessionId) &&
            (agentId === null || event.inboxes.includes(agentId))
          );
        },
        sessionId !== null,
      );
    },
    resolve: (item, _args, context, info) => answer(item, context, info),
  }),
);

builder.subscriptionField('sessionUpdated', (t) =>
  t.field({
    access: everybody,
    type: modelRef('Event'),
    description:
      'All events of these Sessions, or of all Sessions, including log entries, in one order. An AGENT gets those of Sessions that it may read.',
    args: argsOf(sessionArgs),
    subscribe: async (_root, args, context) => {
      const { sessionIds, after } = decodeArgs(sessionArgs, args);
      if (sessionIds !== null) await demandReadableSessions(context, sessionIds, ['sessionIds']);
      const selected = sessionIds === null ? null : new Set(sessionIds);
      return open(
        context,
        { kind: 'all' },
        after,
        ({ sessionId }) => sessionId !== null && (selected === null || selected.has(sessionId)),
        selected !== null,
      );
    },
    resolve: (item, _args, context, info) => answer(item, context, info),
  }),
);

/** Depends on the item and the selection only: the arguments selected the stream. */
async function answer(item: Item, context: GraphQLContext, info: GraphQLResolveInfo): Promise<{ id: string }> {
  const { event, ...delivered } = item;
  // Called for READY and HEARTBEAT too: it marks for Pothos that there is nothing to load.
  const { select = {} } = queryFromInfo({ context, info, typeName: 'Event', select: { id: true } }) as {
    select?: object;
  };
  if (event === null) return { ...blank, ...delivered, id: newId() };
  const isKnown = Object.keys(select).every((field) => field in event);
  return { ...(isKnown ? event : await readEvent(context, { ...item, event }, select)), id: event.id, ...delivered };
}

const blank = {
  sessionId: null,
  sessionSequence: null,
  sessionStatus: null,
  reason: null,
  summary: null,
  metadata: null,
  actorPrincipal: null,
  actorRole: null,
  traceparent: null,
  session: null,
  handoff: null,
  agent: null,
};

/** Reads the current Session, Handoff and Agent in one statement. */
async function readEvent(
  { prisma, streams }: GraphQLContext,
  { cursor, event: { id } }: Item & { event: EventRow },
  select: object,
): Promise<{ id: string }> {
  const event = await prisma.event.findUnique({
    select: { id: true, ...select },
    where: { id },
  });
  if (event !== null) return event;
  const { code, message, extensions } = new StreamEnded((await streams?.whyGone(cursor, id)) ?? 'stopping');
  throw refused(code, message, extensions);
}

/** `ofSessions`: `matches` accepts events of Sessions that exist only. */
async function open(
  { streams, caller }: GraphQLContext,
  key: StreamKey,
  cursor: string | null,
  matches: (event: EventRow) => boolean,
  ofSessions = false,
): Promise<Stream> {
  if (streams === undefined) throw refused('UNAVAILABLE', 'The server is stopping: connect again');
  const confined = key.kind !== 'inbox' && !readsEverything(caller);
  const readable = mayRead(caller);
  const accepts = confined ? (event: EventRow): boolean => matches(event) && readable(event) : matches;
  try {
    return await streams.open({ key, caller, after: cursor, confined, ofSessions, accepts });
  } catch (error) {
    if (error instanceof StreamEnded) throw refused(error.code, error.message, error.extensions);
    if (error instanceof CursorLost)
      throw refused(
        'CURSOR_EXPIRED',
        'The database went back to an earlier moment and does not have the event of after: read the current state, then subscribe without it',
        historyWentBack,
      );
    if (!(error instanceof CursorExpired)) throw error;
    throw refused(
      'CURSOR_EXPIRED',
      'after is not a valid cursor of this stream, or has expired: read the current state, then subscribe without it',
    );
  }
}

const refused = (code: string, message: string, extensions: object = {}): GraphQLError =>
  new GraphQLError(message, { extensions: { code, ...extensions } });

async function demandExistingAgent({ prisma }: GraphQLContext, id: string, path: string[]): Promise<void> {
  const found = await prisma.agent.findUnique({ where: { id }, select: { id: true } });
  if (found === null) throw badArgument(`There is no agent '${id}': check the id`, path);
}

async function demandReadableSessions(
  { pool, caller }: GraphQLContext,
  ids: readonly string[],
  path: string[],
): Promise<void> {
  const [missing] = await unreadable(pool, caller, ids);
  if (missing === undefined) return;
  const id = encodeId('session', missing);
  if (ownAgent(caller) !== null) throw new ForbiddenError(`There is no session '${id}', or you may not read it`);
  throw badArgument(`There is no session '${id}': check the id`, path);
}
