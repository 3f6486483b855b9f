import { readsInstructions } from '../access/rules.ts';
import { builder, modelRef } from '../graphql/builder.ts';
import { partOfRecord } from '../graphql/declared.ts';
import { MessageRole } from '../graphql/enums.ts';
import type { CarriedCall, CarriedMessage, Context, LeftOut, RecentMessage, ToolSummary } from './context.ts';
import type { Item } from './items.ts';
import type { Prompt } from './pack.ts';
import { carried } from './storage.ts';

builder.objectType('ContextVariable', {
  access: 'inherit',
  description: 'A named value that the Agents of a Session share.',
  fields: (t) => ({
    name: t.exposeString('name', { description: "Its name; those that begin with `_` are Baton's own." }),
    value: t.expose('value', { type: 'JSON', nullable: true, description: 'Any JSON value, null too.' }),
    setBy: t.exposeString('setBy', { description: 'Who set it last: an Agent, or the principal of another caller.' }),
  }),
});

export const ContextItemKind = builder.enumType('ContextItemKind', {
  description: 'What an item of a Context is.',
  values: {
    REQUEST: { description: 'What the user asked for: at first, and last.' },
    COMPACTION: { description: "The Agent's own summary of what came before its window was cut." },
    LAST_MESSAGE: { description: 'The last words of the Agent that hands off.' },
    QUESTION: { description: 'A question to a person that was not answered.' },
    REASON: { description: 'Why it is handed off.' },
    WORKSPACE: { description: 'Folder, branch and last commit of the work.' },
    SUMMARY: { description: 'What was done so far.' },
    METADATA: { description: 'An entry of the `metadata` of the Handoff.' },
    INSTRUCTIONS: { description: "The target Agent's instructions." },
    TASK: { description: 'A task that is not done.' },
    DECISION: { description: 'Something that was settled.' },
    CHECK: { description: 'The last outcome of a test, build or lint command.' },
    FAILED_ATTEMPT: { description: 'A command or an edit that failed and was not repeated with success.' },
    VARIABLE: { description: 'A context variable.' },
    FILE: { description: 'A file that was changed.' },
    TOOL: { description: 'How a tool was used.' },
    CALL: { description: 'One of the last tool calls, with what came of it.' },
    MESSAGE: { description: 'A Message of a user, or one of the last others.' },
  },
});

const DropReason = builder.enumType('ContextDropReason', {
  description: 'Why an item of a Context is not in a prompt.',
  values: { BUDGET: { description: 'It did not fit.' } },
});

const itemId = 'Its id, the same in every prompt of the same Handoff: for `contextItem`.';

const KeptItem = builder.objectRef<Prompt['kept'][number]>('KeptContextItem').implement({
  access: 'inherit',
  description: 'An item of a Context that a prompt holds, shortened where it had to be.',
  fields: (t) => ({
    id: t.exposeID('id', { description: itemId }),
    kind: t.expose('kind', { type: ContextItemKind, description: 'What it is.' }),
    shortened: t.exposeBoolean('shortened', { description: 'Whether there is more of it: `contextItem` has it whole.' }),
  }),
});

const DroppedItem = builder.objectRef<Prompt['dropped'][number]>('DroppedContextItem').implement({
  access: 'inherit',
  description: 'An item of a Context that a prompt leaves out.',
  fields: (t) => ({
    id: t.exposeID('id', { description: itemId }),
    kind: t.expose('kind', { type: ContextItemKind, description: 'What it is.' }),
    reason: t.expose('reason', { type: DropReason, description: 'Why it is left out.' }),
  }),
});

const PromptFields = builder.interfaceRef<Prompt>('ContextText').implement({
  description: 'A Context as a text for the next Agent, within a budget.',
  fields: (t) => ({
    text: t.exposeString('text', { description: 'The text, Markdown. What was recorded stands in fences. When something is left out or shortened, it says how much.' }),
    tokenEstimate: t.exposeInt('tokenEstimate', { description: 'Its estimated tokens (bytes / 4), not a count.' }),
    kept: t.field({ type: [KeptItem], listSize: partOfRecord, description: 'What is in it, what matters most first.', resolve: ({ kept }) => kept }),
    dropped: t.field({ type: [DroppedItem], listSize: partOfRecord, description: 'What is left out; empty when everything fits.', resolve: ({ dropped }) => dropped }),
  }),
});

export const ContextPrompt = builder.objectRef<Prompt>('ContextPrompt').implement({
  access: 'inherit',
  description: 'What a Handoff carries, as a text for the next Agent.',
  interfaces: [PromptFields],
});

export const ContextPreview = builder.objectRef<Prompt & { redactionCount: number }>('ContextPreview').implement({
  access: 'inherit',
  description: 'What a Handoff would carry if it were started now, as a text for the next Agent.',
  interfaces: [PromptFields],
  fields: (t) => ({
    redactionCount: t.exposeInt('redactionCount', { description: 'How many secrets were taken out of it.' }),
  }),
});

export const ContextItem = builder.objectRef<Item>('ContextItem').implement({
  access: 'inherit',
  description: 'One item of what a Handoff carries, whole.',
  fields: (t) => ({
    kind: t.expose('kind', { type: ContextItemKind, description: 'What it is.' }),
    content: t.exposeString('content', { description: 'The whole item, however much of it a prompt holds.' }),
  }),
});

const recordedBy = "Id of the Agent that recorded it in a user's name; null when that was an operator, or is not known.";

const CarriedMessage = builder.objectRef<CarriedMessage>('CarriedMessage').implement({
  access: 'inherit',
  description: 'A Message that has a place of its own in what a Handoff carries.',
  fields: (t) => ({
    sequence: t.exposeInt('sequence', { description: "Its number in the Session's log." }),
    content: t.exposeString('content', { description: 'What is said; of a long one the beginning and the end.' }),
    shortened: t.exposeBoolean('shortened', { description: 'Whether the log has more of it.' }),
    agentId: t.exposeString('agentId', { nullable: true, description: 'Id of the Agent that said it; null for a user.' }),
    recordedBy: t.string({ nullable: true, description: recordedBy, resolve: (message) => message.recordedBy ?? null }),
  }),
});

const CarriedToolCall = builder.objectRef<CarriedCall>('CarriedToolCall').implement({
  access: 'inherit',
  description: 'A ToolCall with what came of it, as a Handoff carries it.',
  fields: (t) => ({
    toolName: t.exposeString('toolName', { description: 'Name of the tool.' }),
    arguments: t.exposeString('arguments', { description: 'What it was given: JSON, cut where it was long.' }),
    outcome: t.exposeString('outcome', { description: 'What it answered, or its error; of a long one the beginning and the end.' }),
    failed: t.exposeBoolean('failed', { description: 'Whether `outcome` is an error.' }),
    shortened: t.exposeBoolean('shortened', { description: 'Whether the log has more of it.' }),
  }),
});

const ContextLeftOut = builder.objectRef<LeftOut>('ContextLeftOut').implement({
  access: 'inherit',
  description: 'How much of the log a Handoff does not carry, by what it is.',
  fields: (t) => ({
    tasks: t.exposeInt('tasks', { description: 'Tasks that are not done.' }),
    decisions: t.exposeInt('decisions', { description: 'Decisions, the oldest.' }),
    files: t.exposeInt('files', { description: 'Changed files, those touched first.' }),
    tools: t.exposeInt('tools', { description: 'Tools, those used least lately.' }),
    calls: t.exposeInt('calls', { description: 'ToolCalls of the last Turn that made any, the first of them.' }),
    unansweredCalls: t.exposeInt('unansweredCalls', { description: 'ToolCalls of that Turn that had no result yet.' }),
    messages: t.exposeInt('messages', { description: 'Messages, those before the last.' }),
    shortened: t.exposeInt('shortened', { description: 'Items that it carries shortened, since all of it was more than 256 KB.' }),
  }),
});

const ToolSummary = builder.objectRef<ToolSummary>('ToolSummary').implement({
  access: 'inherit',
  description: 'How a tool was used before a Handoff.',
  fields: (t) => ({
    toolName: t.exposeString('toolName', { description: 'Name of the tool.' }),
    callCount: t.exposeInt('callCount', { description: 'How often it was called.' }),
    errorCount: t.exposeInt('errorCount', { description: 'How many of the calls failed.' }),
    lastResult: t.exposeString('lastResult', {
      nullable: true,
      description: 'What the last call answered, or its error, shortened; null when it answered nothing.',
    }),
  }),
});

const RecentMessage = builder.objectRef<RecentMessage>('RecentMessage').implement({
  access: 'inherit',
  description: 'A Message as a Handoff carries it.',
  fields: (t) => ({
    role: t.expose('role', { type: MessageRole, description: 'Who speaks.' }),
    content: t.exposeString('content', { description: 'What is said, shortened where it was long.' }),
    sequence: t.int({ nullable: true, description: "Its number in the Session's log; null in Handoffs of before it was kept.", resolve: (message) => message.sequence ?? null }),
    shortened: t.boolean({ nullable: true, description: 'Whether the log has more of it; null in Handoffs of before this was kept.', resolve: (message) => message.shortened ?? null }),
    recordedBy: t.string({ nullable: true, description: recordedBy, resolve: (message) => message.recordedBy ?? null }),
  }),
});

const CheckOutcome = builder.enumType('CheckOutcome', {
  description: 'How a test, build or lint command ended.',
  values: { PASSED: { description: 'It succeeded.' }, FAILED: { description: 'It failed.' } },
});

const callId = 'The id that the model gave the ToolCall.';

const HandoffCheck = builder.objectRef<Context['checks'][number]>('HandoffCheck').implement({
  access: 'inherit',
  description: 'The last outcome of a test, build or lint command before a Handoff.',
  fields: (t) => ({
    command: t.exposeString('command', { description: 'The command, at most 300 characters.' }),
    outcome: t.expose('outcome', { type: CheckOutcome, description: 'How it ended.' }),
    callId: t.exposeString('callId', { description: callId }),
    stale: t.exposeBoolean('stale', { description: 'Whether files changed since it ran.' }),
  }),
});

const FailedAttempt = builder.objectRef<Context['failedAttempts'][number]>('FailedAttempt').implement({
  access: 'inherit',
  description: 'A command or an edit that failed and was not repeated with success before a Handoff.',
  fields: (t) => ({
    what: t.exposeString('what', { description: 'The command, or the tool and the file, at most 300 characters.' }),
    error: t.exposeString('error', { description: 'What went wrong, at most 500 characters.' }),
    callId: t.exposeString('callId', { description: callId }),
  }),
});

/** 250 KB of JSON, which is read once for all parts of it that are asked for. */
const stored = { select: { context: true }, cost: { together: 'context', cost: 12 } } as const;

builder.prismaObjectFields(modelRef('Handoff'), (t) => ({
  summaryComposed: t.boolean({
    nullable: true,
    description: "True when Baton composed the summary from the log, false when it is the caller's; null in Handoffs of before this was noted.",
    ...stored,
    resolve: carried('summaryComposed'),
  }),
  originalRequest: t.field({
    type: CarriedMessage,
    nullable: true,
    description:
      'What the work began with: the first Message of a user that says what is wanted, those that an operator recorded first. Where no user has spoken, the summary that the Session goes on from. Null when there is neither.',
    ...stored,
    resolve: carried('originalRequest'),
  }),
  latestRequest: t.field({
    type: CarriedMessage,
    nullable: true,
    description: 'The last Message of a user that says what is wanted; null when that is `originalRequest`.',
    ...stored,
    resolve: carried('latestRequest'),
  }),
  compactionSummary: t.field({
    type: CarriedMessage,
    nullable: true,
    description: "The Agent's own summary of what came before its window was cut last; null when there is none, or it is `originalRequest`.",
    ...stored,
    resolve: carried('compactionSummary'),
  }),
  lastMessage: t.field({
    type: CarriedMessage,
    nullable: true,
    description: 'The last words of the Agent that handed off, or of one before it when it said nothing; null when no Agent has spoken.',
    ...stored,
    resolve: carried('lastMessage'),
  }),
  toolSummaries: t.field({ type: [ToolSummary], listSize: partOfRecord, description: 'The tools used so far.', ...stored, resolve: carried('toolSummaries') }),
  lastToolCalls: t.field({
    type: [CarriedToolCall],
    listSize: partOfRecord,
    nullable: true,
    description: 'The last 20 answered ToolCalls of the last Turn that made any, in order; null in Handoffs of before they were kept.',
    ...stored,
    resolve: carried('lastToolCalls'),
  }),
  filesModified: t.stringList({ description: 'Paths written by successful tool calls, the one touched last first.', ...stored, resolve: carried('filesModified') }),
  pendingTasks: t.stringList({ description: 'Tasks of the latest list that are not done, in its order.', ...stored, resolve: carried('pendingTasks') }),
  decisions: t.stringList({ description: 'Decisions recorded in the Session, oldest first.', ...stored, resolve: carried('decisions') }),
  recentMessages: t.field({
    type: [RecentMessage],
    listSize: partOfRecord,
    description: 'The Messages of users, and the last of the others, the oldest first; always with the last words of the Agent that hands off.',
    ...stored,
    resolve: carried('recentMessages'),
  }),
  contextVariables: t.field({
    type: ['ContextVariable'],
    listSize: partOfRecord,
    description: "The Session's context variables at that moment, by name.",
    ...stored,
    resolve: carried('contextVariables'),
  }),
  workspace: t.field({ type: 'Workspace', nullable: true, description: 'Where the work stands; null when the log does not say.', ...stored, resolve: carried('workspace') }),
  checks: t.field({
    type: [HandoffCheck],
    listSize: partOfRecord,
    description: 'The last outcome of each test, build and lint command, the one run last at the end; 20 at most.',
    ...stored,
    resolve: carried('checks'),
  }),
  failedAttempts: t.field({
    type: [FailedAttempt],
    listSize: partOfRecord,
    description: 'Commands and edits that failed and were not repeated with success, the oldest first; the newest 20 when there are more.',
    ...stored,
    resolve: carried('failedAttempts'),
  }),
  openQuestions: t.stringList({ description: 'The last question to a person, when nobody answered it; several when it was asked in parts.', ...stored, resolve: carried('openQuestions') }),
  instructions: t.string({
    nullable: true,
    description: "The target Agent's instructions at that moment; null when it has none, and for every other Agent.",
    ...stored,
    select: { ...stored.select, targetAgentId: true },
    resolve: (handoff, _args, { caller }) => (readsInstructions(caller, handoff.targetAgentId) ? carried('instructions')(handoff) : null),
  }),
  leftOut: t.field({
    type: ContextLeftOut,
    nullable: true,
    description: 'What of the log it does not carry; null in Handoffs of before this was counted.',
    ...stored,
    resolve: carried('leftOut'),
  }),
}));
