import type { Role } from '../core/work.ts';

/**
 * Who may ask for which field. What an AGENT finds behind a field is another matter: records that it may not read are
 * not there for it (core/readable.ts), and whether it may change one that it reads is asked under the lock (rules.ts).
 */
export type Rule =
  /** Whoever sees the record that it is a field of. */
  | 'inherit'
  /** The same, but of an Agent only that Agent itself when the caller is an AGENT. */
  | 'ownAgent'
  | readonly Role[];

const everybody: readonly Role[] = ['AGENT', 'OPERATOR', 'ANALYST', 'ADMIN'];
const workers: readonly Role[] = ['AGENT', 'OPERATOR', 'ADMIN'];
const operators: readonly Role[] = ['OPERATOR', 'ADMIN'];
const admins: readonly Role[] = ['ADMIN'];

type Fields = Readonly<Record<string, Rule>>;

const each = (rule: Rule, names: string): Fields => Object.fromEntries(names.trim().split(/\s+/).map((name) => [name, rule]));
const inherit = (names: string): Fields => each('inherit', names);

/** Every field of every type by name. A field that is missing here keeps the schema from being built. */
export const policy: Readonly<Record<string, Fields>> = {
  Query: {
    ...each(everybody, 'session sessions agent agents handoff handoffs handoffGraph contextPreview contextItem sessionEvents viewer rateLimit node nodes'),
    keys: admins,
  },
  Mutation: {
    ...each(workers, 'appendTurn recordDecision setTasks captureSnapshot importTranscript'),
    ...each(workers, 'acceptHandoff rejectHandoff completeHandoff failHandoff initiateHandoff cancelHandoff'),
    ...each(workers, 'pauseSession resumeSession completeSession failSession updateSession'),
    ...each(operators, 'createSession cancelSession reassignSession timeOutHandoff cancelPendingHandoffs'),
    ...each(operators, 'registerAgent updateAgent archiveAgent setAgentStatus'),
    ...each(admins, 'createKey revokeKey'),
  },
  Subscription: each(everybody, 'handoffAssigned handoffEvents sessionUpdated'),

  // What an agent needs to choose whom to hand off to, of everybody; the rest, of itself.
  Agent: {
    ...inherit('id type name role description status administrativeStatus currentLoad maxCapacity freePlaces registeredAt archivedAt'),
    // Of the Sessions and Handoffs of its own there is none that it may not read; those with others are in `handoffs`.
    ...each('ownAgent', 'instructions collaborators metadata totalAssigned sessions handoffsReceived handoffsGiven'),
  },
  Session: inherit(`id title status version agent agentType previousAgentType contextVariables metadata result summary endReason handoffsEnabled maxHandoffs
    createdAt updatedAt lastReassignedAt lastHandoff openHandoff handoffs agentSessions agentSession turns messages decisions tasks snapshots usage`),
  AgentSession: inherit(`id agent session state startSequence endSequence initiatedByHandoff terminatedByHandoff turns snapshots latestSnapshot startedAt
    startedBy activatedAt endedAt`),
  Handoff: inherit(`id status via reason summary summaryComposed originalRequest latestRequest compactionSummary lastMessage lastToolCalls leftOut toolSummaries filesModified
    pendingTasks decisions recentMessages contextVariables workspace checks failedAttempts openQuestions instructions metadata depth circular tokenEstimate redactionCount contentHash sourceAgent
    sourceAgentType targetAgent targetAgentType sourceAgentSession targetAgentSession priorTurn triggeringToolCalls snapshot session initiatedAt acceptedAt
    completedAt closedAt deadlineAt rejectionReason failureReason cancelReason actor returnOf previous next chain markdown contextPrompt`),
  Turn: inherit('id index session agentSession messages toolCalls usage workspace truncated startedAt'),
  Message: inherit('id sequence role content session agentSession turn handoff createdAt recordedBy'),
  ToolCall: inherit('id callId name arguments result error filesModified index sequence turn message'),
  Decision: inherit('id text recordedAt agentSession'),
  Task: inherit('id position content status'),
  ContextSnapshot: inherit('id type session agentSession sequenceStart sequenceEnd messageCounts visibleToolCalls visibleToolCallCount tokenEstimate capturedAt'),
  Event: inherit('id cursor type at recovered sessionSequence inboxSequence actor reason summary metadata session handoff agent'),
  Key: inherit('id name role agent createdBy createdAt expiresAt revokedAt'),
  Viewer: inherit('role agent key'),
  RateLimit: inherit('reads writes'),
  RateAllowance: inherit('limit burst remaining resetAt'),

  HandoffGraph: inherit('nodes edges'),
  HandoffGraphNode: inherit('agent received given'),
  HandoffGraphEdge: inherit('source target count byStatus medianAcceptMs'),
  HandoffStatusCount: inherit('status count'),
  Actor: inherit('principal role'),
  Workspace: inherit('folder branch commit'),
  HandoffStep: inherit('from to at status'),
  Usage: inherit('inputTokens outputTokens cacheCreationInputTokens cacheReadInputTokens model'),
  MessageCounts: inherit('user assistant system tool handoff total'),
  ToolSummary: inherit('toolName callCount errorCount lastResult'),
  RecentMessage: inherit('sequence role content shortened recordedBy'),
  ContextVariable: inherit('name value setBy'),
  CarriedMessage: inherit('sequence content shortened agentId recordedBy'),
  HandoffCheck: inherit('command outcome callId stale'),
  FailedAttempt: inherit('what error callId'),
  CarriedToolCall: inherit('toolName arguments outcome failed shortened'),
  ContextLeftOut: inherit('tasks decisions files tools calls unansweredCalls messages shortened'),
  ContextPrompt: inherit('text tokenEstimate kept dropped'),
  ContextPreview: inherit('text tokenEstimate kept dropped redactionCount'),
  KeptContextItem: inherit('id kind shortened'),
  DroppedContextItem: inherit('id kind reason'),
  ContextItem: inherit('kind content'),
  ImportReport: inherit(`format lines badLines hugeLines entryTypes unknownTypes humanMessages assistantMessages firstAt lastAt messagesAdded turnsAdded
    toolCallsAdded toolCalls resultsFilled toolErrors filesModified tasks usage compactions sidechainLines thinkingBlocks replacedCharacters shortened
    redactions alreadyKnown`),
  EntryTypeCount: inherit('type count'),
  ToolCount: inherit('name count'),
  ImportedTask: inherit('content status'),
  PageInfo: inherit('hasNextPage hasPreviousPage startCursor endCursor'),
};

/** Types that come in many by the same make: what a mutation answers, pages of lists. Whoever got there may see them. */
const makes: readonly { suffix: string; fields: Fields }[] = [
  {
    suffix: 'Payload',
    fields: inherit(`session handoff handoffs agent turn decision tasks snapshot report key secret handoffCreated previousAgent previousAgentType assignedAgent
      message`),
  },
  {
    suffix: 'Error',
    fields: inherit(`message code path id expectedVersion actualVersion state allowed agentId status currentLoad maxCapacity expectedType actualType agentType
      targetAgentId collaborators count maxHandoffs chain idempotencyKey limit actual`),
  },
  { suffix: 'Connection', fields: inherit('edges nodes pageInfo totalCount') },
  { suffix: 'Edge', fields: inherit('cursor node') },
];

/** Undefined when there is no entry. */
export function ruleOf(type: string, field: string): Rule | undefined {
  const fields = policy[type] ?? makes.find(({ suffix }) => type.endsWith(suffix))?.fields;
  return fields !== undefined && Object.hasOwn(fields, field) ? fields[field] : undefined;
}
