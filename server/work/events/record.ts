import type { Work } from '../../core/work.ts';
import type { SessionStatus } from '../../generated/prisma/client.ts';
import { topics, type EventType, type Part } from './topics.ts';

/** A Session whose row this transaction has locked. */
export interface Stream {
  id: string;
  status: SessionStatus;
  eventCount: number;
  lastActivityAt?: Date;
}

/** Events that show no work, no move and no change of status. */
const passive: readonly EventType[] = ['SESSION_CHANGED', 'SESSION_STUCK', 'HANDOFF_REMINDED'];

/** An agent whose row this transaction has locked. */
export interface Listener {
  id: string;
  inboxSequence: number;
}

export interface Fact {
  type: EventType;
  /** Null only for AGENT_CHANGED and WEBHOOK_DISABLED. */
  session: Stream | null;
  /** The holder after this event; null for AGENT_CHANGED. */
  holderId?: string | null;
  handoffId?: string | null;
  reason?: string | null;
  summary?: string | null;
  metadata?: unknown;
  parts: Partial<Record<Part, Listener | null>>;
}

/**
 * Stages one Event with the next number of its Session's stream and of each recipient's inbox, and returns its id. Numbers
 * are taken under row locks, so their order is the order of commits.
 */
export function record(
  work: Work,
  { type, session, holderId = null, handoffId = null, reason = null, summary = null, metadata = null, parts }: Fact,
): string {
  const eventId = work.newId();
  if (session !== null)
    work.change('sessions', session, {
      eventCount: session.eventCount + 1,
      ...(!passive.includes(type) && { lastActivityAt: work.now }),
    });
  work.insert('events', {
    id: eventId,
    type,
    at: work.now,
    sessionId: session?.id ?? null,
    sessionSequence: session?.eventCount ?? null,
    sessionStatus: session?.status ?? null,
    handoffId,
    agentId: parts.agent?.id ?? holderId,
    holderId,
    reason,
    summary,
    metadata: metadata as never,
    actorPrincipal: work.caller.principal,
    actorRole: work.caller.role,
    traceparent: work.traceparent,
  });
  work.announce(null);
  const recipients = new Set(topics[type].map((part) => parts[part]).filter((agent) => agent != null));
  for (const agent of recipients) {
    work.change('agents', agent, { inboxSequence: agent.inboxSequence + 1 });
    work.insert('inbox_entries', { agentId: agent.id, sequence: agent.inboxSequence, eventId });
    work.announce({ agentId: agent.id, number: agent.inboxSequence });
  }
  return eventId;
}
