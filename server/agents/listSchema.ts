import { z } from 'zod';
import { builder, modelRef } from '../graphql/builder.ts';
import { connectionRef, pageArgs, rootPage } from '../graphql/connection.ts';
import { OrderDirection } from '../graphql/enums.ts';
import { agentId, agentType, decodeArgs, KB, optional, text } from '../graphql/input.ts';
import { directionOf, type Order } from '../graphql/page.ts';
import { agentsWhere } from './queries.ts';
import { AgentStatus } from './schema.ts';

const AgentFilter = builder.inputType('AgentFilter', {
  description: 'Which Agents: those that meet everything that is given.',
  fields: (t) => ({
    type: t.string({ description: 'Of this type, such as CLAUDE.' }),
    role: t.string({ description: 'With exactly this role.' }),
    status: t.field({ type: AgentStatus, description: 'Shown with this status.' }),
    hasCapacity: t.boolean({ description: 'True: AVAILABLE and with a free place. False: the others.' }),
    includeArchived: t.boolean({ defaultValue: false, description: 'Archived ones too.' }),
  }),
});

const AgentOrder = builder.inputType('AgentOrder', {
  description: 'How Agents are ordered; ties go by id.',
  fields: (t) => ({
    field: t.field({
      type: builder.enumType('AgentOrderField', {
        description: 'What Agents are ordered by.',
        values: {
          ID: { description: 'Their slug.' },
          LOAD: { description: 'How many Sessions they hold.' },
          REGISTERED_AT: { description: 'When they joined the pool.' },
        },
      }),
      required: true,
      description: 'What they are ordered by.',
    }),
    direction: t.field({ type: OrderDirection, defaultValue: 'DESC', description: 'Which end comes first.' }),
  }),
});

const columns = {
  ID: { id: 'slug' },
  LOAD: { currentLoad: 'integer', id: 'slug' },
  REGISTERED_AT: { registeredAt: 'time', id: 'slug' },
} as const;

const agentFilter = z.object({
  type: optional(agentType),
  role: optional(text({ bytes: KB })),
  status: optional(z.enum(['AVAILABLE', 'BUSY', 'DRAINING', 'OFFLINE'])),
  hasCapacity: optional(z.boolean()),
  includeArchived: optional(z.boolean()),
});
const agentsArgs = z.object({ where: agentFilter.nullish().transform((where) => where ?? agentFilter.parse({})) });

builder.queryFields((t) => ({
  agent: t.prismaField({
    type: modelRef('Agent'),
    nullable: true,
    description: 'The Agent with this slug, archived or not; null when there is none.',
    args: { id: t.arg.id({ required: true, description: "The Agent's slug." }) },
    resolve: (query, _root, args, { prisma }) =>
      prisma.agent.findUnique({ ...query, where: decodeArgs(z.object({ id: agentId }), args) }),
  }),
  agents: t.field({
    type: connectionRef('Agent'),
    description: 'The Agents of the pool, the last registered first unless said otherwise.',
    args: {
      where: t.arg({ type: AgentFilter, description: 'Which ones; all that are not archived when null.' }),
      orderBy: t.arg({ type: AgentOrder, description: 'In which order; the last registered first when null.' }),
      ...pageArgs,
    },
    resolve: (_root, args, context, info) => {
      const { where } = decodeArgs(agentsArgs, args);
      const field = args.orderBy?.field ?? 'REGISTERED_AT';
      const order: Order = { name: `agent ${field}`, columns: columns[field], direction: directionOf(args.orderBy?.direction) };
      return rootPage('Agent', { args, order, oneOf: [agentsWhere(context.prisma, where)] }, context, info);
    },
  }),
}));
