/** An agent's role in an Event. */
export type Part = 'holder' | 'previousHolder' | 'source' | 'target' | 'agent';

/**
 * The recipients of each Event's type. Session events are also in their Session's stream. An operation's recipients are the
 * union over its events: a reassign that replaces A -> B with A -> C writes HANDOFF_CANCELLED (B, A), HANDOFF_INITIATED (C,
 * A) and SESSION_REASSIGNED (C, B, A). READY and HEARTBEAT of a subscription are not stored.
 */
export const topics = {
  SESSION_CREATED: ['holder'],
  SESSION_REASSIGNED: ['holder', 'previousHolder', 'source'],
  SESSION_RETURNED: ['holder', 'previousHolder', 'source'],
  SESSION_UNASSIGNED: ['previousHolder', 'source'],
  SESSION_QUEUED: ['previousHolder', 'source'],
  SESSION_STATUS_CHANGED: ['holder'],
  SESSION_CHANGED: ['holder'],
  SESSION_STUCK: ['holder'],
  TOKEN_BUDGET_LOW: ['holder'],
  SESSION_STAGE_CHANGED: ['holder'],
  PIPELINE_COMPLETED: ['holder'],
  HANDOFF_INITIATED: ['target', 'source'],
  HANDOFF_ACCEPTED: ['target', 'source'],
  HANDOFF_REJECTED: ['target', 'source'],
  HANDOFF_COMPLETED: ['target', 'source'],
  HANDOFF_FAILED: ['target', 'source'],
  HANDOFF_CANCELLED: ['target', 'source'],
  HANDOFF_TIMED_OUT: ['target', 'source'],
  HANDOFF_REMINDED: ['target', 'source'],
  HANDOFF_ESCALATED: ['target', 'source'],
  HANDOFF_EXTENDED: ['target', 'source'],
  HANDOFF_PROPOSED: ['holder'],
  HANDOFF_PROPOSED_FOR_APPROVAL: ['source'],
  HANDOFF_APPROVED: ['source'],
  HANDOFF_DECLINED: ['source'],
  QUESTION_ASKED: ['holder'],
  QUESTION_ANSWERED: ['holder'],
  TURN_APPENDED: [],
  LOG_CHANGED: [],
  AGENT_CHANGED: ['agent'],
  WEBHOOK_DISABLED: [],
} as const satisfies Record<string, readonly Part[]>;

/** A type of stored Events. The database keeps it as text: this list is its only definition. */
export type EventType = keyof typeof topics;
