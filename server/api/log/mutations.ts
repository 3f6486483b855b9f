import { z } from 'zod';
import { IdempotencyMismatchError, InvalidStateError, LimitExceededError, NotFoundError } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { captureSnapshot, recordDecision, recordWorkingTree, setTasks } from '../../work/log/addToLog.ts';
import { appendTurn } from '../../work/log/appendTurn.ts';
import { recordToolResults } from '../../work/log/recordToolResults.ts';
import { workers } from '../access/roles.ts';
import { modelRef } from '../graphql/builder.ts';
import { MessageKind, MessageRole, TaskStatus } from '../graphql/enums.ts';
import {
  agentId,
  content,
  idOf,
  inputObject,
  integer,
  json,
  KB,
  keyField,
  listOf,
  nonBlank,
  oneOf,
  optional,
  showAs,
  text,
  withDefault,
} from '../graphql/input/schemas.ts';
import { mutation, sessionOf } from '../graphql/mutation.ts';

const sessionId = idOf('session').describe('The Session to write to. It must not be finished.');
const place = optional(nonBlank({ bytes: KB }));
const count = optional(integer(0));
const name = nonBlank({ characters: 200 });
const outcome = optional(content);

const message = inputObject(
  'NewMessageInput',
  'A Message to record.',
  z.object({
    role: showAs(
      z.enum(['USER', 'ASSISTANT', 'SYSTEM', 'TOOL'], {
        message: 'is HANDOFF, which is reserved for Baton: give USER, ASSISTANT, SYSTEM or TOOL',
      }),
      { type: MessageRole },
    ).describe('Author: USER, ASSISTANT, SYSTEM or TOOL. HANDOFF is reserved for Baton.'),
    content: content.describe('Text of the Message: at most 256 KB.'),
    // Undefined instead of null: the input hash of a message without a kind must stay the same as in older versions.
    kind: optional(oneOf(MessageKind))
      .transform((given) => given ?? undefined)
      .describe('Kind of the Message; null for TEXT.'),
  }),
);

const callId = showAs(nonBlank({ characters: 200 }), { type: 'ID' });
const filesModified = optional(
  listOf(nonBlank({ bytes: 4 * KB }), {
    what: 'files of a tool call',
    limit: limits.counts.filesOfToolCall,
    advice: 'name the most important ones',
  }),
);

const toolCall = inputObject(
  'NewToolCallInput',
  'A tool call of the Turn, with its outcome.',
  z
    .object({
      callId: callId.describe('Id that the model gave the call: 1 to 200 characters, unique in the Turn.'),
      name: name.describe('Name of the tool: 1 to 200 characters.'),
      arguments: optional(json({ bytes: limits.fields.content })).describe(
        'Arguments of the call: any JSON of at most 256 KB.',
      ),
      result: outcome.describe('Result of the call, at most 256 KB; null when it failed or has no answer yet.'),
      error: outcome.describe('Error of the call, at most 256 KB; null when it did not fail. Excludes `result`.'),
      filesModified: filesModified
        .transform((files) => [...new Set(files)])
        .describe('Paths that the call wrote, at most 200; ignored when it failed.'),
      // Undefined instead of null, as with the kind of a message.
      durationMs: count
        .transform((given) => given ?? undefined)
        .describe('Time from the call to its outcome in milliseconds; null when unknown.'),
    })
    .refine((call) => call.result === null || call.error === null, {
      message: 'has a result and an error: give one of them',
    }),
);

const usage = inputObject(
  'NewUsageInput',
  'Token usage of the Turn; null fields are unknown.',
  z.object({
    inputTokens: count.describe('Input tokens that were not cached.'),
    outputTokens: count.describe('Output tokens.'),
    cacheCreationInputTokens: count.describe('Input tokens written to a cache.'),
    cacheReadInputTokens: count.describe('Input tokens read from a cache.'),
    model: optional(text({ characters: 200 })).describe(
      'Name of the model as its provider calls it: at most 200 characters.',
    ),
  }),
);

const workspace = inputObject(
  'NewWorkspaceInput',
  'Folder, branch and commit after the Turn; null fields are unknown.',
  z.object({
    folder: place.describe('The working folder: at most 1 KB.'),
    branch: place.describe('The git branch: at most 1 KB.'),
    commit: place.describe('The last git commit, full or shortened: at most 1 KB.'),
  }),
);

mutation('appendTurn', {
  access: workers,
  description:
    'Appends one Turn to the log. A Turn with an ASSISTANT or TOOL message or a tool call belongs to the holder, which must have taken over; the first such Turn completes its Handoff. A Turn of only USER and SYSTEM messages goes into any open Session.',
  input: z
    .object({
      sessionId,
      agentId: optional(agentId).describe('Agent of the Turn. It must hold the Session. Null: the holder.'),
      messages: listOf(message, {
        what: 'messages',
        limit: limits.counts.messagesOfTurn,
        advice: 'append them in several turns',
      }).describe('Messages of the Turn in order, at most 200.'),
      toolCalls: optional(
        listOf(toolCall, {
          what: 'tool calls',
          limit: limits.counts.toolCallsOfTurn,
          advice: 'append them in several turns',
        }),
      )
        .transform((calls) => calls ?? [])
        .describe('Tool calls of the Turn in order, at most 200.'),
      usage: optional(usage).describe('Token usage of the Turn; null when unknown.'),
      // Undefined instead of null: the input hash of a turn without a workspace must stay the same as in older versions.
      workspace: optional(workspace)
        .transform((given) => given ?? undefined)
        .describe('Folder, branch and commit after the Turn; null when unknown.'),
      truncated: withDefault(z.boolean(), false).describe(
        "True when the agent's window was cut before this Turn. Captures a TRUNCATION snapshot of what was visible until then.",
      ),
      ...keyField,
    })
    .refine((turn) => turn.messages.length + turn.toolCalls.length > 0, {
      message: 'has neither messages nor tool calls: give at least one',
      path: ['messages'],
    })
    .refine((turn) => new Set(turn.toolCalls.map((call) => call.callId)).size === turn.toolCalls.length, {
      message: 'use one callId twice: give each call its own',
      path: ['toolCalls'],
    }),
  payload: {
    description: 'The Turn was recorded.',
    fields: (t) => ({
      turn: t.prismaField({
        type: modelRef('Turn'),
        description: 'The Turn.',
        resolve: (query, { turnId }, _args, { prisma }) =>
          prisma.turn.findUniqueOrThrow({ ...query, where: { id: turnId } }),
      }),
      session: sessionOf(t),
    }),
  },
  errors: [NotFoundError, IdempotencyMismatchError, InvalidStateError, LimitExceededError],
  command: appendTurn,
});

const toolResult = inputObject(
  'NewToolResultInput',
  'The result of a recorded tool call.',
  z
    .object({
      callId: callId.describe(
        'Id of the call, as the Turn named it. When several Turns of the tenure used the id, the newest call has it.',
      ),
      result: outcome.describe('Result of the call, at most 256 KB; an empty text for none. Null when it failed.'),
      error: outcome.describe('Error of the call, at most 256 KB; null when it did not fail. Excludes `result`.'),
      filesModified: filesModified
        .transform((files) => (files === null ? undefined : [...new Set(files)]))
        .describe(
          'Paths that the call wrote, at most 200; null keeps those that the Turn named. Ignored when it failed.',
        ),
      durationMs: count
        .transform((given) => given ?? undefined)
        .describe('Time from the call to its outcome in milliseconds; null when unknown.'),
    })
    .refine(({ result, error }) => (result === null) !== (error === null), {
      message: 'needs either a result or an error: give one of them',
    }),
);

mutation('recordToolResults', {
  access: workers,
  description:
    'Gives tool calls of recorded Turns their results, all or none. Each call gets its result once: the same again changes nothing, another one is INVALID_STATE. An AGENT gives results to calls of its present tenure, also while the Session is paused.',
  input: z.object({
    sessionId,
    results: listOf(toolResult, {
      what: 'results',
      limit: limits.counts.toolCallsOfTurn,
      advice: 'record them in several requests',
    })
      .refine((results) => results.length > 0, { message: 'is empty: give at least one result' })
      .refine((results) => new Set(results.map((each) => each.callId)).size === results.length, {
        message: 'use one callId twice: give each call once',
      })
      .describe('The results, at most 200, each of another call.'),
  }),
  payload: {
    description: 'The results were recorded.',
    fields: (t) => ({
      toolCalls: t.prismaField({
        type: [modelRef('ToolCall')],
        listSize: 50,
        description: 'The ToolCalls in their current state, in the order in which they were made.',
        resolve: (query, { toolCallIds }, _args, { prisma }) =>
          prisma.toolCall.findMany({ ...query, where: { id: { in: toolCallIds } }, orderBy: { index: 'asc' } }),
      }),
      session: sessionOf(t),
    }),
  },
  errors: [NotFoundError, InvalidStateError, LimitExceededError],
  command: recordToolResults,
});

mutation('recordDecision', {
  access: workers,
  description: 'Records a decision. Every later Handoff of the Session carries it.',
  input: z.object({
    sessionId,
    text: nonBlank({ bytes: 4 * KB }).describe('The decision and, ideally, its reason: at most 4 KB, not blank.'),
    ...keyField,
  }),
  payload: {
    description: 'The Decision was recorded.',
    fields: (t) => ({
      decision: t.prismaField({
        type: modelRef('Decision'),
        description: 'The Decision.',
        resolve: (query, { decisionId }, _args, { prisma }) =>
          prisma.decision.findUniqueOrThrow({ ...query, where: { id: decisionId } }),
      }),
      session: sessionOf(t),
    }),
  },
  errors: [NotFoundError, IdempotencyMismatchError, InvalidStateError],
  command: recordDecision,
});

const task = inputObject(
  'NewTaskInput',
  'A Task of the list.',
  z.object({
    content: nonBlank({ bytes: 4 * KB }).describe('What is to be done: at most 4 KB, not blank.'),
    status: oneOf(TaskStatus).describe('Status of the task.'),
  }),
);

mutation('setTasks', {
  access: workers,
  description: 'Replaces the list of Tasks of a Session.',
  input: z.object({
    sessionId,
    tasks: listOf(task, {
      what: 'tasks',
      limit: limits.counts.tasks,
      advice: 'the list replaces the previous one: combine or drop some',
    }).describe('The whole list in order, at most 500 Tasks. An empty list removes all.'),
  }),
  payload: {
    description: 'The list of Tasks was replaced.',
    fields: (t) => ({
      tasks: t.prismaField({
        type: [modelRef('Task')],
        listSize: 100,
        description: 'The new list, in order.',
        resolve: (query, parent, _args, { prisma }) =>
          prisma.task.findMany({ ...query, where: { sessionId: parent.sessionId }, orderBy: { position: 'asc' } }),
      }),
      session: sessionOf(t),
    }),
  },
  errors: [NotFoundError, InvalidStateError, LimitExceededError],
  command: setTasks,
});

mutation('recordWorkingTree', {
  access: workers,
  description:
    'Records the state of the repository in which the work is done, instead of the one before. Every later Handoff carries it, with the time and the agent, as data: nothing compares it with the log.',
  input: z.object({
    sessionId,
    branch: place.describe('The git branch: at most 1 KB.'),
    commit: place.describe('The last git commit, full or shortened: at most 1 KB.'),
    status: text({ bytes: 48 * KB }).describe(
      'Lines of `git status --porcelain`: at most 48 KB. Empty when nothing was changed since the commit.',
    ),
    diffstat: text({ bytes: 16 * KB }).describe('Lines of `git diff --stat HEAD`: at most 16 KB.'),
  }),
  payload: {
    description: 'The working tree was recorded.',
    fields: (t) => ({ session: sessionOf(t) }),
  },
  errors: [NotFoundError, InvalidStateError],
  command: recordWorkingTree,
});

mutation('captureSnapshot', {
  access: workers,
  description: 'Captures a CHECKPOINT snapshot: what an agent can see of the Session now.',
  input: z.object({ sessionId, ...keyField }),
  payload: {
    description: 'The snapshot was captured.',
    fields: (t) => ({
      snapshot: t.prismaField({
        type: modelRef('ContextSnapshot'),
        description: 'The ContextSnapshot, of type CHECKPOINT.',
        resolve: (query, { snapshotId }, _args, { prisma }) =>
          prisma.contextSnapshot.findUniqueOrThrow({ ...query, where: { id: snapshotId } }),
      }),
      session: sessionOf(t),
    }),
  },
  errors: [NotFoundError, IdempotencyMismatchError, InvalidStateError],
  command: captureSnapshot,
});
