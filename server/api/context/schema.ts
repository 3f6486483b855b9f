import type { GraphQLResolveInfo } from 'graphql';
import { readsInstructions } from '../../core/rights.ts';
import type {
  CarriedCall,
  CarriedMessage,
  Context,
  LeftOut,
  RecentMessage,
  ToolSummary,
} from '../../work/context/context.ts';
import type { Item } from '../../work/context/item.ts';
import type { ItemKind } from '../../work/context/kinds.ts';
import type { Prompt } from '../../work/context/pack.ts';
import { partOf, type Part, type PartOf, type Stored } from '../../work/context/storage.ts';
import { builder, modelRef } from '../graphql/builder.ts';
import type { GraphQLContext } from '../graphql/context.ts';
import { partOfRecord } from '../graphql/declared.ts';
import { MessageRole } from '../graphql/enums.ts';
import { largeColumn } from '../graphql/largeColumn.ts';

builder.objectType('ContextVariable', {
  access: 'inherit',
  description: 'A named value that the Agents of a Session share.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the variable. Names that begin with `_` belong to Baton.' }),
    value: t.expose('value', { type: 'JSON', nullable: true, description: 'Any JSON value, including null.' }),
    setBy: t.exposeString('setBy', {
      description: 'Id of the Agent, or principal of another caller, that set the value last.',
    }),
  }),
});

export const ContextItemKind = builder.enumType('ContextItemKind', {
  description: 'Kinds of items in a Context.',
  values: {
    REQUEST: { description: 'The first or the latest request of a user.' },
    COMPACTION: { description: "The Agent's own summary of what came before its window was cut." },
    LAST_MESSAGE: { description: 'The last words of the source Agent.' },
    QUESTION: { description: 'A question to a person that is unanswered.' },
    REASON: { description: 'Reason of the Handoff.' },
    WORKSPACE: { description: 'Folder, branch and last commit.' },
    WORKING_TREE: { description: 'State of the repository, as it was recorded last.' },
    STAGE: {
      description:
        'The stage of the pipeline: its instructions, its outcomes and where they lead, the schemas of its payloads.',
    },
    PAYLOAD: { description: 'What a stage before was left with.' },
    SUMMARY: { description: 'Summary of the work so far.' },
    METADATA: { description: "An entry of the Handoff's `metadata`." },
    INSTRUCTIONS: { description: "The target Agent's instructions." },
    TASK: { description: 'A task that is not done.' },
    DECISION: { description: 'A decision.' },
    CHECK: { description: 'The last result of a test, build or lint command.' },
    FAILED_ATTEMPT: {
      description:
        'A command or an edit that failed and was not repeated with success, or that worked only in another way.',
    },
    ANSWER: {
      description:
        'A decision of a person: an answer to a question, an approved plan, a refused call, or a stop of the agent.',
    },
    FINDING: { description: 'A line of a result from which later work took a port, an id or another name.' },
    VARIABLE: { description: 'A context variable.' },
    FILE: { description: 'A changed file.' },
    TOOL: { description: 'Use of one tool.' },
    OBSERVATION: {
      description: 'A warning of a command that passed, or a value that was read or printed, which nothing else tells.',
    },
    CALL: { description: 'One of the last tool calls, with its outcome.' },
    MESSAGE: { description: 'A Message of a user, or one of the newest others.' },
  },
});

const DropReason = builder.enumType('ContextDropReason', {
  description: 'Reasons why a prompt or a Handoff leaves an item out.',
  values: {
    BUDGET: { description: 'The item did not fit into the budget.' },
    WITHHELD: { description: 'The Carry of the Handoff does not pass it on.' },
  },
});

const itemId = 'Id of the item, the same in every prompt of the Handoff. For `contextItem`.';

const KeptItem = builder.objectRef<Prompt['kept'][number]>('KeptContextItem').implement({
  access: 'inherit',
  description: 'An item of a Context that a prompt contains, shortened if necessary.',
  fields: (t) => ({
    id: t.exposeID('id', { description: itemId }),
    kind: t.expose('kind', { type: ContextItemKind, description: 'Kind of the item.' }),
    shortened: t.exposeBoolean('shortened', {
      description: 'Whether the prompt holds it shortened; `contextItem` returns it whole.',
    }),
  }),
});

const DroppedItem = builder.objectRef<Prompt['dropped'][number]>('DroppedContextItem').implement({
  access: 'inherit',
  description: 'An item of a Context that a prompt leaves out.',
  fields: (t) => ({
    id: t.exposeID('id', { description: itemId }),
    kind: t.expose('kind', { type: ContextItemKind, description: 'Kind of the item.' }),
    reason: t.expose('reason', { type: DropReason, description: 'Reason why it is left out.' }),
  }),
});

const PromptFields = builder.interfaceRef<Prompt>('ContextText').implement({
  description: 'A Context as a text for the next Agent, within a budget.',
  fields: (t) => ({
    text: t.exposeString('text', {
      description:
        'The text as Markdown. Recorded text stands in code fences. States how much is left out or shortened.',
    }),
    tokenEstimate: t.exposeInt('tokenEstimate', { description: 'Estimated tokens (bytes / 4), not a count.' }),
    kept: t.field({
      type: [KeptItem],
      listSize: partOfRecord,
      description: 'Items in the text, most important first.',
      resolve: ({ kept }) => kept,
    }),
    dropped: t.field({
      type: [DroppedItem],
      listSize: partOfRecord,
      description: 'Items that the text leaves out; empty when everything fits.',
      resolve: ({ dropped }) => dropped,
    }),
  }),
});

export const ContextPrompt = builder.objectRef<Prompt>('ContextPrompt').implement({
  access: 'inherit',
  description: 'Context of a Handoff as a text for the next Agent.',
  interfaces: [PromptFields],
});

builder.objectType('ContextPreview', {
  access: 'inherit',
  description: 'The text that a Handoff started now would give the next Agent.',
  interfaces: [PromptFields],
  fields: (t) => ({
    redactionCount: t.exposeInt('redactionCount', { description: 'Number of secrets that were removed.' }),
  }),
});

export const ContextItem = builder.objectRef<Item>('ContextItem').implement({
  access: 'inherit',
  description: "One item of a Handoff's Context, whole.",
  fields: (t) => ({
    kind: t.expose('kind', { type: ContextItemKind, description: 'Kind of the item.' }),
    content: t.exposeString('content', { description: 'The whole text of the item.' }),
  }),
});

const recordedBy =
  "Id of the Agent that recorded the Message in a user's name; null when an operator recorded it, or when unknown.";

const CarriedMessage = builder.objectRef<CarriedMessage>('CarriedMessage').implement({
  access: 'inherit',
  description: 'A Message that a Handoff carries in a field of its own.',
  fields: (t) => ({
    sequence: t.exposeInt('sequence', { description: "Number of the Message in the Session's log." }),
    content: t.exposeString('content', {
      description: 'Text of the Message. A long text keeps its beginning and end.',
    }),
    shortened: t.exposeBoolean('shortened', { description: 'Whether the log holds a longer text.' }),
    agentId: t.exposeString('agentId', {
      nullable: true,
      description: 'Id of the Agent that wrote the Message; null for a user.',
    }),
    recordedBy: t.string({ nullable: true, description: recordedBy, resolve: (message) => message.recordedBy ?? null }),
  }),
});

const CarriedToolCall = builder.objectRef<CarriedCall>('CarriedToolCall').implement({
  access: 'inherit',
  description: 'A ToolCall with its outcome, as a Handoff carries it.',
  fields: (t) => ({
    toolName: t.exposeString('toolName', { description: 'Name of the tool.' }),
    arguments: t.exposeString('arguments', { description: 'Arguments of the call as JSON, shortened when long.' }),
    outcome: t.exposeString('outcome', {
      description: 'Result or error of the call. A long text keeps its beginning and end.',
    }),
    failed: t.exposeBoolean('failed', { description: 'Whether `outcome` is an error.' }),
    shortened: t.exposeBoolean('shortened', { description: 'Whether the log holds a longer text.' }),
  }),
});

const WithheldItems = builder.objectRef<{ kind: ItemKind; count: number }>('WithheldItems').implement({
  access: 'inherit',
  description: 'Items of one kind that a Handoff does not pass on.',
  fields: (t) => ({
    kind: t.expose('kind', { type: ContextItemKind, description: 'Kind of the items.' }),
    count: t.exposeInt('count', { description: 'Number of the items.' }),
    reason: t.field({
      type: DropReason,
      description: 'Reason why they are left out: WITHHELD.',
      resolve: () => 'WITHHELD' as const,
    }),
  }),
});

const ContextLeftOut = builder.objectRef<LeftOut>('ContextLeftOut').implement({
  access: 'inherit',
  description: 'Numbers of log entries that a Handoff does not carry, by kind.',
  fields: (t) => ({
    tasks: t.exposeInt('tasks', { description: 'Tasks that are not done.' }),
    decisions: t.exposeInt('decisions', { description: 'Older Decisions.' }),
    files: t.exposeInt('files', { description: 'Changed files, those touched earliest.' }),
    tools: t.exposeInt('tools', { description: 'Tools, those not used for the longest time.' }),
    calls: t.exposeInt('calls', {
      description: 'Answered ToolCalls of the whole log that are not among lastToolCalls.',
    }),
    unansweredCalls: t.exposeInt('unansweredCalls', {
      description: 'ToolCalls of the last Turn that has any, without a result.',
    }),
    messages: t.exposeInt('messages', { description: 'Older Messages.' }),
    shortened: t.exposeInt('shortened', {
      description: 'Items that the Handoff carries shortened, because the whole Context exceeds 256 KB.',
    }),
    withheld: t.field({
      type: [WithheldItems],
      listSize: partOfRecord,
      description: 'Items that the `carry` of the Handoff withholds, without their content; empty without one.',
      resolve: ({ withheld = {} }) =>
        Object.entries(withheld).map(([kind, count]) => ({ kind: kind as ItemKind, count })),
    }),
  }),
});

const ToolSummary = builder.objectRef<ToolSummary>('ToolSummary').implement({
  access: 'inherit',
  description: 'Use of one tool before a Handoff.',
  fields: (t) => ({
    toolName: t.exposeString('toolName', { description: 'Name of the tool.' }),
    callCount: t.exposeInt('callCount', { description: 'Number of calls.' }),
    errorCount: t.exposeInt('errorCount', { description: 'Number of failed calls.' }),
    lastResult: t.exposeString('lastResult', {
      nullable: true,
      description: 'Result or error of the last call, shortened; null when it has no answer.',
    }),
  }),
});

const RecentMessage = builder.objectRef<RecentMessage>('RecentMessage').implement({
  access: 'inherit',
  description: 'A Message as a Handoff carries it.',
  fields: (t) => ({
    role: t.expose('role', { type: MessageRole, description: 'Author of the Message.' }),
    content: t.exposeString('content', { description: 'Text of the Message, shortened when long.' }),
    sequence: t.int({
      nullable: true,
      description: "Number of the Message in the Session's log; null in Handoffs older than this field.",
      resolve: (message) => message.sequence ?? null,
    }),
    shortened: t.boolean({
      nullable: true,
      description: 'Whether the log holds a longer text; null in Handoffs older than this field.',
      resolve: (message) => message.shortened ?? null,
    }),
    recordedBy: t.string({ nullable: true, description: recordedBy, resolve: (message) => message.recordedBy ?? null }),
  }),
});

const CheckOutcome = builder.enumType('CheckOutcome', {
  description: 'Result of a test, build or lint command.',
  values: {
    PASSED: { description: 'It succeeded.' },
    FAILED: { description: 'It failed.' },
    NOT_FINISHED: { description: 'It was interrupted, or has no result yet.' },
  },
});

const callId = 'Id that the model gave the ToolCall.';

const HandoffCheck = builder.objectRef<Context['checks'][number]>('HandoffCheck').implement({
  access: 'inherit',
  description: 'The last result of a test, build or lint command before the Handoff.',
  fields: (t) => ({
    command: t.exposeString('command', { description: 'The command, at most 300 characters.' }),
    outcome: t.expose('outcome', { type: CheckOutcome, description: 'Result of the command.' }),
    callId: t.exposeString('callId', { description: callId }),
    stale: t.exposeBoolean('stale', { description: 'Whether files that the command covers changed after it ran.' }),
  }),
});

const FailedAttempt = builder.objectRef<Context['failedAttempts'][number]>('FailedAttempt').implement({
  access: 'inherit',
  description: 'A command or an edit that failed and was not repeated with success before the Handoff.',
  fields: (t) => ({
    what: t.exposeString('what', { description: 'The command, or the tool and the file, at most 300 characters.' }),
    error: t.exposeString('error', { description: 'The error, at most 500 characters.' }),
    callId: t.exposeString('callId', { description: callId }),
  }),
});

/** Up to 256 KB of JSON, read once for all selected parts. */
const stored = { select: { context: true }, cost: { together: 'context', cost: 12 } } as const;

type Asked = [args: object, context: GraphQLContext, info: GraphQLResolveInfo];
const readMissing = largeColumn<Stored['context']>('handoffs', 'context', 'context::text');

/** The row with its Context, which is missing when it is large. */
export const withContext = <Row extends Stored>(handoff: Row, ...asked: Asked): Row | Promise<Row> =>
  (handoff.context as unknown) === undefined
    ? readMissing(handoff, ...asked).then((context) => ({ ...handoff, context }))
    : handoff;

/** Returns a resolver for one field of the Context. */
const carried =
  <Name extends Part>(name: Name) =>
  (handoff: Stored, ...asked: Asked): PartOf<Name> | Promise<PartOf<Name>> => {
    const row = withContext(handoff, ...asked);
    return row instanceof Promise ? row.then((found) => partOf(found, name)) : partOf(row, name);
  };

builder.prismaObjectFields(modelRef('Handoff'), (t) => ({
  summaryComposed: t.boolean({
    nullable: true,
    description:
      'True when Baton composed the summary, false when the caller gave it; null in Handoffs older than this field.',
    ...stored,
    resolve: carried('summaryComposed'),
  }),
  originalRequest: t.field({
    type: CarriedMessage,
    nullable: true,
    description:
      'The first Message in which a user states a request; Messages that an operator recorded come first. Without a user Message: the summary from which the Session continues. Null when there is neither.',
    ...stored,
    resolve: carried('originalRequest'),
  }),
  latestRequest: t.field({
    type: CarriedMessage,
    nullable: true,
    description: 'The last Message in which a user states a request; null when it is `originalRequest`.',
    ...stored,
    resolve: carried('latestRequest'),
  }),
  compactionSummary: t.field({
    type: CarriedMessage,
    nullable: true,
    description:
      "The Agent's own summary of what came before its window was last cut. Null when the window was not cut, or when the summary is `originalRequest`.",
    ...stored,
    resolve: carried('compactionSummary'),
  }),
  lastMessage: t.field({
    type: CarriedMessage,
    nullable: true,
    description:
      'The last words of the source Agent, or of an earlier one when it wrote none; null when no Agent wrote anything.',
    ...stored,
    resolve: carried('lastMessage'),
  }),
  toolSummaries: t.field({
    type: [ToolSummary],
    listSize: partOfRecord,
    description: 'Use of each tool so far.',
    ...stored,
    resolve: carried('toolSummaries'),
  }),
  lastToolCalls: t.field({
    type: [CarriedToolCall],
    listSize: partOfRecord,
    nullable: true,
    description:
      'The last 20 answered ToolCalls of the last Turn that has any, in order; null in Handoffs older than this field.',
    ...stored,
    resolve: carried('lastToolCalls'),
  }),
  filesModified: t.stringList({
    description: 'Paths written by successful tool calls, most recently touched first.',
    ...stored,
    resolve: carried('filesModified'),
  }),
  pendingTasks: t.stringList({
    description: 'Tasks of the current list that are not done, in order.',
    ...stored,
    resolve: carried('pendingTasks'),
  }),
  decisions: t.stringList({
    description: 'Decisions of the Session, oldest first.',
    ...stored,
    resolve: carried('decisions'),
  }),
  recentMessages: t.field({
    type: [RecentMessage],
    listSize: partOfRecord,
    description:
      'The Messages of users and the newest others, oldest first. Always includes the last words of the source Agent.',
    ...stored,
    resolve: carried('recentMessages'),
  }),
  contextVariables: t.field({
    type: ['ContextVariable'],
    listSize: partOfRecord,
    description: "The Session's context variables at the time of the Handoff, ordered by name.",
    ...stored,
    resolve: carried('contextVariables'),
  }),
  workspace: t.field({
    type: 'Workspace',
    nullable: true,
    description: 'Folder, branch and last commit; null when the log does not say.',
    ...stored,
    resolve: carried('workspace'),
  }),
  workingTree: t.field({
    type: 'WorkingTree',
    nullable: true,
    description: 'State of the repository as it was recorded last before the Handoff; null when it was not.',
    ...stored,
    resolve: (handoff, args, context, info) =>
      Promise.resolve(carried('workingTree')(handoff, args, context, info)).then((tree) => tree ?? null),
  }),
  checks: t.field({
    type: [HandoffCheck],
    listSize: partOfRecord,
    description: 'The last result of each test, build and lint command, most recently run last; at most 20.',
    ...stored,
    resolve: carried('checks'),
  }),
  failedAttempts: t.field({
    type: [FailedAttempt],
    listSize: partOfRecord,
    description: 'Commands and edits that failed and were not repeated with success, oldest first; the newest 20.',
    ...stored,
    resolve: carried('failedAttempts'),
  }),
  openQuestions: t.stringList({
    description: 'The last question to a person when it is unanswered; several entries when it has several parts.',
    ...stored,
    resolve: carried('openQuestions'),
  }),
  instructions: t.string({
    nullable: true,
    description:
      "The target Agent's instructions at the time of the Handoff; null when it has none, and for callers that are other Agents.",
    ...stored,
    select: { ...stored.select, targetAgentId: true },
    resolve: (handoff, args, context, info) =>
      readsInstructions(context.caller, handoff.targetAgentId)
        ? carried('instructions')(handoff, args, context, info)
        : null,
  }),
  leftOut: t.field({
    type: ContextLeftOut,
    nullable: true,
    description: 'Numbers of log entries that the Handoff does not carry; null in Handoffs older than this field.',
    ...stored,
    resolve: carried('leftOut'),
  }),
}));
