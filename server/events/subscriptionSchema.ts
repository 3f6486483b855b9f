import { queryFromInfo } from '@pothos/plugin-prisma';
import { GraphQLError, type GraphQLResolveInfo } from 'graphql';
import { z } from 'zod';
import { ForbiddenError } from '../core/errors.ts';
import { encodeId } from '../core/ids.ts';
import { badArgument } from '../graphql/badArgument.ts';
import { builder, modelRef } from '../graphql/builder.ts';
import type { GraphQLContext } from '../graphql/context.ts';
import { agentId as agentIdInput, decodeArgs, idOf, listOf, optional } from '../graphql/input.ts';
import { deliver } from './deliver.ts';
import type { Item } from './hub.ts';
import { everything, mayRead, ownAgent, unreadable } from './readable.ts';
import type { EventRow, StreamKey } from './rows.ts';
import { StreamEnded, type Stream } from './stream.ts';
import { CursorExpired, TooManyStreams } from './streams.ts';

const after = builder.args((t) => ({
  after: t.string({
    description:
      'The cursor to go on after: first exactly what was missed since, then live. Null begins with what comes now. One that is not of this stream, or ahead of it, or older than what is kept, is CURSOR_EXPIRED: read the present state with a query and begin with null.',
  }),
}));

const mostSessions = 500;
const sessions = listOf(idOf('session'), { what: 'sessionIds', limit: mostSessions, advice: 'subscribe several times, or to all sessions by leaving it out' });

builder.subscriptionType({
  description:
    'What happens, as it happens, over WebSocket (graphql-ws) and as Server-Sent Events. READY comes first, HEARTBEAT at least every 15 seconds; each event comes once and in order, and its cursor leads back to it. A refusal is one result with an error, then the end.',
});

builder.subscriptionField('handoffAssigned', (t) =>
  t.field({
    type: modelRef('Event'),
    description: "An Agent's inbox: what it is given, what comes back, what is taken away, and its own changes. An agent may read its own; everybody else any.",
    args: { agentId: t.arg.id({ required: true, description: 'Whose inbox.' }), ...after },
    subscribe: async (_root, args, context) => {
      const { agentId } = decodeArgs(z.object({ agentId: agentIdInput, after: optional(z.string()) }), args);
      const own = ownAgent(context.caller);
      if (own !== null && own !== agentId) throw new ForbiddenError('An agent may listen to its own inbox only');
      await demandAgent(context, agentId, ['agentId']);
      return open(context, { kind: 'inbox', agentId }, args.after, () => true);
    },
    resolve: (item, _args, context, info) => answer(item, context, info),
  }),
);

const HandoffEventsWhere = builder.inputType('HandoffEventsWhere', {
  description: 'Which events; those that meet all that is given.',
  fields: (t) => ({
    sessionId: t.id({ description: 'Events of this Session; of all, and of Agents, when null.' }),
    agentId: t.id({ description: 'Events that concern this Agent, as its inbox has them; any when null.' }),
  }),
});

builder.subscriptionField('handoffEvents', (t) =>
  t.field({
    type: modelRef('Event'),
    description:
      'All events of Handoffs, Sessions and Agents (HANDOFF_, SESSION_ and AGENT_CHANGED), or those of one Session or Agent, in one order. An agent gets those of Sessions that it may read, and its own AGENT_CHANGED.',
    args: { where: t.arg({ type: HandoffEventsWhere, description: 'Which events; all when null.' }), ...after },
    subscribe: async (_root, args, context) => {
      const input = z.object({ where: optional(z.object({ sessionId: optional(idOf('session')), agentId: optional(agentIdInput) })), after: optional(z.string()) });
      const { sessionId = null, agentId = null } = decodeArgs(input, args).where ?? {};
      if (sessionId !== null) await demandSessions(context, [sessionId], ['where', 'sessionId']);
      if (agentId !== null) await demandAgent(context, agentId, ['where', 'agentId']);
      return open(context, { kind: 'all' }, args.after, (event) => {
        if (event.type === 'TURN_APPENDED' || event.type === 'LOG_CHANGED') return false;
        return (sessionId === null || event.sessionId === sessionId) && (agentId === null || event.told.includes(agentId));
      });
    },
    resolve: (item, _args, context, info) => answer(item, context, info),
  }),
);

builder.subscriptionField('sessionUpdated', (t) =>
  t.field({
    type: modelRef('Event'),
    description: 'Every event of these Sessions, or of all, entries of the log included, in one order. An agent gets those of Sessions that it may read.',
    args: {
      sessionIds: t.arg.idList({ description: `Which Sessions, ${mostSessions} at most; all when null.` }),
      ...after,
    },
    subscribe: async (_root, args, context) => {
      const { sessionIds } = decodeArgs(z.object({ sessionIds: optional(sessions), after: optional(z.string()) }), args);
      if (sessionIds !== null) await demandSessions(context, sessionIds, ['sessionIds']);
      const wanted = sessionIds === null ? null : new Set(sessionIds);
      return open(context, { kind: 'all' }, args.after, ({ sessionId }) => sessionId !== null && (wanted === null || wanted.has(sessionId)));
    },
    resolve: (item, _args, context, info) => answer(item, context, info),
  }),
);

/** Depends on the item and the selection alone, not on the arguments: by them the stream was chosen. */
function answer(item: Item, context: GraphQLContext, info: GraphQLResolveInfo): Promise<{ id: string }> {
  const { select = {} } = queryFromInfo({ context, info, typeName: 'Event', select: { id: true } }) as { select?: object };
  return deliver(item, Object.keys(select), (id) => readEvent(context, id, select));
}

/** One statement. */
const readEvent = ({ prisma }: GraphQLContext, id: string, select: object): Promise<{ id: string }> =>
  prisma.event.findUniqueOrThrow({ select: { id: true, ...select }, relationLoadStrategy: 'join', where: { id } });

async function open({ streams, caller }: GraphQLContext, key: StreamKey, cursor: string | null | undefined, wanted: (event: EventRow) => boolean): Promise<Stream> {
  if (streams === undefined) throw stopping();
  const readable = key.kind === 'inbox' ? everything : mayRead(caller);
  const accepts = readable === everything ? wanted : (event: EventRow): boolean => wanted(event) && readable(event);
  try {
    return await streams.open({ key, caller, after: cursor ?? null, confined: readable !== everything, accepts });
  } catch (error) {
    if (error instanceof StreamEnded) throw stopping();
    if (error instanceof TooManyStreams) {
      const { message, limit } = error;
      throw new GraphQLError(message, { extensions: { code: 'LIMIT_EXCEEDED', what: 'streams', limit, actual: limit + 1 } });
    }
    if (!(error instanceof CursorExpired)) throw error;
    throw new GraphQLError('after is no cursor of this stream, or not one that can be gone on from: read the present state, then subscribe without it', {
      extensions: { code: 'CURSOR_EXPIRED' },
    });
  }
}

async function demandAgent({ prisma }: GraphQLContext, id: string, path: string[]): Promise<void> {
  const found = await prisma.agent.findUnique({ where: { id }, select: { id: true } });
  if (found === null) throw badArgument(`There is no agent '${id}': check the id`, path);
}

async function demandSessions({ pool, caller }: GraphQLContext, ids: readonly string[], path: string[]): Promise<void> {
  const [missing] = await unreadable(pool, caller, ids);
  if (missing === undefined) return;
  const id = encodeId('session', missing);
  if (ownAgent(caller) !== null) throw new ForbiddenError(`There is no session '${id}', or you may not read it`);
  throw badArgument(`There is no session '${id}': check the id`, path);
}

const stopping = (): GraphQLError => new GraphQLError('The server is stopping: connect again', { extensions: { code: 'UNAVAILABLE' } });
