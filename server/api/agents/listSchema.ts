import { z } from 'zod';
import { statement } from '../../core/changes.ts';
import { everybody } from '../access/roles.ts';
import { builder, modelRef } from '../graphql/builder.ts';
import { connectionRef, pageArgs, rootPage } from '../graphql/connection.ts';
import { agentId, decodeArgs, whereOf } from '../graphql/input/schemas.ts';
import { argsOf } from '../graphql/input/types.ts';
import { orderBy } from '../graphql/lists/orderBy.ts';
import { agentFilter, agentsWhere } from './filterSchema.ts';

const order = orderBy(
  'Agent',
  {
    ID: { description: 'Id of the Agent.', columns: { id: 'slug' } },
    LOAD: { description: 'Number of Sessions that the Agent holds.', columns: { currentLoad: 'integer', id: 'slug' } },
    REGISTERED_AT: { description: 'Time of registration.', columns: { registeredAt: 'time', id: 'slug' } },
  },
  'REGISTERED_AT',
);

const one = z.object({ id: agentId.describe('Id (slug) of the Agent.') });
const many = z.object({
  where: whereOf(agentFilter).describe('Filter. Null: all Agents that are not archived.'),
  orderBy: order.describe('Order of the list. Null: newest first.'),
});

const findId = statement('SELECT id FROM agents WHERE id = $1');

builder.queryFields((t) => ({
  agent: t.prismaField({
    access: everybody,
    type: modelRef('Agent'),
    nullable: true,
    description: 'Returns the Agent with this id, archived or not; null when it does not exist.',
    args: argsOf(one),
    resolve: async (query, _root, args, { prisma, pool }) => {
      const where = decodeArgs(one, args);
      // Enough for fields that read by the id, and twice as fast.
      if (Object.keys(query.select ?? {}).join() === 'id')
        return ((await pool.query<{ id: string }>({ ...findId, values: [where.id] })).rows[0] ?? null) as never;
      return prisma.agent.findUnique({ ...query, where });
    },
  }),
  agents: t.field({
    access: everybody,
    type: connectionRef('Agent'),
    description: 'Lists the Agents, newest first by default.',
    args: { ...argsOf(many), ...pageArgs },
    resolve: (_root, args, context, info) => {
      const { where, orderBy } = decodeArgs(many, args);
      return rootPage('Agent', { args, order: orderBy, oneOf: [agentsWhere(context.prisma, where)] }, context, info);
    },
  }),
}));
