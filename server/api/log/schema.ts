import { queryFromInfo } from '@pothos/plugin-prisma';
import type { GraphQLResolveInfo } from 'graphql';
import { z } from 'zod';
import type { Workspace } from '../../work/context/derive/log.ts';
import {
  type CallLine,
  callsAfterMessages,
  eventsAfterMessages,
  eventsInGap,
  linesOfCalls,
  reportedUsage,
} from '../../work/log/queries.ts';
import { batched } from '../graphql/batch.ts';
import { builder, modelRef } from '../graphql/builder.ts';
import { withoutColumns } from '../graphql/connection.ts';
import type { GraphQLContext } from '../graphql/context.ts';
import { MessageKind, MessageRole, TaskStatus } from '../graphql/enums.ts';
import { decodeArgs, integer, withDefault } from '../graphql/input/schemas.ts';
import { argsOf } from '../graphql/input/types.ts';
import { largeColumn } from '../graphql/largeColumn.ts';

builder.objectType('Usage', {
  access: 'inherit',
  description: 'Tokens that models reported. Integers; sums may exceed 32 bits.',
  fields: (t) => ({
    inputTokens: t.exposeFloat('inputTokens', {
      nullable: true,
      description: 'Input tokens that were not cached; null when not reported.',
    }),
    outputTokens: t.exposeFloat('outputTokens', {
      nullable: true,
      description: 'Output tokens; null when not reported.',
    }),
    cacheCreationInputTokens: t.exposeFloat('cacheCreationInputTokens', {
      nullable: true,
      description: 'Input tokens written to a cache; null when not reported.',
    }),
    cacheReadInputTokens: t.exposeFloat('cacheReadInputTokens', {
      nullable: true,
      description: 'Input tokens read from a cache; null when not reported.',
    }),
    model: t.exposeString('model', {
      nullable: true,
      description: 'Name of the model; null when not reported, or when several were used.',
    }),
  }),
});

builder.objectType('WorkingTree', {
  access: 'inherit',
  description: 'State of the repository in which the work is done, as it was recorded last.',
  fields: (t) => ({
    branch: t.exposeString('branch', { nullable: true, description: 'The git branch; null when unknown.' }),
    commit: t.exposeString('commit', { nullable: true, description: 'The last git commit; null when unknown.' }),
    status: t.exposeString('status', {
      description: 'Lines of `git status --porcelain`; empty when nothing was changed since the commit.',
    }),
    diffstat: t.exposeString('diffstat', { description: 'Lines of `git diff --stat HEAD`.' }),
    takenAt: t.field({
      type: 'DateTime',
      description: 'Time at which it was recorded.',
      resolve: ({ takenAt }) => new Date(takenAt),
    }),
    agentId: t.exposeID('agentId', {
      nullable: true,
      description: 'Id of the Agent that held the Session then; null when none did.',
    }),
  }),
});

builder.objectType('Workspace', {
  access: 'inherit',
  description: 'Folder, branch and last commit. Of a Session also machine and repository.',
  fields: (t) => ({
    id: t.id({
      nullable: true,
      description: 'Id of machine and folder, by which Sessions are filtered; null in Turns and Handoffs.',
      resolve: ({ id }) => id ?? null,
    }),
    host: t.string({
      nullable: true,
      description: 'Name of the machine; null when unknown.',
      resolve: ({ host }) => host ?? null,
    }),
    repository: t.string({
      nullable: true,
      description: 'Address of the repository without credentials; null when unknown.',
      resolve: ({ repository }) => repository ?? null,
    }),
    folder: t.exposeString('folder', { nullable: true, description: 'The working folder; null when unknown.' }),
    branch: t.exposeString('branch', {
      nullable: true,
      description: 'The git branch; null when unknown, or when none is checked out.',
    }),
    commit: t.exposeString('commit', {
      nullable: true,
      description: 'The last git commit, full or shortened; null when unknown.',
    }),
  }),
});

builder.prismaNode('Turn', {
  access: 'inherit',
  id: { field: 'id' },
  nullable: true,
  select: { id: true },
  description: 'One round of an Agent: its Messages, ToolCalls and tokens.',
  fields: (t) => ({
    index: t.exposeInt('index'),
    session: t.relation('session', { description: 'The Session of this record.' }),
    agentSession: t.relation('agentSession', {
      nullable: true,
      description:
        'The tenure of the Turn; null when it holds only USER or SYSTEM Messages, or was imported while the Session was unassigned.',
    }),
    messages: t.field({
      type: [modelRef('Message')],
      listSize: 50,
      description: 'Messages of the Turn, in order.',
      select: (_args, _context, nested) => ({
        messages: withoutColumns(nested({ orderBy: { sequence: 'asc' } }), 'content'),
      }),
      resolve: ({ messages }) => messages,
    }),
    toolCalls: t.field({
      type: [modelRef('ToolCall')],
      listSize: 50,
      description: 'ToolCalls of the Turn, in order.',
      select: (_args, _context, nested) => ({
        toolCalls: withoutColumns(nested({ orderBy: { index: 'asc' } }), 'result', 'error'),
      }),
      resolve: ({ toolCalls }) => toolCalls,
    }),
    usage: t.field({
      type: 'Usage',
      nullable: true,
      description: 'Token usage; null when not reported.',
      select: {
        inputTokens: true,
        outputTokens: true,
        cacheCreationInputTokens: true,
        cacheReadInputTokens: true,
        model: true,
      },
      resolve: reportedUsage,
    }),
    workspace: t.field({
      type: 'Workspace',
      nullable: true,
      description: 'Folder, branch and commit after the Turn; null when not reported.',
      select: { workspace: true },
      resolve: ({ workspace }) => workspace as Workspace | null,
    }),
    truncated: t.exposeBoolean('truncated'),
    startedAt: t.expose('startedAt', {
      type: 'DateTime',
      description: 'Time at which the Turn began; the time of recording when the source does not say.',
    }),
  }),
});

const callsArgs = z.object({
  first: withDefault(integer(0, 100), 50).describe('Returns the first N calls (0 to 100).'),
  after: withDefault(integer(0), 0).describe('Returns the calls with a greater `index`.'),
});

builder.prismaNode('Message', {
  access: 'inherit',
  id: { field: 'id' },
  nullable: true,
  select: { id: true },
  description: "An entry of a Session's log.",
  fields: (t) => ({
    sequence: t.exposeInt('sequence'),
    role: t.expose('role', { type: MessageRole, description: 'Author of the Message.' }),
    kind: t.expose('kind', {
      type: MessageKind,
      description:
        'Kind of the Message: TEXT unless the caller or the transcript says otherwise. Messages older than this field are TEXT.',
    }),
    content: t.exposeString('content', {
      description: 'Text of the Message.',
      extensions: { readMissing: largeColumn('messages', 'content') },
    }),
    session: t.relation('session', { description: 'The Session of this record.' }),
    agentSession: t.relation('agentSession', {
      nullable: true,
      description: 'The tenure of the Message; null when it belongs to no Agent.',
    }),
    turn: t.relation('turn', { nullable: true, description: 'The Turn of the Message; null for HANDOFF.' }),
    handoff: t.relation('handoff', {
      nullable: true,
      description: 'The Handoff that the Message marks; null unless the role is HANDOFF.',
    }),
    toolCalls: t.field({
      type: [modelRef('ToolCall')],
      description:
        'ToolCalls between this Message and the next, in order: those that it made, and those made after it without a Message. Those of the first Message include calls before it.',
      args: argsOf(callsArgs),
      resolve: async ({ id }, args, context, info) => {
        const page = decodeArgs(callsArgs, args);
        // Needed for every Message, although one query is sent: it also records what was loaded for the fields below.
        const query = queryFromInfo({ context, info, typeName: 'ToolCall', select: { id: true } });
        const found = await batched(context, info, id, (ids) =>
          callsAfterMessages(context, ids, page, withoutColumns(query, 'result', 'error')),
        );
        return found ?? [];
      },
    }),
    events: t.field({
      type: [modelRef('Event')],
      listSize: 2,
      cost: 2,
      description: `Events between this Message and the next that have no Message of their own, oldest first: SESSION_STATUS_CHANGED, SESSION_RETURNED, SESSION_UNASSIGNED, SESSION_QUEUED, SESSION_STUCK, HANDOFF_TIMED_OUT, HANDOFF_PROPOSED_FOR_APPROVAL, HANDOFF_APPROVED, HANDOFF_DECLINED, QUESTION_ASKED, QUESTION_ANSWERED, and SESSION_REASSIGNED without a Handoff. Those of the first Message include Events before it. At most the newest ${eventsInGap}.`,
      resolve: async ({ id }, _args, context, info) => {
        const query = queryFromInfo({ context, info, typeName: 'Event', select: { id: true } });
        return (await batched(context, info, id, (ids) => eventsAfterMessages(context, ids, query))) ?? [];
      },
    }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      description: 'Time of the Message; the time of recording when the source does not say.',
    }),
    recordedBy: t.field({
      type: 'Actor',
      nullable: true,
      description:
        'The caller that recorded the Message. A USER Message recorded by role AGENT was written by an Agent, not by a person. Null for Messages older than this field.',
      select: { recordedBy: true, recordedRole: true },
      resolve: ({ recordedBy, recordedRole }) =>
        recordedBy === null ? null : { actorPrincipal: recordedBy, actorRole: recordedRole },
    }),
  }),
});

const ToolCallStatus = builder.enumType('ToolCallStatus', {
  description: 'Statuses of a ToolCall.',
  values: {
    PENDING: { description: 'No outcome was recorded.' },
    SUCCEEDED: { description: 'It has a result.' },
    FAILED: { description: 'It has an error.' },
  },
});

/** Fields of one list share a statement. */
const lineOf = (id: string, context: GraphQLContext, { path }: GraphQLResolveInfo): Promise<CallLine | undefined> =>
  batched(context, { path: { prev: path.prev, key: '(line)', typename: undefined } }, id, (ids) =>
    linesOfCalls(context.pool, ids),
  );

builder.prismaNode('ToolCall', {
  access: 'inherit',
  id: { field: 'id' },
  nullable: true,
  select: { id: true },
  description: 'One call of a tool, made in a Turn.',
  fields: (t) => ({
    callId: t.exposeString('callId'),
    name: t.exposeString('name'),
    arguments: t.expose('arguments', {
      type: 'JSON',
      nullable: true,
      description: 'Arguments of the call; null when it has none.',
    }),
    result: t.exposeString('result', {
      nullable: true,
      extensions: { readMissing: largeColumn('tool_calls', 'result') },
    }),
    error: t.exposeString('error', { nullable: true, extensions: { readMissing: largeColumn('tool_calls', 'error') } }),
    filesModified: t.exposeStringList('filesModified'),
    status: t.field({
      type: ToolCallStatus,
      description: 'Whether the call has an outcome, and which.',
      resolve: async ({ id }, _args, context, info) => (await lineOf(id, context, info))!.status,
    }),
    argument: t.string({
      nullable: true,
      description:
        'The argument that says most, such as the command or the path, on one line of at most 300 characters; null when the call has none.',
      resolve: async ({ id }, _args, context, info) => (await lineOf(id, context, info))!.argument,
    }),
    durationMs: t.exposeInt('durationMs', {
      nullable: true,
      description: 'Time from the call to its outcome in milliseconds; null when the source does not say.',
    }),
    index: t.exposeInt('index'),
    sequence: t.exposeInt('sequence'),
    turn: t.relation('turn', { description: 'The Turn of the call.' }),
    message: t.relation('message', {
      nullable: true,
      description: 'The Message that made the call; null for a call that was recorded without a Message.',
    }),
  }),
});

builder.prismaNode('Decision', {
  access: 'inherit',
  id: { field: 'id' },
  nullable: true,
  select: { id: true },
  description: 'A decision recorded in a Session. Every later Handoff carries it.',
  fields: (t) => ({
    text: t.exposeString('text', { description: 'Text of the decision.' }),
    recordedAt: t.expose('recordedAt', { type: 'DateTime' }),
    agentSession: t.relation('agentSession', {
      nullable: true,
      description: 'The tenure in which it was recorded; null when the Session was unassigned.',
    }),
  }),
});

builder.prismaNode('Task', {
  access: 'inherit',
  id: { field: 'id' },
  nullable: true,
  select: { id: true },
  description: "An entry of a Session's current list of Tasks.",
  fields: (t) => ({
    position: t.exposeInt('position'),
    content: t.exposeString('content', { description: 'What is to be done.' }),
    status: t.expose('status', { type: TaskStatus, description: 'Status of the task.' }),
  }),
});
