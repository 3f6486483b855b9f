import { encodeId } from '../../core/ids.ts';
import { handoffSpan, sessionSpan, type SpanId, spanOf, tenureSpan } from '../../core/traceparent.ts';
import type { HandoffRow, SessionRow, TenureRow } from './read.ts';

type Attributes = Record<string, string | number | boolean>;
/** Attributes; null and undefined leave one out. */
type Given = Record<string, string | number | boolean | null | undefined>;

export interface Span {
  name: string;
  id: SpanId;
  /** Null: the root of the trace. */
  parent: SpanId | null;
  start: Date;
  end: Date;
  attributes: Attributes;
  links: { to: SpanId; attributes: Attributes }[];
  events: { name: string; at: Date }[];
  /** Undefined: it did not fail. Otherwise its reason; null when none was given. */
  failure?: string | null;
}

const present = (given: Given): Attributes =>
  Object.fromEntries(
    Object.entries(given).filter((entry): entry is [string, string | number | boolean] => entry[1] != null),
  );

/** The span that caused a record, when the caller named it. */
const causedBy = (traceparent: string | null): Span['links'] =>
  traceparent === null ? [] : [{ to: spanOf(traceparent), attributes: { 'baton.link': 'caused by' } }];

const conversation = (sessionId: string): Attributes => ({ 'gen_ai.conversation.id': encodeId('session', sessionId) });

/** The root: the moment at which the Session was created. It ends at once, so that a trace is whole while the Session is open. */
export const ofSession = ({ id, title, project, externalId, pipeline, at, traceparent }: SessionRow): Span => ({
  name: 'session',
  id: sessionSpan(id),
  parent: null,
  start: at,
  end: at,
  attributes: {
    ...conversation(id),
    ...present({
      'baton.session.title': title,
      'baton.session.project': project,
      'baton.session.external_id': externalId,
      'baton.pipeline': pipeline,
    }),
  },
  links: causedBy(traceparent),
  events: [],
});

/** A tenure, from receiving the Session to letting it go, linked to the tenure before. */
export function ofTenure({
  id,
  sessionId,
  agentId,
  state,
  startedAt,
  activatedAt,
  endedAt,
  previousId,
  handoff,
  ...row
}: TenureRow): Span {
  const by =
    handoff === null
      ? {}
      : {
          'baton.handoff.id': encodeId('handoff', handoff.id),
          'baton.handoff.via': handoff.via,
          'baton.handoff.status': handoff.status,
          'baton.handoff.reason': handoff.reason,
        };
  const previous =
    previousId === null
      ? []
      : [{ to: tenureSpan(sessionId, previousId), attributes: present({ 'baton.link': 'tenure before', ...by }) }];
  return {
    name: `invoke_agent ${agentId}`,
    id: tenureSpan(sessionId, id),
    parent: sessionSpan(sessionId),
    start: startedAt,
    end: endedAt,
    attributes: {
      ...conversation(sessionId),
      ...present({
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.id': agentId,
        'gen_ai.agent.name': row.agentName,
        'gen_ai.request.model': row.model,
        'gen_ai.usage.input_tokens': row.inputTokens || null,
        'gen_ai.usage.output_tokens': row.outputTokens || null,
        'baton.agent.type': row.agentType,
        'baton.tenure.id': encodeId('agentsession', id),
        'baton.tenure.state': state,
        'baton.tenure.turns': row.turns,
        ...by,
      }),
    },
    links: [...previous, ...causedBy(row.traceparent)],
    events: activatedAt === null || activatedAt <= startedAt ? [] : [{ name: 'accepted', at: activatedAt }],
    ...(state === 'FAILED' && { failure: null }),
  };
}

const failed = new Set(['REJECTED', 'FAILED', 'TIMED_OUT']);

/** A Handoff, from its start to its final status, below the tenure that it left. */
export function ofHandoff({ id, sessionId, status, initiatedAt, acceptedAt, closedAt, ...row }: HandoffRow): Span {
  return {
    name: `handoff ${row.targetAgentId}`,
    id: handoffSpan(sessionId, id),
    parent: row.sourceTenureId === null ? sessionSpan(sessionId) : tenureSpan(sessionId, row.sourceTenureId),
    start: initiatedAt,
    end: closedAt,
    attributes: {
      ...conversation(sessionId),
      ...present({
        'baton.handoff.id': encodeId('handoff', id),
        'baton.handoff.status': status,
        'baton.handoff.via': row.via,
        'baton.handoff.reason': row.reason,
        'baton.handoff.depth': row.depth,
        'baton.handoff.token_estimate': row.tokenEstimate,
        'baton.handoff.source': row.sourceAgentId,
        'baton.handoff.target': row.targetAgentId,
      }),
    },
    links: [
      { to: tenureSpan(sessionId, row.targetTenureId), attributes: { 'baton.link': 'target' } },
      ...causedBy(row.traceparent),
    ],
    events: acceptedAt === null ? [] : [{ name: 'accepted', at: acceptedAt }],
    ...(failed.has(status) && { failure: row.endReason }),
  };
}
