import { queryFromInfo } from '@pothos/plugin-prisma';
import { sessionSpan, tenureSpan, traceparentOf } from '../../core/traceparent.ts';
import type { Item } from '../../delivery/live/hub.ts';
import { cursorsOf, placeOf } from '../../work/events/cursors.ts';
import { tenuresOfEvents } from '../../work/events/tenures.ts';
import type { EventType as StoredType } from '../../work/events/topics.ts';
import { agentsOfKeys } from '../../work/keys/principals.ts';
import { admins } from '../access/roles.ts';
import { agentNamed } from '../graphql/agentNamed.ts';
import { batched } from '../graphql/batch.ts';
import { builder, modelRef } from '../graphql/builder.ts';
import { Role, SessionStatus } from '../graphql/enums.ts';
import { keyName, keyOf } from '../graphql/keyNames.ts';

/** The extra fields of an Event that a subscription delivers. */
const delivered = (event: object): Partial<Item> => event;

builder.objectType('Actor', {
  access: 'inherit',
  description: 'The caller that made a change.',
  fields: (t) => ({
    principal: t.exposeString('actorPrincipal', {
      description:
        'Id of the key that was used; `admin` for BATON_ADMIN_KEY, `npm run key` for that command, `loopback` on a server without keys, `demo` for the demonstration data, `sweep` for a time-out by Baton, `queue` for a Session that left the queue.',
    }),
    role: t.expose('actorRole', {
      type: Role,
      nullable: true,
      description: 'Role of the caller; null for Baton itself.',
    }),
    name: t.string({
      nullable: true,
      description: 'Name of the key that was used, for people; null for callers without a stored key.',
      resolve: ({ actorPrincipal }, _args, context, info) => keyName(actorPrincipal, context, info),
    }),
    agent: t.field({
      type: modelRef('Agent'),
      nullable: true,
      description: 'The Agent that the key is bound to; null for callers without an Agent.',
      resolve: async ({ actorPrincipal }, _args, context, info) => {
        const key = keyOf(actorPrincipal);
        if (key === null) return null;
        const path = { prev: info.path, key: '(agent of the key)', typename: undefined };
        const id = await batched(context, { path }, key, (ids) => agentsOfKeys(context.pool, ids));
        return id === undefined ? null : agentNamed(id, context, info);
      },
    }),
    key: t.field({
      access: admins,
      type: modelRef('Key'),
      nullable: true,
      description:
        'The key that was used; null for callers without a stored key. FORBIDDEN unless the caller is an ADMIN.',
      resolve: async ({ actorPrincipal }, _args, context, info) => {
        const key = keyOf(actorPrincipal);
        if (key === null) return null;
        const query = queryFromInfo({ context, info, typeName: 'Key', select: { id: true } });
        const found = await batched(context, info, key, async (ids) => {
          const keys = await context.prisma.key.findMany({ ...query, where: { id: { in: [...ids] } } });
          return new Map(keys.map((each) => [each.id, each]));
        });
        return found ?? null;
      },
    }),
  }),
});

type EventName = StoredType | 'READY' | 'HEARTBEAT';

const EventType = builder.enumType('EventType', {
  description: 'Types of Events.',
  values: {
    READY: { description: 'The subscription has begun. Concerns no Session; not stored.' },
    HEARTBEAT: { description: 'Shows that the subscription is alive. Concerns no Session; not stored.' },
    SESSION_CREATED: { description: 'A Session was created.' },
    SESSION_REASSIGNED: { description: 'A Session was given to an Agent.' },
    SESSION_RETURNED: { description: 'A Session returned to the Agent from which it came.' },
    SESSION_UNASSIGNED: { description: 'A Session could not return and is unassigned.' },
    SESSION_QUEUED: { description: 'A Session waits in the queue for an Agent.' },
    SESSION_STUCK: {
      description:
        'A limit refused a handoff of the holder: `reason` is the refusal with what to do, `metadata` has its `code`, HANDOFF_LOOP (the holder has to do some work first) or MAX_HANDOFFS_REACHED (an operator has to reassign the Session). Repeated refusals make one Event.',
    },
    TOKEN_BUDGET_LOW: {
      description:
        'A Session has used 80 % of its token budget. Nothing has changed. `metadata` has `usedTokens` and `tokenBudget`. Written once for each budget.',
    },
    SESSION_CHANGED: { description: 'Fields of a Session were changed by updateSession.' },
    SESSION_STAGE_CHANGED: {
      description:
        'A Session entered a stage of its pipeline, went back to one, or left the pipeline. `metadata` has `pipeline`, `version`, `from`, `outcome` and `stage`. Follows the event of the move.',
    },
    PIPELINE_COMPLETED: {
      description:
        'A Session reached the end of its pipeline. `metadata` has `pipeline`, `version`, `from` and `outcome`. Follows SESSION_STATUS_CHANGED.',
    },
    SESSION_STATUS_CHANGED: { description: 'A Session was paused, resumed or ended.' },
    HANDOFF_INITIATED: { description: 'A Handoff was started.' },
    HANDOFF_ACCEPTED: { description: 'The target accepted.' },
    HANDOFF_REJECTED: { description: 'The target declined.' },
    HANDOFF_COMPLETED: { description: 'The target took over.' },
    HANDOFF_FAILED: { description: 'A Handoff failed.' },
    HANDOFF_CANCELLED: { description: 'A Handoff was cancelled or superseded.' },
    HANDOFF_TIMED_OUT: { description: 'The target did not accept in time.' },
    HANDOFF_REMINDED: {
      description:
        'A Handoff waits for its target, or while it is PROPOSED for a person, and the reminder is due. Nothing else changed.',
    },
    HANDOFF_ESCALATED: {
      description:
        'A Handoff timed out and no other Agent of the stage is left: the Session goes where the stage escalates to. `handoff` is the one that timed out; `metadata` has `stage` and `escalateTo`. Follows HANDOFF_TIMED_OUT.',
    },
    HANDOFF_EXTENDED: { description: 'The deadline of a Handoff was moved.' },
    HANDOFF_PROPOSED: {
      description:
        "The window of the holder's model is nearly full: a Handoff is proposed, and nothing has moved. `metadata` has `windowTokens`, `contextWindow` (null when not known), `compaction` (true when the program announced one) and `targets`, a list of `{agentId, freePlaces, outcome}`: up to 5 Agents to which the holder may hand off. Concerns no Handoff.",
    },
    HANDOFF_PROPOSED_FOR_APPROVAL: {
      description:
        'An Agent wants to hand off, and a person has to approve it: `handoff` is PROPOSED, and nothing has moved. `metadata` has `demandedBy`.',
    },
    HANDOFF_APPROVED: {
      description:
        'A person approved a Handoff. `reason` is the note, `metadata` has `edited`, the names of the fields that were changed before. HANDOFF_INITIATED follows.',
    },
    HANDOFF_DECLINED: { description: 'A person declined a Handoff; `reason` says why. Nothing has moved.' },
    QUESTION_ASKED: {
      description:
        'The holder asks a person: `reason` is the question, `metadata` has `questionId`. SESSION_STATUS_CHANGED to PAUSED follows.',
    },
    QUESTION_ANSWERED: {
      description:
        'A person answered: `reason` is the answer, `metadata` has `questionId`. SESSION_STATUS_CHANGED to RUNNING follows.',
    },
    TURN_APPENDED: { description: 'A Turn was appended, or a transcript imported.' },
    LOG_CHANGED: {
      description: 'A decision, tasks, a snapshot, a working tree or results of tool calls were recorded.',
    },
    AGENT_CHANGED: { description: 'An Agent was registered, changed or archived. Concerns no Session.' },
    WEBHOOK_DISABLED: {
      description:
        'Baton disabled a webhook: its receiver failed for 24 hours, or answered 410. `metadata` has `webhookId` and `reason` (`FAILING` or `GONE`). Concerns no Session.',
    },
  } satisfies Record<EventName, { description: string }>,
});

builder.prismaNode('Event', {
  access: 'inherit',
  id: { field: 'id' },
  nullable: true,
  select: { id: true },
  description:
    'One committed fact. `session`, `handoff` and `agent` return the current state, not the state at the time of the Event.',
  fields: (t) => ({
    cursor: t.string({
      description:
        'Position in this stream. Send it as `after` to continue after this Event; on READY and HEARTBEAT it is the position of the stream. Opaque.',
      select: { id: true, sessionId: true, sessionSequence: true },
      resolve: async (event, _args, { pool }) =>
        delivered(event).cursor ?? (await cursorsOf(pool)).encode(placeOf(event), event.id),
    }),
    type: t.field({
      type: EventType,
      description: 'Type of the Event.',
      select: { type: true },
      resolve: ({ type }) => type as EventName,
    }),
    at: t.expose('at', { type: 'DateTime' }),
    recovered: t.boolean({
      nullable: true,
      description: 'On READY with `after`: true when everything missed follows. Null otherwise.',
      resolve: (event) => delivered(event).recovered ?? null,
    }),
    sessionSequence: t.exposeInt('sessionSequence', { nullable: true }),
    inboxSequence: t.int({
      nullable: true,
      description: 'Number in this inbox: 1..n without gaps; null outside an inbox.',
      resolve: (event) => delivered(event).inboxSequence ?? null,
    }),
    actor: t.field({
      type: 'Actor',
      nullable: true,
      description: 'The caller that caused the Event; null for READY and HEARTBEAT.',
      select: { actorPrincipal: true, actorRole: true },
      resolve: (event) => (event.actorPrincipal === null ? null : event),
    }),
    sessionStatus: t.expose('sessionStatus', {
      type: SessionStatus,
      nullable: true,
      description:
        'Status of the Session after the Event; null for AGENT_CHANGED, WEBHOOK_DISABLED, READY and HEARTBEAT.',
    }),
    reason: t.exposeString('reason', { nullable: true }),
    summary: t.exposeString('summary', { nullable: true }),
    traceparent: t.string({
      nullable: true,
      cost: 1,
      description:
        'W3C `traceparent` of what caused the Event: what came with the mutation, else that of the AgentSession that the Session was in, by which programs add their spans to the trace of the Session. Null for READY, HEARTBEAT, and Events without a Session to which none came.',
      select: { id: true, traceparent: true, sessionId: true },
      resolve: async ({ id, traceparent, sessionId }, _args, context, info) => {
        if (traceparent !== null || sessionId === null) return traceparent;
        const tenureId = await batched(context, info, id, (ids) => tenuresOfEvents(context.pool, ids));
        return traceparentOf(tenureId === undefined ? sessionSpan(sessionId) : tenureSpan(sessionId, tenureId));
      },
    }),
    metadata: t.expose('metadata', {
      type: 'JSON',
      nullable: true,
      description:
        'Metadata of a move without a Handoff, of events of a pipeline, of HANDOFF_PROPOSED and of WEBHOOK_DISABLED; null otherwise. A Handoff has its own metadata.',
    }),
    session: t.relation('session', {
      nullable: true,
      description: 'The Session of the Event; null for AGENT_CHANGED, WEBHOOK_DISABLED, READY and HEARTBEAT.',
    }),
    handoff: t.relation('handoff', {
      nullable: true,
      description: 'The Handoff of the Event; null when it concerns none.',
    }),
    agent: t.relation('agent', {
      nullable: true,
      description:
        'The holder of the Session after the Event, or the Agent that changed; null when the Session is unassigned.',
    }),
  }),
});
