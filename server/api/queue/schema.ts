import { z } from 'zod';
import type { Prisma } from '../../generated/prisma/client.ts';
import { positionsOf } from '../../work/queue/queries.ts';
import { everybody } from '../access/roles.ts';
import { batched } from '../graphql/batch.ts';
import { builder, modelRef } from '../graphql/builder.ts';
import { connectionRef, pageArgs, rootPage } from '../graphql/connection.ts';
import { agentType, decodeArgs, inputObject, optional, text, whereOf } from '../graphql/input/schemas.ts';
import { argsOf } from '../graphql/input/types.ts';
import { sessionsToList } from '../graphql/lists/readableLists.ts';
import type { Order } from '../graphql/page.ts';

builder.prismaObject('QueueEntry', {
  access: 'inherit',
  select: { id: true },
  description: 'A Session that waits for an Agent: open, PAUSED and unassigned.',
  fields: (t) => ({
    session: t.relation('session', { description: 'The Session that waits.' }),
    agentType: t.exposeString('agentType', { nullable: true }),
    role: t.exposeString('role', { nullable: true }),
    queuedSince: t.expose('queuedAt', { type: 'DateTime' }),
    position: t.int({
      nullable: true,
      cost: 10,
      description:
        'Place among the Sessions that wait for the same type and role: 1 is next. Null while `suspended` or `escalated`.',
      resolve: async ({ id }, _args, context, info) =>
        (await batched(context, info, id, (ids) => positionsOf(context.pool, ids))) ?? null,
    }),
    suspended: t.exposeBoolean('suspended'),
    escalated: t.exposeBoolean('escalated'),
    returned: t.exposeBoolean('returned'),
    sourceAgent: t.relation('sourceAgent', {
      nullable: true,
      description:
        'The Agent that let the Session go: source of the Handoff that is created at its turn. Null when no Agent held it.',
    }),
    reason: t.exposeString('reason', { nullable: true }),
  }),
});

builder.prismaObjectFields(modelRef('Session'), (t) => ({
  queueEntry: t.relation('queueEntry', {
    nullable: true,
    description: 'Place in the queue; null when the Session does not wait for an Agent.',
  }),
}));

const queueFilter = inputObject(
  'QueueFilter',
  'Filters queued Sessions. Every given condition must match.',
  z.object({
    agentType: optional(agentType).describe('Sessions that wait for an Agent of this type.'),
    role: optional(text({ characters: 200 })).describe('Sessions that wait for an Agent with this role.'),
    escalated: optional(z.boolean()).describe(
      'True: Sessions for which an operator has to choose the Agent. False: all others.',
    ),
  }),
);
const many = z.object({ where: whereOf(queueFilter).describe('Filter. Null: no filter.') });

const order: Order = { name: 'queue', columns: { effectiveAt: 'time', id: 'uuid' }, direction: 'asc' };

builder.queryField('queue', (t) =>
  t.field({
    access: everybody,
    type: connectionRef('QueueEntry'),
    description:
      'Lists the queued Sessions that the caller may read in the order of their turns: by priority, raised by one level for every 30 minutes of waiting, then by time. A Session that could not return to its source counts one level more. Suspended ones keep their place.',
    args: { ...argsOf(many), ...pageArgs },
    resolve: async (_root, args, context, info) => {
      const { agentType: type, role, escalated } = decodeArgs(many, args).where;
      const where: Prisma.QueueEntryWhereInput = {
        ...(type !== null && { agentType: type }),
        ...(role !== null && { role }),
        ...(escalated !== null && { escalated }),
      };
      return rootPage(
        'QueueEntry',
        { args, order, oneOf: [{ AND: [where, { session: await sessionsToList(context) }] }] },
        context,
        info,
      );
    },
  }),
);
