import { z } from 'zod';
import {
  type Graph as Counted,
  type GraphEdge,
  type GraphNode,
  handoffGraph,
} from '../../work/learning/handoffGraph.ts';
import { everybody } from '../access/roles.ts';
import { agentNamed } from '../graphql/agentNamed.ts';
import { builder, modelRef, type Types } from '../graphql/builder.ts';
import { partOfRecord } from '../graphql/declared.ts';
import { HandoffStatus } from '../graphql/enums.ts';
import {
  agentId,
  decodeArgs,
  idOf,
  inputObject,
  instant,
  integer,
  optional,
  project,
  whereOf,
} from '../graphql/input/schemas.ts';
import { argsOf } from '../graphql/input/types.ts';

export const StatusCount = builder.objectRef<GraphEdge['byStatus'][number]>('HandoffStatusCount').implement({
  access: 'inherit',
  description: 'Number of Handoffs with one status.',
  fields: (t) => ({
    status: t.expose('status', { type: HandoffStatus, description: 'The status.' }),
    count: t.exposeInt('count', { description: 'Number of Handoffs, at least 1.' }),
  }),
});

export const agentField = <Parent>(
  t: PothosSchemaTypes.ObjectFieldBuilder<Types, Parent>,
  description: string,
  idIn: (parent: Parent) => string,
) =>
  t.field({
    type: modelRef('Agent'),
    description,
    resolve: (parent, _args, context, info) => agentNamed(idIn(parent), context, info),
  });

const Edge = builder.objectRef<GraphEdge>('HandoffGraphEdge').implement({
  access: 'inherit',
  description: 'The Handoffs from one Agent to another.',
  fields: (t) => ({
    source: agentField(t, 'The source Agent.', ({ source }) => source),
    target: agentField(t, 'The target Agent.', ({ target }) => target),
    count: t.exposeInt('count', { description: 'Number of Handoffs.' }),
    byStatus: t.field({
      type: [StatusCount],
      listSize: partOfRecord,
      description: 'Number of Handoffs by status, for each status that occurs.',
      resolve: ({ byStatus }) => byStatus,
    }),
    medianAcceptMs: t.exposeFloat('medianAcceptMs', {
      nullable: true,
      description:
        'Median time from start to acceptance, in milliseconds; null when none was accepted. Of the newest 10,000 Handoffs of the pair.',
    }),
    p90AcceptMs: t.exposeFloat('p90AcceptMs', {
      nullable: true,
      description:
        '90th percentile of the time from start to acceptance, in milliseconds; null when none was accepted. Of the newest 10,000 Handoffs of the pair.',
    }),
    medianCompleteMs: t.exposeFloat('medianCompleteMs', {
      nullable: true,
      description:
        'Median time from start to completion (taken over), in milliseconds; null when none was completed. Of the newest 10,000 Handoffs of the pair.',
    }),
    successRate: t.exposeFloat('successRate', {
      nullable: true,
      description: 'Completed Handoffs divided by closed ones: 0 to 1; null when none is closed.',
    }),
    bouncedBack: t.exposeInt('bouncedBack', {
      description: 'Number of Handoffs after which the source held the Session again as one of its next two holders.',
    }),
  }),
});

const Node = builder.objectRef<GraphNode>('HandoffGraphNode').implement({
  access: 'inherit',
  description: 'An Agent of the graph.',
  fields: (t) => ({
    agent: agentField(t, 'The Agent.', ({ agent }) => agent),
    received: t.exposeInt('received', {
      description: 'Number of counted Handoffs to the Agent, also of pairs that `first` leaves out.',
    }),
    given: t.exposeInt('given', {
      description: 'Number of counted Handoffs from the Agent, also of pairs that `first` leaves out.',
    }),
  }),
});

const Graph = builder.objectRef<Counted>('HandoffGraph').implement({
  access: 'inherit',
  description: 'Agents and the Handoffs between them. Excludes Handoffs of unassigned Sessions.',
  fields: (t) => ({
    nodes: t.field({
      type: [Node],
      listSize: 100,
      description: 'The Agents of the edges, ordered by id.',
      resolve: ({ nodes }) => nodes,
    }),
    edges: t.field({
      type: [Edge],
      listSize: 100,
      description: 'Pairs of Agents, most Handoffs first.',
      resolve: ({ edges }) => edges,
    }),
    pairCount: t.exposeInt('pairCount', { description: 'Number of all pairs, also of those that `first` leaves out.' }),
    agentCount: t.exposeInt('agentCount', { description: 'Number of the Agents of all pairs.' }),
    handoffCount: t.exposeInt('handoffCount', { description: 'Number of the Handoffs of all pairs.' }),
  }),
});

const graphFilter = inputObject(
  'HandoffGraphFilter',
  'Filters the counted Handoffs. Every given condition must match.',
  z.object({
    sessionId: optional(idOf('session')).describe('Handoffs of this Session.'),
    project: optional(project).describe('Handoffs of the Sessions of this project.'),
    agentId: optional(agentId).describe('Handoffs from or to this Agent.'),
    initiatedAfter: optional(instant).describe('Handoffs started after this time.'),
    initiatedBefore: optional(instant).describe('Handoffs started before this time.'),
  }),
);
const graphArgs = z.object({
  where: whereOf(graphFilter).describe('Filter. Null: all Handoffs.'),
  first: optional(integer(0, 10_000)).describe(
    'Returns the N pairs with the most Handoffs (0 to 10,000). Null: all pairs.',
  ),
});

builder.queryField('handoffGraph', (t) =>
  t.field({
    access: everybody,
    cost: 50,
    type: Graph,
    description:
      'Returns the Agents and the number and outcome of the Handoffs between them. Counts only Handoffs that the caller may read.',
    args: argsOf(graphArgs),
    resolve: (_root, args, { pool, caller }) => {
      const { where, first } = decodeArgs(graphArgs, args);
      return handoffGraph(pool, where, first, caller);
    },
  }),
);
