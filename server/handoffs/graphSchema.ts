import { queryFromInfo } from '@pothos/plugin-prisma';
import { z } from 'zod';
import { batched } from '../graphql/batch.ts';
import { builder, modelRef, type Types } from '../graphql/builder.ts';
import { HandoffStatus } from '../graphql/enums.ts';
import { agentId, decodeArgs, idOf, instant, optional } from '../graphql/input.ts';
import { type GraphEdge, type GraphNode, handoffEdges, nodesOf } from './queries.ts';

const GraphFilter = builder.inputType('HandoffGraphFilter', {
  description: 'Which Handoffs count: those that meet everything that is given.',
  fields: (t) => ({
    sessionId: t.id({ description: 'Of this Session.' }),
    agentId: t.id({ description: 'From or to this Agent.' }),
    initiatedAfter: t.field({ type: 'DateTime', description: 'Started later than this.' }),
    initiatedBefore: t.field({ type: 'DateTime', description: 'Started earlier than this.' }),
  }),
});

const StatusCount = builder.objectRef<GraphEdge['byStatus'][number]>('HandoffStatusCount').implement({
  description: 'How many Handoffs have a status.',
  fields: (t) => ({
    status: t.expose('status', { type: HandoffStatus, description: 'The status.' }),
    count: t.exposeInt('count', { description: 'How many have it; at least 1.' }),
  }),
});

/** An Agent that several nodes or edges name is looked up once. */
const agentNamed = <Parent>(t: PothosSchemaTypes.ObjectFieldBuilder<Types, Parent>, description: string, idIn: (parent: Parent) => string) =>
  t.field({
    type: modelRef('Agent'),
    description,
    resolve: async (parent, _args, context, info) => {
      const id = idIn(parent);
      // For every one, though one of the queries is sent: it also tells the fields below what was loaded.
      const query = queryFromInfo({ context, info, typeName: 'Agent', select: { id: true } });
      const found = await batched(context, info, id, async (ids) => {
        const agents = await context.prisma.agent.findMany({ ...query, where: { id: { in: [...ids] } } });
        return new Map(agents.map((agent) => [agent.id, agent]));
      });
      return found ?? { id };
    },
  });

const Edge = builder.objectRef<GraphEdge>('HandoffGraphEdge').implement({
  description: 'The Handoffs from one Agent to another.',
  fields: (t) => ({
    source: agentNamed(t, 'Who handed off.', ({ source }) => source),
    target: agentNamed(t, 'Who was given the Sessions.', ({ target }) => target),
    count: t.exposeInt('count', { description: 'How many Handoffs there are.' }),
    byStatus: t.field({ type: [StatusCount], description: 'How many there are in each status that occurs.', resolve: ({ byStatus }) => byStatus }),
    medianAcceptMs: t.exposeFloat('medianAcceptMs', {
      nullable: true,
      description: 'The median time from start to acceptance, in milliseconds; null when none was accepted.',
    }),
  }),
});

const Node = builder.objectRef<GraphNode>('HandoffGraphNode').implement({
  description: 'An Agent that takes part.',
  fields: (t) => ({
    agent: agentNamed(t, 'The Agent.', ({ agent }) => agent),
    received: t.exposeInt('received', { description: 'How many of these Handoffs were to it.' }),
    given: t.exposeInt('given', { description: 'How many of these Handoffs were from it.' }),
  }),
});

const Graph = builder.objectRef<GraphEdge[]>('HandoffGraph').implement({
  description: 'Who handed off to whom. Handoffs of Sessions that nobody held are not in it.',
  fields: (t) => ({
    nodes: t.field({ type: [Node], description: 'The Agents that take part, by id.', resolve: nodesOf }),
    edges: t.field({ type: [Edge], description: 'The pairs of Agents, the most frequent first.', resolve: (edges) => edges }),
  }),
});

const graphFilter = z.object({
  sessionId: optional(idOf('session')),
  agentId: optional(agentId),
  initiatedAfter: optional(instant),
  initiatedBefore: optional(instant),
});
const graphArgs = z.object({ where: graphFilter.nullish().transform((where) => where ?? graphFilter.parse({})) });

builder.queryField('handoffGraph', (t) =>
  t.field({
    type: Graph,
    description: 'Who handed off to whom, how often, and with what end, of the Handoffs that you may read.',
    args: { where: t.arg({ type: GraphFilter, description: 'Which Handoffs count; all when null.' }) },
    resolve: (_root, args, { pool, caller }) => handoffEdges(pool, decodeArgs(graphArgs, args).where, caller),
  }),
);
