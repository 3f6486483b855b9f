import { z } from 'zod';
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
    ID: { description: 'Their slug.', columns: { id: 'slug' } },
    LOAD: { description: 'How many Sessions they hold.', columns: { currentLoad: 'integer', id: 'slug' } },
    REGISTERED_AT: { description: 'When they joined the pool.', columns: { registeredAt: 'time', id: 'slug' } },
  },
  'REGISTERED_AT',
);

const one = z.object({ id: agentId.describe("The Agent's slug.") });
const many = z.object({
  where: whereOf(agentFilter).describe('Which ones; all that are not archived when null.'),
  orderBy: order.describe('In which order; the last registered first when null.'),
});

builder.queryFields((t) => ({
  agent: t.prismaField({
    access: everybody,
    type: modelRef('Agent'),
    nullable: true,
    description: 'The Agent with this slug, archived or not; null when there is none.',
    args: argsOf(one),
    resolve: (query, _root, args, { prisma }) => prisma.agent.findUnique({ ...query, where: decodeArgs(one, args) }),
  }),
  agents: t.field({
    access: everybody,
    type: connectionRef('Agent'),
    description: 'The Agents of the pool, the last registered first unless said otherwise.',
    args: { ...argsOf(many), ...pageArgs },
    resolve: (_root, args, context, info) => {
      const { where, orderBy } = decodeArgs(many, args);
      return rootPage('Agent', { args, order: orderBy, oneOf: [agentsWhere(context.prisma, where)] }, context, info);
    },
  }),
}));
