import { createHash } from 'node:crypto';
import { encodeId } from './ids.ts';

const form = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const sampled = '01';

/**
 * A `traceparent` of W3C Trace Context, written as version 00. Null when it is not one; the trace then begins anew. Of later
 * versions the part is read that version 00 has.
 */
export function readTraceparent(text: unknown): string | null {
  if (typeof text !== 'string' || text.length > 512) return null;
  const [found, version, traceId, spanId, flags, more] = form.exec(text) ?? [];
  if (found === undefined || (version === '00' && more !== undefined)) return null;
  // Only the first flag is known in version 00.
  return `00-${traceId}-${spanId}-${version === '00' ? flags : (Number.parseInt(flags!, 16) & 1) === 1 ? sampled : '00'}`;
}

export interface SpanId {
  traceId: string;
  spanId: string;
}

const hash = (id: string): string => createHash('sha256').update(id).digest('hex');

/** The span of a Session, which begins its trace. Computed from its id, so that every process and every program finds the same. */
export function sessionSpan(sessionId: string): SpanId {
  const hex = hash(encodeId('session', sessionId));
  return { traceId: hex.slice(0, 32), spanId: hex.slice(32, 48) };
}

/** The span of a tenure (AgentSession) in the trace of its Session. */
export const tenureSpan = (sessionId: string, tenureId: string): SpanId => ({
  traceId: sessionSpan(sessionId).traceId,
  spanId: hash(encodeId('agentsession', tenureId)).slice(0, 16),
});

/** The span of a Handoff in the trace of its Session. */
export const handoffSpan = (sessionId: string, handoffId: string): SpanId => ({
  traceId: sessionSpan(sessionId).traceId,
  spanId: hash(encodeId('handoff', handoffId)).slice(0, 16),
});

export const traceparentOf = ({ traceId, spanId }: SpanId): string => `00-${traceId}-${spanId}-${sampled}`;

/** The span that a valid `traceparent` names. */
export function spanOf(traceparent: string): SpanId & { sampled: boolean } {
  const [, traceId, spanId, flags] = traceparent.split('-');
  return { traceId: traceId!, spanId: spanId!, sampled: (Number.parseInt(flags!, 16) & 1) === 1 };
}
