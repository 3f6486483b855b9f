import type { Promised } from './sequences.ts';

/** The types of Events. READY and HEARTBEAT are internal to the helper and never reach a program. */
export const eventTypes = [
  'SESSION_CREATED',
  'SESSION_REASSIGNED',
  'SESSION_RETURNED',
  'SESSION_UNASSIGNED',
  'SESSION_QUEUED',
  'SESSION_STAGE_CHANGED',
  'SESSION_STATUS_CHANGED',
  'SESSION_CHANGED',
  'SESSION_STUCK',
  'TOKEN_BUDGET_LOW',
  'PIPELINE_COMPLETED',
  'HANDOFF_INITIATED',
  'HANDOFF_ACCEPTED',
  'HANDOFF_REJECTED',
  'HANDOFF_COMPLETED',
  'HANDOFF_FAILED',
  'HANDOFF_CANCELLED',
  'HANDOFF_TIMED_OUT',
  'HANDOFF_REMINDED',
  'HANDOFF_ESCALATED',
  'HANDOFF_EXTENDED',
  'HANDOFF_PROPOSED',
  'HANDOFF_PROPOSED_FOR_APPROVAL',
  'HANDOFF_APPROVED',
  'HANDOFF_DECLINED',
  'QUESTION_ASKED',
  'QUESTION_ANSWERED',
  'TURN_APPENDED',
  'LOG_CHANGED',
  'AGENT_CHANGED',
  'WEBHOOK_DISABLED',
] as const;
export type EventType = (typeof eventTypes)[number];

/**
 * The events to receive: an agent's inbox; all events of handoffs, sessions and agents, or one session's or agent's; every
 * event of some sessions, or of all.
 */
export type Topic =
  | { kind: 'handoffAssigned'; agentId: string }
  | { kind: 'handoffEvents'; where?: { sessionId?: string; agentId?: string } }
  | { kind: 'sessionUpdated'; sessionIds?: readonly string[] };

export interface Request {
  field: Topic['kind'];
  query: string;
  variables: Record<string, unknown>;
  promised: Promised;
}

const promises = { handoffAssigned: 'inbox', handoffEvents: 'growing', sessionUpdated: 'sessions' } as const;

/** The fields of each Event that the helper needs; a custom document must select them too. */
const needed = 'cursor type at recovered sessionSequence inboxSequence session { id }';

/** The operation of a topic with the program's fields. Only its variable `$after` changes. */
export function requestOf(topic: Topic, fields: string): Request {
  const { variables, declared, given } = argumentsOf(topic);
  const query = `subscription (${[...declared, '$after: String'].join(', ')}) { ${topic.kind}(${[...given, 'after: $after'].join(', ')}) { ${needed} ${fields} } }`;
  return { field: topic.kind, query, variables, promised: promises[topic.kind] };
}

function argumentsOf(topic: Topic): { variables: Record<string, unknown>; declared: string[]; given: string[] } {
  switch (topic.kind) {
    case 'handoffAssigned':
      return { variables: { agentId: topic.agentId }, declared: ['$agentId: ID!'], given: ['agentId: $agentId'] };
    case 'sessionUpdated': {
      const { sessionIds } = topic;
      if (sessionIds === undefined) return { variables: {}, declared: [], given: [] };
      return { variables: { sessionIds }, declared: ['$sessionIds: [ID!]'], given: ['sessionIds: $sessionIds'] };
    }
    case 'handoffEvents': {
      const where = Object.entries(topic.where ?? {}).filter(([, id]) => id !== undefined);
      if (where.length === 0) return { variables: {}, declared: [], given: [] };
      return {
        variables: Object.fromEntries(where),
        declared: where.map(([name]) => `$${name}: ID`),
        given: [`where: { ${where.map(([name]) => `${name}: $${name}`).join(', ')} }`],
      };
    }
  }
}
