import { builder, modelRef } from '../graphql/builder.ts';
import { batched } from '../graphql/batch.ts';
import { relatedPage } from '../graphql/connection.ts';
import type { Order } from '../graphql/page.ts';
import { noUsage, usageOfSessions } from './queries.ts';

const byIndex: Order = { name: 'turn', columns: { index: 'integer' }, direction: 'desc' };
const byCapture: Order = { name: 'snapshot', columns: { capturedAt: 'time', id: 'uuid' }, direction: 'desc' };

builder.prismaObjectFields(modelRef('Session'), (t) => ({
  turns: t.field(relatedPage<'Session'>('turns', { model: 'Turn', order: byIndex, description: 'Its Turns, the last first.' })),
  messages: t.field(
    relatedPage<'Session'>('messages', {
      model: 'Message',
      order: { name: 'message', columns: { sequence: 'integer' }, direction: 'desc' },
      description: 'Its log, the last Message first; `last: n` gives the first n.',
    }),
  ),
  decisions: t.relation('decisions', {
    listSize: 100,
    query: { orderBy: [{ recordedAt: 'asc' }, { id: 'asc' }] },
    description: 'What was settled in it, the first first.',
  }),
  tasks: t.relation('tasks', { listSize: 100, query: { orderBy: { position: 'asc' } }, description: 'Its present list of things to do, in order.' }),
  snapshots: t.field(
    relatedPage<'Session'>('snapshots', {
      model: 'ContextSnapshot',
      order: byCapture,
      description: 'What its Agents could see at the moments that matter, the last first.',
    }),
  ),
  usage: t.field({
    type: 'Usage',
    description: 'The tokens of all its Turns; 0 where none reported any.',
    resolve: async ({ id }, _args, context, info) =>
      (await batched(context, info, id, (ids) => usageOfSessions(context.pool, ids))) ?? noUsage,
  }),
}));

builder.prismaObjectFields(modelRef('AgentSession'), (t) => ({
  turns: t.field(
    relatedPage<'AgentSession'>('turns', { model: 'Turn', order: byIndex, description: 'The Turns of this tenure, the last first.' }),
  ),
  snapshots: t.field(
    relatedPage<'AgentSession'>('snapshots', {
      model: 'ContextSnapshot',
      order: byCapture,
      description: 'What the Agent could see at the moments that matter, the last first.',
    }),
  ),
  latestSnapshot: t.field({
    type: modelRef('ContextSnapshot'),
    nullable: true,
    description: 'The last of `snapshots`; null when none was taken.',
    select: (_args, _context, nested) => ({
      snapshots: nested({ orderBy: [{ capturedAt: 'desc' }, { id: 'desc' }], take: 1 }),
    }),
    resolve: ({ snapshots }) => snapshots[0] ?? null,
  }),
}));
