import { tenureSpan, traceparentOf } from '../../core/traceparent.ts';
import { isOpenTenure } from '../../work/sessions/queries.ts';
import { builder } from '../graphql/builder.ts';

const AgentSessionState = builder.enumType('AgentSessionState', {
  description: 'States of a tenure. PENDING, ACTIVE and PAUSED are open; the others are final.',
  values: {
    PENDING: { description: 'The Agent was given the Session and has not accepted yet.' },
    ACTIVE: { description: 'The Agent works on the Session.' },
    PAUSED: { description: 'The Agent holds the Session, which is paused.' },
    HANDED_OFF: { description: 'The Agent passed the Session on, or the Session was taken from it.' },
    COMPLETED: { description: 'The Agent held the Session when it ended.' },
    FAILED: { description: 'The Session or its Handoff failed while the Agent held it.' },
    DECLINED: {
      description: 'The Agent never took over: the Handoff was rejected, cancelled or timed out, or the Session ended.',
    },
  },
});

const TenureClaim = builder.objectRef<{ runnerId: string; until: Date }>('TenureClaim').implement({
  access: 'inherit',
  description: 'The claim of a runner on a tenure: no other runner works in it meanwhile.',
  fields: (t) => ({
    runnerId: t.exposeID('runnerId', { description: 'Id of the runner, as it named itself.' }),
    until: t.expose('until', {
      type: 'DateTime',
      description: 'Time at which the claim lapses unless the runner renews it. A past time: it has lapsed.',
    }),
  }),
});

builder.prismaNode('AgentSession', {
  access: 'inherit',
  id: { field: 'id' },
  nullable: true,
  select: { id: true },
  description: "One Agent's tenure in a Session, from receiving it to letting it go. A tenure never reopens.",
  fields: (t) => ({
    agent: t.relation('agent', { description: 'The Agent of this tenure.' }),
    session: t.relation('session', { description: 'The Session of this record.' }),
    state: t.expose('state', { type: AgentSessionState, description: 'State of the tenure.' }),
    startSequence: t.exposeInt('startSequence'),
    endSequence: t.exposeInt('endSequence', { nullable: true }),
    initiatedByHandoff: t.relation('initiatedByHandoff', {
      nullable: true,
      description:
        'The Handoff that began the tenure; null when the Session was created with the Agent, returned, or moved without a Handoff.',
    }),
    startedBy: t.relation('startedBy', {
      cost: 2,
      nullable: true,
      description:
        'The Event that began the tenure: SESSION_CREATED, SESSION_REASSIGNED or SESSION_RETURNED. Carries reason, summary and metadata of a move without a Handoff.',
    }),
    proposal: t.relation('proposal', {
      cost: 2,
      nullable: true,
      description:
        'The HANDOFF_PROPOSED that stands: the window of the Agent was nearly full at the last report. Null when it was not, and when no usage is reported. Its `metadata` has the targets of that moment.',
    }),
    terminatedByHandoff: t.relation('terminatedByHandoff', {
      nullable: true,
      description: 'The Handoff that ended the tenure; null while it is open, or when something else ended it.',
    }),
    traceparent: t.string({
      description:
        'W3C `traceparent` of this tenure in the trace of its Session. A program of the Agent that begins its spans with it adds them to that trace, below the tenure.',
      select: { id: true, sessionId: true },
      resolve: ({ id, sessionId }) => traceparentOf(tenureSpan(sessionId, id)),
    }),
    claim: t.field({
      type: TenureClaim,
      nullable: true,
      description:
        'The last claim by claimTenure, also when it has lapsed. Null when no runner claimed the tenure, when its runner released it, and when the tenure has ended.',
      select: { state: true, runnerId: true, claimEndsAt: true },
      resolve: ({ state, runnerId, claimEndsAt }) =>
        runnerId === null || claimEndsAt === null || !isOpenTenure({ state }) ? null : { runnerId, until: claimEndsAt },
    }),
    startedAt: t.expose('startedAt', {
      type: 'DateTime',
      description: 'Time at which the Agent was given the Session.',
    }),
    activatedAt: t.expose('activatedAt', { type: 'DateTime', nullable: true }),
    endedAt: t.expose('endedAt', { type: 'DateTime', nullable: true }),
  }),
});
