import { z } from 'zod';
import type { Bounds } from '../core/fixedPage.ts';
import { ownAgent, readableSessions } from '../core/readable.ts';
import { builder, modelRef } from '../graphql/builder.ts';
import { connectionRef, pageArgs, rootPage } from '../graphql/connection.ts';
import { OrderDirection, SessionStatus } from '../graphql/enums.ts';
import { agentId, agentType, decodeArgs, idOf, instant, namesOf, optional, text } from '../graphql/input.ts';
import { directionOf, type Order } from '../graphql/page.ts';
import { sessionsToList } from '../graphql/readableLists.ts';
import { readSessions, sessionSelect } from './fixedPage.ts';
import { sessionsWhere } from './queries.ts';

const SessionFilter = builder.inputType('SessionFilter', {
  description: 'Which Sessions: those that meet everything that is given.',
  fields: (t) => ({
    status: t.field({ type: [SessionStatus], description: 'In one of these statuses.' }),
    agentId: t.id({ description: 'Held by this Agent, or finished and held by it last.' }),
    agentType: t.string({ description: 'Held by an Agent of this type, such as CLAUDE; of finished ones, held last by an Agent that had this type when they ended.' }),
    unassigned: t.boolean({ description: 'True: open and held by nobody. False: the others.' }),
    hasOpenHandoff: t.boolean({ description: 'True: with a Handoff that is INITIATED or ACCEPTED. False: the others.' }),
    titleContains: t.string({ description: 'With this text somewhere in the title, in upper or lower case; 500 characters at most.' }),
    createdAfter: t.field({ type: 'DateTime', description: 'Created later than this.' }),
    createdBefore: t.field({ type: 'DateTime', description: 'Created earlier than this.' }),
  }),
});

const SessionOrder = builder.inputType('SessionOrder', {
  description: 'How Sessions are ordered; ties go by id.',
  fields: (t) => ({
    field: t.field({
      type: builder.enumType('SessionOrderField', {
        description: 'What Sessions are ordered by.',
        values: {
          CREATED_AT: { description: 'When they were created.' },
          UPDATED_AT: { description: 'When their status, holder, Handoff or log last changed.' },
        },
      }),
      required: true,
      description: 'What they are ordered by.',
    }),
    direction: t.field({ type: OrderDirection, defaultValue: 'DESC', description: 'Which end comes first.' }),
  }),
});

const columns = {
  CREATED_AT: { createdAt: 'time', id: 'uuid' },
  UPDATED_AT: { updatedAt: 'time', id: 'uuid' },
} as const;

const sessionFilter = z.object({
  status: optional(namesOf(['RUNNING', 'PAUSED', 'COMPLETED', 'FAILED', 'CANCELLED'])),
  agentId: optional(agentId),
  agentType: optional(agentType),
  unassigned: optional(z.boolean()),
  hasOpenHandoff: optional(z.boolean()),
  titleContains: optional(text({ characters: 500 })),
  createdAfter: optional(instant),
  createdBefore: optional(instant),
});
const sessionsArgs = z.object({ where: sessionFilter.nullish().transform((where) => where ?? sessionFilter.parse({})) });

builder.queryFields((t) => ({
  session: t.prismaField({
    type: modelRef('Session'),
    nullable: true,
    description: 'The Session with this id; null when there is none that you may read. An AGENT reads those in which it has or had an AgentSession.',
    args: { id: t.arg.id({ required: true, description: 'Id of a Session.' }) },
    resolve: (query, _root, args, { prisma, caller }) =>
      prisma.session.findUnique({ ...query, where: { ...decodeArgs(z.object({ id: idOf('session') }), args), AND: readableSessions(caller) } }),
  }),
  sessions: t.field({
    type: connectionRef('Session'),
    description: 'The Sessions that you may read, the last created first unless said otherwise.',
    args: {
      where: t.arg({ type: SessionFilter, description: 'Which ones; all when null.' }),
      orderBy: t.arg({ type: SessionOrder, description: 'In which order; the last created first when null.' }),
      ...pageArgs,
    },
    resolve: async (_root, args, context, info) => {
      const { where } = decodeArgs(sessionsArgs, args);
      const field = args.orderBy?.field ?? 'CREATED_AT';
      const order: Order = { name: `session ${field}`, columns: columns[field], direction: directionOf(args.orderBy?.direction) };
      const [wanted, readable] = await Promise.all([sessionsWhere(context.prisma, where), sessionsToList(context)]);
      const all = ownAgent(context.caller) === null && Object.values(where).every((each) => each === null);
      const fixed = all ? { select: sessionSelect, reads: [(bounds: Bounds) => readSessions(context.pool, field, bounds)] } : null;
      return rootPage('Session', { args, order, fixed, oneOf: wanted.map((one) => ({ AND: [one, readable] })) }, context, info);
    },
  }),
}));
