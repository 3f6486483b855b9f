import { z } from 'zod';
import type { Bounds } from '../core/fixedPage.ts';
import { ownAgent, readableHandoffs } from '../core/readable.ts';
import { builder, modelRef } from '../graphql/builder.ts';
import { connectionRef, pageArgs, rootPage } from '../graphql/connection.ts';
import { HandoffStatus, HandoffVia, OrderDirection } from '../graphql/enums.ts';
import { agentId, decodeArgs, idOf, instant, integer, namesOf, optional } from '../graphql/input.ts';
import { directionOf, type Order } from '../graphql/page.ts';
import { handoffsToList } from '../graphql/readableLists.ts';
import { fixedFilters, handoffSelect, readHandoffs } from './fixedPage.ts';
import { handoffsWhere } from './queries.ts';

const HandoffFilter = builder.inputType('HandoffFilter', {
  description: 'Which Handoffs: those that meet everything that is given.',
  fields: (t) => ({
    sessionId: t.id({ description: 'Of this Session.' }),
    agentId: t.id({ description: 'From or to this Agent.' }),
    sourceAgentId: t.id({ description: 'From this Agent.' }),
    targetAgentId: t.id({ description: 'To this Agent.' }),
    status: t.field({ type: [HandoffStatus], description: 'In one of these statuses.' }),
    via: t.field({ type: [HandoffVia], description: 'Started by one of these.' }),
    circular: t.boolean({ description: 'True: to an Agent that had been active in the Session before. False: the others.' }),
    staleForMinutes: t.int({ description: 'INITIATED, and started at least this many minutes ago; 0 or more.' }),
    initiatedAfter: t.field({ type: 'DateTime', description: 'Started later than this.' }),
    initiatedBefore: t.field({ type: 'DateTime', description: 'Started earlier than this.' }),
  }),
});

const HandoffOrder = builder.inputType('HandoffOrder', {
  description: 'How Handoffs are ordered; ties go by id.',
  fields: (t) => ({
    field: t.field({
      type: builder.enumType('HandoffOrderField', {
        description: 'What Handoffs are ordered by.',
        values: { INITIATED_AT: { description: 'When they were started.' } },
      }),
      required: true,
      description: 'What they are ordered by.',
    }),
    direction: t.field({ type: OrderDirection, defaultValue: 'DESC', description: 'Which end comes first.' }),
  }),
});

const columns = { INITIATED_AT: { initiatedAt: 'time', id: 'uuid' } } as const;

const handoffFilter = z.object({
  sessionId: optional(idOf('session')),
  agentId: optional(agentId),
  sourceAgentId: optional(agentId),
  targetAgentId: optional(agentId),
  status: optional(namesOf(['INITIATED', 'ACCEPTED', 'COMPLETED', 'FAILED', 'REJECTED', 'CANCELLED', 'TIMED_OUT'])),
  via: optional(namesOf(['OPERATOR', 'API', 'TOOL', 'PIPELINE'])),
  circular: optional(z.boolean()),
  staleForMinutes: optional(integer(0)),
  initiatedAfter: optional(instant),
  initiatedBefore: optional(instant),
});
const handoffsArgs = z.object({ where: handoffFilter.nullish().transform((where) => where ?? handoffFilter.parse({})) });

builder.queryFields((t) => ({
  handoff: t.prismaField({
    type: modelRef('Handoff'),
    nullable: true,
    description: 'The Handoff with this id; null when there is none that you may read: an AGENT reads those of its Sessions.',
    args: { id: t.arg.id({ required: true, description: 'Id of a Handoff.' }) },
    resolve: (query, _root, args, { prisma, caller }) =>
      prisma.handoff.findUnique({ ...query, where: { ...decodeArgs(z.object({ id: idOf('handoff') }), args), AND: readableHandoffs(caller) } }),
  }),
  handoffs: t.field({
    type: connectionRef('Handoff'),
    description: 'The Handoffs that you may read, the last started first unless said otherwise.',
    args: {
      where: t.arg({ type: HandoffFilter, description: 'Which ones; all when null.' }),
      orderBy: t.arg({ type: HandoffOrder, description: 'In which order; the last started first when null.' }),
      ...pageArgs,
    },
    resolve: async (_root, args, context, info) => {
      const { where } = decodeArgs(handoffsArgs, args);
      const field = args.orderBy?.field ?? 'INITIATED_AT';
      const order: Order = { name: `handoff ${field}`, columns: columns[field], direction: directionOf(args.orderBy?.direction) };
      const readable = await handoffsToList(context);
      const filters = ownAgent(context.caller) === null ? fixedFilters(where) : null;
      const fixed = filters && { select: handoffSelect, reads: filters.map((filter) => (bounds: Bounds) => readHandoffs(context.pool, filter, bounds)) };
      return rootPage('Handoff', { args, order, fixed, oneOf: handoffsWhere(where, new Date()).map((one) => ({ AND: [one, readable] })) }, context, info);
    },
  }),
}));
