import { builder } from '../graphql/builder.ts';
import { Role } from '../graphql/enums.ts';
import { cursorsOf, placeOf } from './cursors.ts';
import type { Item } from '../live/hub.ts';

/** What an Event has besides its row when a subscription delivers it. */
const delivered = (event: object): Partial<Item> => event;

builder.objectType('Actor', {
  access: 'inherit',
  description: 'Who did something.',
  fields: (t) => ({
    principal: t.exposeString('actorPrincipal', {
      description: 'Id of the key that was used; `admin` for BATON_ADMIN_KEY, `npm run key` for that command, `loopback` on a server without keys, `sweep` or `pipeline` for Baton itself.',
    }),
    role: t.expose('actorRole', { type: Role, nullable: true, description: 'The role it acted in; null for Baton itself.' }),
  }),
});

const EventType = builder.enumType('EventType', {
  description: 'What an Event says.',
  values: {
    READY: { description: 'A subscription begins; of no Session, and kept nowhere.' },
    HEARTBEAT: { description: 'A subscription is alive; of no Session, and kept nowhere.' },
    SESSION_CREATED: { description: 'A Session was created.' },
    SESSION_REASSIGNED: { description: 'A Session was given to an Agent.' },
    SESSION_RETURNED: { description: 'A Session went back to the Agent it came from.' },
    SESSION_UNASSIGNED: { description: 'A Session could not go back, and nobody holds it.' },
    SESSION_CHANGED: { description: 'Fields of a Session were changed by updateSession.' },
    SESSION_STATUS_CHANGED: { description: 'A Session was paused, resumed or ended.' },
    HANDOFF_INITIATED: { description: 'A Handoff was started.' },
    HANDOFF_ACCEPTED: { description: 'The target accepted.' },
    HANDOFF_REJECTED: { description: 'The target declined.' },
    HANDOFF_COMPLETED: { description: 'The target took over.' },
    HANDOFF_FAILED: { description: 'A Handoff failed.' },
    HANDOFF_CANCELLED: { description: 'A Handoff was called off or superseded.' },
    HANDOFF_TIMED_OUT: { description: 'The target did not accept in time.' },
    TURN_APPENDED: { description: 'The log has grown by a Turn, or by an import.' },
    LOG_CHANGED: { description: 'A decision, tasks or a snapshot were recorded.' },
    AGENT_CHANGED: { description: 'An Agent was registered, changed or archived; of no Session.' },
  },
});

builder.prismaNode('Event', {
  access: 'inherit',
  id: { field: 'id' },
  nullable: true,
  select: { id: true },
  description: 'One committed fact. Its Session, Handoff and Agent are as they are now, not as they were then.',
  fields: (t) => ({
    cursor: t.string({
      description: 'Its place in the stream that it was read from: give it back as `after` to go on after it. On READY and HEARTBEAT: where the stream stands. Opaque.',
      select: { id: true, sessionId: true, sessionSequence: true },
      resolve: async (event, _args, { pool }) => delivered(event).cursor ?? (await cursorsOf(pool)).encode(placeOf(event)),
    }),
    type: t.expose('type', { type: EventType, description: 'What it says.' }),
    at: t.expose('at', { type: 'DateTime' }),
    recovered: t.boolean({
      nullable: true,
      description: 'On READY with `after`: true when everything since then follows. Otherwise null.',
      resolve: (event) => delivered(event).recovered ?? null,
    }),
    sessionSequence: t.exposeInt('sessionSequence', { nullable: true }),
    inboxSequence: t.int({
      nullable: true,
      description: 'Its number in the inbox that it is read from: 1..n without gaps; null when it is read from elsewhere.',
      resolve: (event) => delivered(event).inboxSequence ?? null,
    }),
    actor: t.field({
      type: 'Actor',
      nullable: true,
      description: 'Who did it; null for READY and HEARTBEAT.',
      select: { actorPrincipal: true, actorRole: true },
      resolve: (event) => (event.actorPrincipal === null ? null : event),
    }),
    reason: t.exposeString('reason', { nullable: true }),
    summary: t.exposeString('summary', { nullable: true }),
    metadata: t.expose('metadata', {
      type: 'JSON',
      nullable: true,
      description: 'What reassignSession was given to keep with a move without a Handoff; null otherwise. A Handoff has its own metadata.',
    }),
    session: t.relation('session', { nullable: true, description: 'The Session that it is about; null for AGENT_CHANGED, READY and HEARTBEAT.' }),
    handoff: t.relation('handoff', { nullable: true, description: 'The Handoff that it is about; null when it is about none.' }),
    agent: t.relation('agent', {
      nullable: true,
      description: 'Who held the Session after it, or the Agent that changed; null when nobody held it.',
    }),
  }),
});
