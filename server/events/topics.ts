import type { EventType } from '../generated/prisma/client.ts';

/** An agent's part in the act that an Event records. */
export type Part = 'holder' | 'previousHolder' | 'source' | 'target' | 'agent';

/**
 * Every Event, and into whose inbox it goes. Session events are also in their Session's stream. Who hears of an
 * act is the union over its events: a reassign that supersedes A -> B by A -> C writes HANDOFF_CANCELLED
 * (B, A), HANDOFF_INITIATED (C, A) and SESSION_REASSIGNED (C, B, A).
 */
export const topics: Record<EventType, readonly Part[]> = {
  SESSION_CREATED: ['holder'],
  SESSION_REASSIGNED: ['holder', 'previousHolder', 'source'],
  SESSION_RETURNED: ['holder', 'previousHolder', 'source'],
  SESSION_UNASSIGNED: ['previousHolder', 'source'],
  SESSION_STATUS_CHANGED: ['holder'],
  SESSION_CHANGED: ['holder'],
  HANDOFF_INITIATED: ['target', 'source'],
  HANDOFF_ACCEPTED: ['target', 'source'],
  HANDOFF_REJECTED: ['target', 'source'],
  HANDOFF_COMPLETED: ['target', 'source'],
  HANDOFF_FAILED: ['target', 'source'],
  HANDOFF_CANCELLED: ['target', 'source'],
  HANDOFF_TIMED_OUT: ['target', 'source'],
  TURN_APPENDED: [],
  LOG_CHANGED: [],
  AGENT_CHANGED: ['agent'],
};
