import { queryFromInfo } from '@pothos/plugin-prisma';
import { z } from 'zod';
import { builder, modelRef } from '../graphql/builder.ts';
import { batched } from '../graphql/batch.ts';
import { decodeArgs, integer, withDefault } from '../graphql/input/schemas.ts';
import { argsOf } from '../graphql/input/types.ts';
import { visibleToolCalls } from './queries.ts';

const SnapshotType = builder.enumType('SnapshotType', {
  description: 'The moment that a ContextSnapshot was taken at.',
  values: {
    SESSION_START: { description: 'A tenure began.' },
    HANDOFF_INITIATED: { description: 'A Handoff was started.' },
    TRUNCATION: { description: "The Agent's window had been cut." },
    CHECKPOINT: { description: 'Somebody asked for it.' },
  },
});

const MessageCounts = builder.objectRef<Record<'userCount' | 'assistantCount' | 'systemCount' | 'toolCount' | 'handoffCount', number>>('MessageCounts');
MessageCounts.implement({
  access: 'inherit',
  description: 'How many Messages there are of each role.',
  fields: (t) => ({
    user: t.exposeInt('userCount', { description: 'Of people.' }),
    assistant: t.exposeInt('assistantCount', { description: 'Of Agents.' }),
    system: t.exposeInt('systemCount', { description: 'Of whoever set the task.' }),
    tool: t.exposeInt('toolCount', { description: 'Of tools.' }),
    handoff: t.exposeInt('handoffCount', { description: 'Marks of Handoffs.' }),
    total: t.int({
      description: 'Of all roles.',
      resolve: (counts) => counts.userCount + counts.assistantCount + counts.systemCount + counts.toolCount + counts.handoffCount,
    }),
  }),
});

const visibleArgs = z.object({ first: withDefault(integer(0, 100), 50).describe('The last so many, 0 to 100.') });

builder.prismaNode('ContextSnapshot', {
  access: 'inherit',
  id: { field: 'id' },
  nullable: true,
  select: { id: true },
  description: 'What an Agent could see of a Session at a moment: a range of its log.',
  fields: (t) => ({
    type: t.expose('type', { type: SnapshotType }),
    session: t.relation('session', { description: 'The Session that it shows.' }),
    agentSession: t.relation('agentSession', { nullable: true, description: 'The tenure that it was taken in; null when nobody held the Session.' }),
    sequenceStart: t.exposeInt('sequenceStart'),
    sequenceEnd: t.exposeInt('sequenceEnd'),
    messageCounts: t.field({
      type: MessageCounts,
      description: 'How many Messages were visible, by role.',
      select: { userCount: true, assistantCount: true, systemCount: true, toolCount: true, handoffCount: true },
      resolve: (counts) => counts,
    }),
    visibleToolCalls: t.field({
      type: [modelRef('ToolCall')],
      description: 'The ToolCalls that were visible, the last first.',
      args: argsOf(visibleArgs),
      resolve: async ({ id }, args, context, info) => {
        const { first } = decodeArgs(visibleArgs, args);
        // For every snapshot, though one of the queries is sent: it also tells the fields below what was loaded.
        const query = queryFromInfo({ context, info, typeName: 'ToolCall', select: { id: true } });
        const found = await batched(context, info, id, (ids) => visibleToolCalls(context, ids, first, query));
        return found ?? [];
      },
    }),
    visibleToolCallCount: t.int({
      description: 'How many ToolCalls were visible.',
      select: { callStart: true, callEnd: true },
      resolve: ({ callStart, callEnd }) => Math.max(0, callEnd - callStart + 1),
    }),
    tokenEstimate: t.exposeInt('tokenEstimate'),
    capturedAt: t.expose('capturedAt', { type: 'DateTime', description: 'When it was taken.' }),
  }),
});
