import { queryFromInfo } from '@pothos/plugin-prisma';
import { z } from 'zod';
import { visibleToolCalls } from '../../work/log/queries.ts';
import { batched } from '../graphql/batch.ts';
import { builder, modelRef } from '../graphql/builder.ts';
import { decodeArgs, integer, withDefault } from '../graphql/input/schemas.ts';
import { argsOf } from '../graphql/input/types.ts';

const SnapshotType = builder.enumType('SnapshotType', {
  description: 'Occasions of a ContextSnapshot.',
  values: {
    SESSION_START: { description: 'A tenure began.' },
    HANDOFF_INITIATED: { description: 'A Handoff was started.' },
    TRUNCATION: { description: "The Agent's window was cut." },
    CHECKPOINT: { description: 'A caller requested it.' },
  },
});

const MessageCounts =
  builder.objectRef<Record<'userCount' | 'assistantCount' | 'systemCount' | 'toolCount' | 'handoffCount', number>>(
    'MessageCounts',
  );
MessageCounts.implement({
  access: 'inherit',
  description: 'Number of Messages by role.',
  fields: (t) => ({
    user: t.exposeInt('userCount', { description: 'Messages of people.' }),
    assistant: t.exposeInt('assistantCount', { description: 'Messages of Agents.' }),
    system: t.exposeInt('systemCount', { description: 'Messages that set the agent its task.' }),
    tool: t.exposeInt('toolCount', { description: 'Messages of tools.' }),
    handoff: t.exposeInt('handoffCount', { description: 'Messages that mark a Handoff.' }),
    total: t.int({
      description: 'Messages of all roles.',
      resolve: (counts) =>
        counts.userCount + counts.assistantCount + counts.systemCount + counts.toolCount + counts.handoffCount,
    }),
  }),
});

const visibleArgs = z.object({
  first: withDefault(integer(0, 100), 50).describe('Returns the newest N calls (0 to 100).'),
});

builder.prismaNode('ContextSnapshot', {
  access: 'inherit',
  id: { field: 'id' },
  nullable: true,
  select: { id: true },
  description: 'What an Agent could see of a Session at one moment: a range of its log.',
  fields: (t) => ({
    type: t.expose('type', { type: SnapshotType }),
    session: t.relation('session', { description: 'The Session of the snapshot.' }),
    agentSession: t.relation('agentSession', {
      nullable: true,
      description: 'The tenure at the time of the snapshot; null when the Session was unassigned.',
    }),
    sequenceStart: t.exposeInt('sequenceStart'),
    sequenceEnd: t.exposeInt('sequenceEnd'),
    messageCounts: t.field({
      type: MessageCounts,
      description: 'Number of visible Messages by role.',
      select: { userCount: true, assistantCount: true, systemCount: true, toolCount: true, handoffCount: true },
      resolve: (counts) => counts,
    }),
    visibleToolCalls: t.field({
      type: [modelRef('ToolCall')],
      description: 'The visible ToolCalls, newest first.',
      args: argsOf(visibleArgs),
      resolve: async ({ id }, args, context, info) => {
        const { first } = decodeArgs(visibleArgs, args);
        // Needed for every snapshot, although one query is sent: it also records what was loaded for the fields below.
        const query = queryFromInfo({ context, info, typeName: 'ToolCall', select: { id: true } });
        const found = await batched(context, info, id, (ids) => visibleToolCalls(context, ids, first, query));
        return found ?? [];
      },
    }),
    visibleToolCallCount: t.int({
      description: 'Number of visible ToolCalls.',
      select: { callStart: true, callEnd: true },
      resolve: ({ callStart, callEnd }) => Math.max(0, callEnd - callStart + 1),
    }),
    tokenEstimate: t.exposeInt('tokenEstimate'),
    capturedAt: t.expose('capturedAt', { type: 'DateTime', description: 'Time of the snapshot.' }),
  }),
});
