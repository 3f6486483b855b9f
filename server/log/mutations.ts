import { z } from 'zod';
import { workers } from '../access/roles.ts';
import { IdempotencyMismatchError, InvalidStateError, LimitExceededError, NotFoundError } from '../core/errors.ts';
import { modelRef } from '../graphql/builder.ts';
import { MessageRole, TaskStatus } from '../graphql/enums.ts';
import { agentId, content, idOf, inputObject, integer, json, KB, keyField, listOf, nonBlank, oneOf, optional, showAs, text, withDefault } from '../graphql/input/schemas.ts';
import { mutation, sessionOf } from '../graphql/mutation.ts';
import { limits } from '../limits/limits.ts';
import { captureSnapshot, recordDecision, setTasks } from './addToLog.ts';
import { appendTurn } from './appendTurn.ts';

const sessionId = idOf('session').describe('The Session to write to: any that is not finished.');
const place = optional(nonBlank({ bytes: KB }));
const tokens = optional(integer(0));
const name = nonBlank({ characters: 200 });
const outcome = optional(content);

const message = inputObject(
  'NewMessageInput',
  'A Message to write.',
  z.object({
    role: showAs(
      z.enum(['USER', 'ASSISTANT', 'SYSTEM', 'TOOL'], { message: 'is HANDOFF, which Baton alone writes: give USER, ASSISTANT, SYSTEM or TOOL' }),
      { type: MessageRole },
    ).describe('Who speaks: USER, ASSISTANT, SYSTEM or TOOL. HANDOFF is written by Baton alone.'),
    content: content.describe('What is said: up to 256 KB.'),
  }),
);

const toolCall = inputObject(
  'NewToolCallInput',
  'A tool call of the Turn, with its outcome.',
  z
    .object({
      callId: showAs(nonBlank({ characters: 200 }), { type: 'ID' }).describe('The id that the model gave it: 1 to 200 characters, unique in the Turn.'),
      name: name.describe('Name of the tool: 1 to 200 characters.'),
      arguments: optional(json({ bytes: limits.fields.content })).describe('What it was called with: any JSON of up to 256 KB.'),
      result: outcome.describe('What it answered, up to 256 KB; null when it failed or has not answered.'),
      error: outcome.describe('What went wrong, up to 256 KB; null when nothing did. Not together with `result`.'),
      filesModified: optional(listOf(nonBlank({ bytes: 4 * KB }), { what: 'files of a tool call', limit: limits.counts.filesOfToolCall, advice: 'name the most important ones' }))
        .transform((files) => [...new Set(files)])
        .describe('Paths that it wrote, up to 200; of no account when it failed.'),
    })
    .refine((call) => call.result === null || call.error === null, { message: 'has a result and an error: give one of them' }),
);

const usage = inputObject(
  'NewUsageInput',
  'What the Turn cost, in tokens; null where it is not known.',
  z.object({
    inputTokens: tokens.describe('Tokens read afresh.'),
    outputTokens: tokens.describe('Tokens written.'),
    cacheCreationInputTokens: tokens.describe('Tokens read and put into a cache.'),
    cacheReadInputTokens: tokens.describe('Tokens read from a cache.'),
    model: optional(text({ characters: 200 })).describe('The model, as its maker calls it: up to 200 characters.'),
  }),
);

const workspace = inputObject(
  'NewWorkspaceInput',
  'Where the work stands after the Turn; null where it is not known.',
  z.object({
    folder: place.describe('The working folder: up to 1 KB.'),
    branch: place.describe('The git branch: up to 1 KB.'),
    commit: place.describe('The last git commit, in full or shortened: up to 1 KB.'),
  }),
);

mutation('appendTurn', {
  access: workers,
  description:
    "Writes one Turn into the log. A Turn with an ASSISTANT or TOOL message or a tool call is the holder's, who must have taken over; the first one completes its Handoff. A Turn of only USER and SYSTEM messages goes into any open Session.",
  input: z
    .object({
      sessionId,
      agentId: optional(agentId).describe("Whose Turn it is: the holder; null means the holder's."),
      messages: listOf(message, { what: 'messages', limit: limits.counts.messagesOfTurn, advice: 'append them in several turns' }).describe('Its Messages in their order: up to 200.'),
      toolCalls: optional(listOf(toolCall, { what: 'tool calls', limit: limits.counts.toolCallsOfTurn, advice: 'append them in several turns' }))
        .transform((calls) => calls ?? [])
        .describe('Its tool calls in their order: up to 200.'),
      usage: optional(usage).describe('What it cost; null when not known.'),
      // A turn without one is the same input as before there were workspaces.
      workspace: optional(workspace)
        .transform((given) => given ?? undefined)
        .describe('Where the work stands after it: folder, branch and commit. Null when not known.'),
      truncated: withDefault(z.boolean(), false).describe(
        "True when the agent's window was cut before this Turn: captures a TRUNCATION snapshot of what was visible until then.",
      ),
      ...keyField,
    })
    .refine((turn) => turn.messages.length + turn.toolCalls.length > 0, { message: 'has neither messages nor tool calls: give at least one', path: ['messages'] })
    .refine((turn) => new Set(turn.toolCalls.map((call) => call.callId)).size === turn.toolCalls.length, {
      message: 'name one callId twice: give each call its own',
      path: ['toolCalls'],
    }),
  payload: {
    description: 'The Turn is in the log.',
    fields: (t) => ({
      turn: t.prismaField({
        type: modelRef('Turn'),
        description: 'The Turn.',
        resolve: (query, { turnId }, _args, { prisma }) => prisma.turn.findUniqueOrThrow({ ...query, relationLoadStrategy: 'join', where: { id: turnId } }),
      }),
      session: sessionOf(t),
    }),
  },
  errors: [NotFoundError, IdempotencyMismatchError, InvalidStateError, LimitExceededError],
  command: appendTurn,
});

mutation('recordDecision', {
  access: workers,
  description: 'Keeps a decision for whoever works on the Session next; every later Handoff carries it.',
  input: z.object({
    sessionId,
    text: nonBlank({ bytes: 4 * KB }).describe('What was decided, and best also why: up to 4 KB, not blank.'),
    ...keyField,
  }),
  payload: {
    description: 'The Decision is recorded.',
    fields: (t) => ({
      decision: t.prismaField({
        type: modelRef('Decision'),
        description: 'The Decision.',
        resolve: (query, { decisionId }, _args, { prisma }) => prisma.decision.findUniqueOrThrow({ ...query, where: { id: decisionId } }),
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
    content: nonBlank({ bytes: 4 * KB }).describe('What is to be done: up to 4 KB, not blank.'),
    status: oneOf(TaskStatus).describe('How far it is.'),
  }),
);

mutation('setTasks', {
  access: workers,
  description: 'Replaces the list of Tasks of a Session. Repeating it leaves the same list.',
  input: z.object({
    sessionId,
    tasks: listOf(task, { what: 'tasks', limit: limits.counts.tasks, advice: 'the list replaces the one before, so combine or drop some' }).describe(
      'The whole list in its order, up to 500; empty to have none.',
    ),
  }),
  payload: {
    description: "The Session's list of Tasks is this now.",
    fields: (t) => ({
      tasks: t.prismaField({
        type: [modelRef('Task')],
        listSize: 100,
        description: 'The list, in its order.',
        resolve: (query, parent, _args, { prisma }) => prisma.task.findMany({ ...query, where: { sessionId: parent.sessionId }, orderBy: { position: 'asc' } }),
      }),
      session: sessionOf(t),
    }),
  },
  errors: [NotFoundError, InvalidStateError, LimitExceededError],
  command: setTasks,
});

mutation('captureSnapshot', {
  access: workers,
  description: 'Captures a CHECKPOINT: what an agent could see of the Session now.',
  input: z.object({ sessionId, ...keyField }),
  payload: {
    description: 'The snapshot is captured.',
    fields: (t) => ({
      snapshot: t.prismaField({
        type: modelRef('ContextSnapshot'),
        description: 'The ContextSnapshot, of type CHECKPOINT.',
        resolve: (query, { snapshotId }, _args, { prisma }) => prisma.contextSnapshot.findUniqueOrThrow({ ...query, where: { id: snapshotId } }),
      }),
      session: sessionOf(t),
    }),
  },
  errors: [NotFoundError, IdempotencyMismatchError, InvalidStateError],
  command: captureSnapshot,
});
