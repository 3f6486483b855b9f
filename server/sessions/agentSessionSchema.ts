import { builder } from '../graphql/builder.ts';

const AgentSessionState = builder.enumType('AgentSessionState', {
  description: 'Where a tenure is. PENDING, ACTIVE and PAUSED are open, the others final.',
  values: {
    PENDING: { description: 'The Agent has been given the Session and has not accepted yet.' },
    ACTIVE: { description: 'It works on the Session.' },
    PAUSED: { description: 'It holds the Session, which is paused.' },
    HANDED_OFF: { description: 'It passed the Session on, or the Session was taken from it.' },
    COMPLETED: { description: 'It held the Session when that ended.' },
    FAILED: { description: 'The Session or its Handoff failed while it held it.' },
    DECLINED: { description: 'It never took over: the Handoff was rejected, cancelled, or timed out, or the Session ended.' },
  },
});

builder.prismaNode('AgentSession', {
  access: 'inherit',
  id: { field: 'id' },
  nullable: true,
  select: { id: true },
  description: "One Agent's tenure in a Session, from the moment it receives it to the moment it lets go. It never reopens.",
  fields: (t) => ({
    agent: t.relation('agent', { description: 'Whose tenure it is.' }),
    session: t.relation('session', { description: 'The Session that it is in.' }),
    state: t.expose('state', { type: AgentSessionState, description: 'Where it is.' }),
    startSequence: t.exposeInt('startSequence'),
    endSequence: t.exposeInt('endSequence', { nullable: true }),
    initiatedByHandoff: t.relation('initiatedByHandoff', {
      nullable: true,
      description: 'The Handoff that began it; null when it began without one: with the Session, by a return, or by a move that skipped it.',
    }),
    startedBy: t.relation('startedBy', {
      cost: 2,
      nullable: true,
      description: 'The Event that began it: SESSION_CREATED, SESSION_REASSIGNED or SESSION_RETURNED. It has reason, summary and metadata of a move without a Handoff.',
    }),
    terminatedByHandoff: t.relation('terminatedByHandoff', {
      nullable: true,
      description: 'The Handoff that ended it; null while it is open, or when something else ended it.',
    }),
    startedAt: t.expose('startedAt', { type: 'DateTime', description: 'When the Agent was given the Session.' }),
    activatedAt: t.expose('activatedAt', { type: 'DateTime', nullable: true }),
    endedAt: t.expose('endedAt', { type: 'DateTime', nullable: true }),
  }),
});
