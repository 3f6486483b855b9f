import { z } from 'zod';
import { countCounts, type HandoffCount, pageOfCounts } from '../../work/learning/handoffCounts.ts';
import { people } from '../access/roles.ts';
import { builder } from '../graphql/builder.ts';
import { type Connection, connectionOf, pageArgs } from '../graphql/connection.ts';
import { partOfRecord } from '../graphql/declared.ts';
import { agentId, decodeArgs, inputObject, instant, optional, whereOf } from '../graphql/input/schemas.ts';
import { argsOf } from '../graphql/input/types.ts';
import { cutPage, encodeCursor, type Order, type PageOfRows, sqlPage } from '../graphql/page.ts';
import { agentField, StatusCount } from './graphSchema.ts';

const order: Order = {
  name: 'handoffcount',
  columns: { day: 'time', sourceAgentId: 'slug', targetAgentId: 'slug' },
  direction: 'desc',
};

const Count = builder.objectRef<HandoffCount>('HandoffCount').implement({
  access: 'inherit',
  description:
    'The Handoffs from one Agent to another that were started on one day (UTC), those of pruned Sessions included.',
  fields: (t) => ({
    day: t.expose('day', { type: 'DateTime', description: 'Beginning of the day (UTC).' }),
    source: agentField(t, 'The source Agent.', ({ sourceAgentId }) => sourceAgentId),
    target: agentField(t, 'The target Agent.', ({ targetAgentId }) => targetAgentId),
    count: t.exposeInt('count', { description: 'Number of Handoffs, at least 1.' }),
    byStatus: t.field({
      type: [StatusCount],
      listSize: partOfRecord,
      description:
        'Number of Handoffs by their present status, for each status that occurs. A pruned Handoff has its last one.',
      resolve: ({ byStatus }) => byStatus,
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

const countFilter = inputObject(
  'HandoffCountFilter',
  'Filters the counts. Every given condition must match.',
  z.object({
    agentId: optional(agentId).describe('Handoffs from or to this Agent.'),
    sourceAgentId: optional(agentId).describe('Handoffs from this Agent.'),
    targetAgentId: optional(agentId).describe('Handoffs to this Agent.'),
    from: optional(instant).describe('Handoffs started on the day (UTC) of this time, or later.'),
    until: optional(instant).describe('Handoffs started on the day (UTC) of this time, or earlier.'),
  }),
);
const many = z.object({ where: whereOf(countFilter).describe('Filter. Null: all days and pairs.') });

builder.queryField('handoffCounts', (t) =>
  t.field({
    access: people,
    type: connectionOf('HandoffCount', Count),
    description:
      'Counts Handoffs by day (UTC) and pair of Agents, newest day first. Handoffs of pruned Sessions stay counted; those of unassigned Sessions are not counted.',
    args: { ...argsOf(many), ...pageArgs },
    resolve: (_root, args, { pool }): Connection => {
      const filter = decodeArgs(many, args).where;
      sqlPage(args, order, 0);
      let found: Promise<PageOfRows<HandoffCount>> | undefined;
      const find = async (): Promise<PageOfRows<HandoffCount>> =>
        cutPage(await pageOfCounts(pool, filter, (given) => sqlPage(args, order, given)), args);
      return {
        cursor: (row) => encodeCursor(order, row),
        page: () => (found ??= find()),
        totalCount: () => countCounts(pool, filter),
      };
    },
  }),
);
