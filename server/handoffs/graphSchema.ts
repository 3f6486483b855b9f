import { queryFromInfo } from '@pothos/plugin-prisma';
import { z } from 'zod';
import { everybody } from '../access/roles.ts';
import { batched } from '../graphql/batch.ts';
import { builder, modelRef, type Types } from '../graphql/builder.ts';
import { partOfRecord } from '../graphql/declared.ts';
import { HandoffStatus } from '../graphql/enums.ts';
import { agentId, decodeArgs, idOf, inputObject, instant, optional, whereOf } from '../graphql/input/schemas.ts';
import { argsOf } from '../graphql/input/types.ts';
import { type GraphEdge, type GraphNode, handoffEdges, nodesOf } from './queries.ts';

const StatusCount = builder.objectRef<GraphEdge['byStatus'][number]>('HandoffStatusCount').implement({
  access: 'inherit',
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
  access: 'inherit',
  description: 'The Handoffs from one Agent to another.',
  fields: (t) => ({
    source: agentNamed(t, 'Who handed off.', ({ source }) => source),
    target: agentNamed(t, 'Who was given the Sessions.', ({ target }) => target),
    count: t.exposeInt('count', { description: 'How many Handoffs there are.' }),
    byStatus: t.field({ type: [StatusCount], listSize: partOfRecord, description: 'How many there are in each status that occurs.', resolve: ({ byStatus }) => byStatus }),
    medianAcceptMs: t.exposeFloat('medianAcceptMs', {
      nullable: true,
      description: 'The median time from start to acceptance, in milliseconds; null when none was accepted.',
    }),
  }),
});

const Node = builder.objectRef<GraphNode>('HandoffGraphNode').implement({
  access: 'inherit',
  description: 'An Agent that takes part.',
  fields: (t) => ({
    agent: agentNamed(t, 'The Agent.', ({ agent }) => agent),
    received: t.exposeInt('received', { description: 'How many of these Handoffs were to it.' }),
    given: t.exposeInt('given', { description: 'How many of these Handoffs were from it.' }),
  }),
});

const Graph = builder.objectRef<GraphEdge[]>('HandoffGraph').implement({
  access: 'inherit',
  description: 'Who handed off to whom. Handoffs of Sessions that nobody held are not in it.',
  fields: (t) => ({
    nodes: t.field({ type: [Node], listSize: 100, description: 'The Agents that take part, by id.', resolve: nodesOf }),
    edges: t.field({ type: [Edge], listSize: 100, description: 'The pairs of Agents, the most frequent first.', resolve: (edges) => edges }),
  }),
});

const graphFilter = inputObject(
  'HandoffGraphFilter',
  'Which Handoffs count: those that meet everything that is given.',
  z.object({
    sessionId: optional(idOf('session')).describe('Of this Session.'),
    agentId: optional(agentId).describe('From or to this Agent.'),
    initiatedAfter: optional(instant).describe('Started later than this.'),
    initiatedBefore: optional(instant).describe('Started earlier than this.'),
  }),
);
const graphArgs = z.object({ where: whereOf(graphFilter).describe('Which Handoffs count; all when null.') });

builder.queryField('handoffGraph', (t) =>
  t.field({
    access: everybody,
    cost: 50,
    type: Graph,
    description: 'Who handed off to whom, how often, and with what end, of the Handoffs that you may read.',
    args: argsOf(graphArgs),
    resolve: (_root, args, { pool, caller }) => handoffEdges(pool, decodeArgs(graphArgs, args).where, caller),
  }),
);
