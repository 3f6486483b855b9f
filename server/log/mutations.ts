import { z } from 'zod';
import { IdempotencyMismatchError, InvalidStateError, LimitExceededError, NotFoundError } from '../core/errors.ts';
import { builder, modelRef } from '../graphql/builder.ts';
import { MessageRole, TaskStatus } from '../graphql/enums.ts';
import { agentId, content, decodeInput, idempotencyKey, idOf, integer, json, KB, listOf, nonBlank, optional, text } from '../graphql/input.ts';
import { keyInput, run, sessionOf } from '../graphql/mutation.ts';
import { limits } from '../limits/limits.ts';
import type { SessionAnswer } from '../sessions/createSession.ts';
import { appendTurn, type TurnAnswer } from './appendTurn.ts';
import { captureSnapshot, type DecisionAnswer, recordDecision, setTasks, type SnapshotAnswer } from './addToLog.ts';

const sessionId = idOf('session');
const key = optional(idempotencyKey);
const session = 'The Session to write to: any that is not finished.';

const NewMessage = builder.inputType('NewMessageInput', {
  description: 'A Message to write.',
  fields: (t) => ({
    role: t.field({ type: MessageRole, required: true, description: 'Who speaks: USER, ASSISTANT, SYSTEM or TOOL. HANDOFF is written by Baton alone.' }),
    content: t.string({ required: true, description: 'What is said: up to 256 KB.' }),
  }),
});

const NewToolCall = builder.inputType('NewToolCallInput', {
  description: 'A tool call of the Turn, with its outcome.',
  fields: (t) => ({
    callId: t.id({ required: true, description: 'The id that the model gave it: 1 to 200 characters, unique in the Turn.' }),
    name: t.string({ required: true, description: 'Name of the tool: 1 to 200 characters.' }),
    arguments: t.field({ type: 'JSON', description: 'What it was called with: any JSON of up to 256 KB.' }),
    result: t.string({ description: 'What it answered, up to 256 KB; null when it failed or has not answered.' }),
    error: t.string({ description: 'What went wrong, up to 256 KB; null when nothing did. Not together with `result`.' }),
    filesModified: t.stringList({ description: 'Paths that it wrote, up to 200; of no account when it failed.' }),
  }),
});

const NewUsage = builder.inputType('NewUsageInput', {
  description: 'What the Turn cost, in tokens; null where it is not known.',
  fields: (t) => ({
    inputTokens: t.int({ description: 'Tokens read afresh.' }),
    outputTokens: t.int({ description: 'Tokens written.' }),
    cacheCreationInputTokens: t.int({ description: 'Tokens read and put into a cache.' }),
    cacheReadInputTokens: t.int({ description: 'Tokens read from a cache.' }),
    model: t.string({ description: 'The model, as its maker calls it: up to 200 characters.' }),
  }),
});

const NewWorkspace = builder.inputType('NewWorkspaceInput', {
  description: 'Where the work stands after the Turn; null where it is not known.',
  fields: (t) => ({
    folder: t.string({ description: 'The working folder: up to 1 KB.' }),
    branch: t.string({ description: 'The git branch: up to 1 KB.' }),
    commit: t.string({ description: 'The last git commit, in full or shortened: up to 1 KB.' }),
  }),
});

const place = optional(nonBlank({ bytes: KB }));
const tokens = optional(integer(0));
const name = nonBlank({ characters: 200 });
const outcome = optional(content);
const toolCall = z
  .object({
    callId: name,
    name,
    arguments: optional(json({ bytes: limits.fields.content })),
    result: outcome,
    error: outcome,
    filesModified: optional(listOf(nonBlank({ bytes: 4 * KB }), { what: 'files of a tool call', limit: limits.counts.filesOfToolCall, advice: 'name the most important ones' })).transform((files) => [...new Set(files)]),
  })
  .refine((call) => call.result === null || call.error === null, { message: 'has a result and an error: give one of them' });

const turnInput = z
  .object({
    sessionId,
    agentId: optional(agentId),
    messages: listOf(
      z.object({ role: z.enum(['USER', 'ASSISTANT', 'SYSTEM', 'TOOL'], { message: 'is HANDOFF, which Baton alone writes: give USER, ASSISTANT, SYSTEM or TOOL' }), content }),
      { what: 'messages', limit: limits.counts.messagesOfTurn, advice: 'append them in several turns' },
    ),
    toolCalls: optional(listOf(toolCall, { what: 'tool calls', limit: limits.counts.toolCallsOfTurn, advice: 'append them in several turns' })).transform((calls) => calls ?? []),
    usage: optional(
      z.object({
        inputTokens: tokens,
        outputTokens: tokens,
        cacheCreationInputTokens: tokens,
        cacheReadInputTokens: tokens,
        model: optional(text({ characters: 200 })),
      }),
    ),
    // A turn without one is the same input as before there were workspaces.
    workspace: optional(z.object({ folder: place, branch: place, commit: place })).transform((workspace) => workspace ?? undefined),
    truncated: optional(z.boolean()).transform((truncated) => truncated ?? false),
    idempotencyKey: key,
  })
  .refine((turn) => turn.messages.length + turn.toolCalls.length > 0, { message: 'has neither messages nor tool calls: give at least one', path: ['messages'] })
  .refine((turn) => new Set(turn.toolCalls.map((call) => call.callId)).size === turn.toolCalls.length, {
    message: 'name one callId twice: give each call its own',
    path: ['toolCalls'],
  });

const AppendTurnPayload = builder.objectRef<TurnAnswer>('AppendTurnPayload').implement({
  description: 'The Turn is in the log.',
  fields: (t) => ({
    turn: t.prismaField({
      type: modelRef('Turn'),
      description: 'The Turn.',
      resolve: (query, { turnId }, _args, { prisma }) => prisma.turn.findUniqueOrThrow({ ...query, relationLoadStrategy: 'join', where: { id: turnId } }),
    }),
    session: sessionOf(t),
  }),
});

const RecordDecisionPayload = builder.objectRef<DecisionAnswer>('RecordDecisionPayload').implement({
  description: 'The Decision is recorded.',
  fields: (t) => ({
    decision: t.prismaField({
      type: modelRef('Decision'),
      description: 'The Decision.',
      resolve: (query, { decisionId }, _args, { prisma }) => prisma.decision.findUniqueOrThrow({ ...query, where: { id: decisionId } }),
    }),
    session: sessionOf(t),
  }),
});

const SetTasksPayload = builder.objectRef<SessionAnswer>('SetTasksPayload').implement({
  description: "The Session's list of Tasks is this now.",
  fields: (t) => ({
    tasks: t.prismaField({
      type: [modelRef('Task')],
      description: 'The list, in its order.',
      resolve: (query, parent, _args, { prisma }) => prisma.task.findMany({ ...query, where: { sessionId: parent.sessionId }, orderBy: { position: 'asc' } }),
    }),
    session: sessionOf(t),
  }),
});

const CaptureSnapshotPayload = builder.objectRef<SnapshotAnswer>('CaptureSnapshotPayload').implement({
  description: 'The snapshot is captured.',
  fields: (t) => ({
    snapshot: t.prismaField({
      type: modelRef('ContextSnapshot'),
      description: 'The ContextSnapshot, of type CHECKPOINT.',
      resolve: (query, { snapshotId }, _args, { prisma }) => prisma.contextSnapshot.findUniqueOrThrow({ ...query, where: { id: snapshotId } }),
    }),
    session: sessionOf(t),
  }),
});

builder.mutationFields((t) => ({
  appendTurn: t.fieldWithInput({
    type: AppendTurnPayload,
    description:
      "Writes one Turn into the log. A Turn with an ASSISTANT or TOOL message or a tool call is the holder's, who must have taken over; the first one completes its Handoff. A Turn of only USER and SYSTEM messages goes into any open Session.",
    errors: { types: [NotFoundError, IdempotencyMismatchError, InvalidStateError, LimitExceededError] },
    input: {
      sessionId: t.input.id({ required: true, description: session }),
      agentId: t.input.id({ description: "Whose Turn it is: the holder; null means the holder's." }),
      messages: t.input.field({ type: [NewMessage], required: true, description: 'Its Messages in their order: up to 200.' }),
      toolCalls: t.input.field({ type: [NewToolCall], description: 'Its tool calls in their order: up to 200.' }),
      usage: t.input.field({ type: NewUsage, description: 'What it cost; null when not known.' }),
      workspace: t.input.field({ type: NewWorkspace, description: 'Where the work stands after it: folder, branch and commit. Null when not known.' }),
      truncated: t.input.boolean({
        defaultValue: false,
        description: "True when the agent's window was cut before this Turn: captures a TRUNCATION snapshot of what was visible until then.",
      }),
      idempotencyKey: keyInput(t.input),
    },
    resolve: (_root, { input }, context) => run(context, 'appendTurn', decodeInput(turnInput, input), appendTurn),
  }),
  recordDecision: t.fieldWithInput({
    type: RecordDecisionPayload,
    description: 'Keeps a decision for whoever works on the Session next; every later Handoff carries it.',
    errors: { types: [NotFoundError, IdempotencyMismatchError, InvalidStateError] },
    input: {
      sessionId: t.input.id({ required: true, description: session }),
      text: t.input.string({ required: true, description: 'What was decided, and best also why: up to 4 KB, not blank.' }),
      idempotencyKey: keyInput(t.input),
    },
    resolve: (_root, { input }, context) =>
      run(context, 'recordDecision', decodeInput(z.object({ sessionId, text: nonBlank({ bytes: 4 * KB }), idempotencyKey: key }), input), recordDecision),
  }),
  setTasks: t.fieldWithInput({
    type: SetTasksPayload,
    description: 'Replaces the list of Tasks of a Session. Repeating it leaves the same list.',
    errors: { types: [NotFoundError, InvalidStateError, LimitExceededError] },
    input: {
      sessionId: t.input.id({ required: true, description: session }),
      tasks: t.input.field({
        type: [
          builder.inputType('NewTaskInput', {
            description: 'A Task of the list.',
            fields: (f) => ({
              content: f.string({ required: true, description: 'What is to be done: up to 4 KB, not blank.' }),
              status: f.field({ type: TaskStatus, required: true, description: 'How far it is.' }),
            }),
          }),
        ],
        required: true,
        description: 'The whole list in its order, up to 500; empty to have none.',
      }),
    },
    resolve: (_root, { input }, context) =>
      run(
        context,
        'setTasks',
        decodeInput(
          z.object({
            sessionId,
            tasks: listOf(z.object({ content: nonBlank({ bytes: 4 * KB }), status: z.enum(['PENDING', 'IN_PROGRESS', 'DONE']) }), { what: 'tasks', limit: limits.counts.tasks, advice: 'the list replaces the one before, so combine or drop some' }),
          }),
          input,
        ),
        setTasks,
      ),
  }),
  captureSnapshot: t.fieldWithInput({
    type: CaptureSnapshotPayload,
    description: 'Captures a CHECKPOINT: what an agent could see of the Session now.',
    errors: { types: [NotFoundError, IdempotencyMismatchError, InvalidStateError] },
    input: {
      sessionId: t.input.id({ required: true, description: session }),
      idempotencyKey: keyInput(t.input),
    },
    resolve: (_root, { input }, context) => run(context, 'captureSnapshot', decodeInput(z.object({ sessionId, idempotencyKey: key }), input), captureSnapshot),
  }),
}));
