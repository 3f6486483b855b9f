import { noUsage, usageOfSessions } from '../../work/log/queries.ts';
import { batched } from '../graphql/batch.ts';
import { builder, modelRef } from '../graphql/builder.ts';
import { relatedPage } from '../graphql/connection.ts';
import type { Order } from '../graphql/page.ts';

const byIndex: Order = { name: 'turn', columns: { index: 'integer' }, direction: 'desc' };
const byCapture: Order = { name: 'snapshot', columns: { capturedAt: 'time', id: 'uuid' }, direction: 'desc' };

builder.prismaObjectFields(modelRef('Session'), (t) => ({
  turns: t.field(
    relatedPage<'Session'>('turns', {
      model: 'Turn',
      order: byIndex,
      description: 'Turns of the Session, newest first.',
    }),
  ),
  messages: t.field(
    relatedPage<'Session'>('messages', {
      model: 'Message',
      order: { name: 'message', columns: { sequence: 'integer' }, direction: 'desc' },
      description: 'The log, newest Message first; `last: n` returns the oldest n.',
      without: 'content',
      numbered: 'sequence',
    }),
  ),
  decisions: t.relation('decisions', {
    listSize: 100,
    query: { orderBy: [{ recordedAt: 'asc' }, { id: 'asc' }] },
    description: 'Decisions of the Session, oldest first.',
  }),
  tasks: t.relation('tasks', {
    listSize: 100,
    query: { orderBy: { position: 'asc' } },
    description: 'The current list of Tasks, in order.',
  }),
  snapshots: t.field(
    relatedPage<'Session'>('snapshots', {
      model: 'ContextSnapshot',
      order: byCapture,
      description: "Snapshots of what the Session's Agents could see, newest first.",
    }),
  ),
  usage: t.field({
    type: 'Usage',
    description: 'Tokens of all Turns; 0 where none was reported.',
    resolve: async ({ id }, _args, context, info) =>
      (await batched(context, info, id, (ids) => usageOfSessions(context.pool, ids))) ?? noUsage,
  }),
}));

builder.prismaObjectFields(modelRef('AgentSession'), (t) => ({
  turns: t.field(
    relatedPage<'AgentSession'>('turns', {
      model: 'Turn',
      order: byIndex,
      description: 'The Turns of this tenure, newest first.',
    }),
  ),
  snapshots: t.field(
    relatedPage<'AgentSession'>('snapshots', {
      model: 'ContextSnapshot',
      order: byCapture,
      description: 'Snapshots of what the Agent could see, newest first.',
    }),
  ),
  latestSnapshot: t.field({
    type: modelRef('ContextSnapshot'),
    nullable: true,
    description: 'The newest of `snapshots`; null for a Session without Snapshots.',
    select: (_args, _context, nested) => ({
      snapshots: nested({ orderBy: [{ capturedAt: 'desc' }, { id: 'desc' }], take: 1 }),
    }),
    resolve: ({ snapshots }) => snapshots[0] ?? null,
  }),
}));
