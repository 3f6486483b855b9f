import type { Prisma } from '../../generated/prisma/client.ts';
import { isOpenHandoff } from '../../work/custody/rules.ts';
import { longestChain, returnOf } from '../../work/handoffs/queries.ts';
import { builder, modelRef } from '../graphql/builder.ts';
import { relatedPage } from '../graphql/connection.ts';
import { ofItself } from '../graphql/descriptions.ts';
import { HandoffStatus, HandoffVia } from '../graphql/enums.ts';
import type { Order } from '../graphql/page.ts';

builder.prismaNode('Handoff', {
  access: 'inherit',
  id: { field: 'id' },
  nullable: true,
  select: { id: true },
  description:
    'The record of passing a Session from one AgentSession to the next, with the Context for the next Agent.',
  fields: (t) => ({
    status: t.expose('status', { type: HandoffStatus, description: 'Status in the life cycle.' }),
    via: t.expose('via', { type: HandoffVia }),
    reason: t.exposeString('reason', { nullable: true }),
    summary: t.exposeString('summary', { cost: 2 }),
    metadata: t.expose('metadata', {
      type: 'JSON',
      nullable: true,
      description: 'Metadata that the caller gave; null when none was given.',
    }),
    depth: t.exposeInt('depth'),
    circular: t.exposeBoolean('circular'),
    tokenEstimate: t.exposeInt('tokenEstimate'),
    redactionCount: t.exposeInt('redactionCount'),
    contentHash: t.exposeString('contentHash'),
    sourceAgent: t.relation('sourceAgent', {
      nullable: true,
      description: 'The source Agent; null when the Session was unassigned.',
    }),
    sourceAgentType: t.exposeString('sourceAgentType', { nullable: true }),
    targetAgent: t.relation('targetAgent', { description: 'The Agent that was given the Session.' }),
    targetAgentType: t.exposeString('targetAgentType'),
    sourceAgentSession: t.relation('sourceAgentSession', {
      nullable: true,
      description: 'The tenure that the Handoff ended; null when the Session was unassigned.',
    }),
    targetAgentSession: t.relation('targetAgentSession', {
      nullable: true,
      description: 'The tenure that the Handoff began; null while it is PROPOSED, and when it ended without moving.',
    }),
    priorTurn: t.relation('priorTurn', {
      nullable: true,
      description:
        'The Turn that led to the Handoff: the given one, else the last Turn of an Agent; null when no Agent has a Turn.',
    }),
    triggeringToolCalls: t.field({
      type: [modelRef('ToolCall')],
      listSize: 50,
      description: 'The ToolCalls that led to the Handoff: the given ones, else those of `priorTurn`.',
      select: (_args, _context, nested) => ({
        triggeringToolCalls: { orderBy: { position: 'asc' }, select: { toolCall: nested() } },
      }),
      resolve: ({ triggeringToolCalls }) =>
        triggeringToolCalls.flatMap(({ toolCall }) => (toolCall as typeof toolCall | null) ?? []),
    }),
    snapshot: t.relation('snapshot', { description: 'Snapshot of what the source Agent could see.' }),
    session: t.relation('session', { description: 'The Session that was handed off.' }),
    initiatedAt: t.expose('initiatedAt', { type: 'DateTime' }),
    acceptedAt: t.expose('acceptedAt', { type: 'DateTime', nullable: true }),
    completedAt: t.expose('completedAt', { type: 'DateTime', nullable: true }),
    closedAt: t.expose('closedAt', { type: 'DateTime', nullable: true }),
    deadlineAt: t.expose('deadlineAt', { type: 'DateTime' }),
    extensions: t.exposeInt('extensions'),
    remindedAt: t.expose('remindedAt', { type: 'DateTime', nullable: true }),
    rejectionReason: t.exposeString('rejectionReason', { nullable: true }),
    failureReason: t.exposeString('failureReason', { nullable: true }),
    cancelReason: t.exposeString('cancelReason', { nullable: true }),
    returnToldAt: t.expose('returnToldAt', { type: 'DateTime', nullable: true }),
    actor: t.field({
      type: 'Actor',
      description: 'The caller that started the Handoff.',
      select: { actorPrincipal: true, actorRole: true },
      resolve: (handoff) => handoff,
    }),
    returnOf: t.field({
      type: modelRef('Handoff'),
      nullable: true,
      description:
        'The accepted Handoff that gave the source the Session, when this Handoff goes back to that Agent: work was sent back. Null otherwise.',
      select: (_args, _context, nested) => ({
        targetAgentId: true,
        sourceAgentSession: {
          select: { initiatedByHandoff: nested({ select: { id: true, sourceAgentId: true, acceptedAt: true } }) },
        },
      }),
      resolve: ({ targetAgentId, sourceAgentSession }) =>
        returnOf(targetAgentId, sourceAgentSession?.initiatedByHandoff ?? null),
    }),
    sentBack: t.exposeBoolean('sentBack'),
    waitedMs: t.exposeFloat('waitedMs', { nullable: true }),
    lastedMs: t.exposeFloat('lastedMs', { nullable: true }),
    previous: t.relation('previous', {
      nullable: true,
      description: 'The previous Handoff of the Session; null for the first.',
    }),
    next: t.relation('next', { nullable: true, description: 'The next Handoff of the Session; null for the last.' }),
    chain: t.field({
      type: [modelRef('Handoff')],
      listSize: longestChain,
      description: `Handoffs of the Session, including this one, ordered by depth; the newest ${longestChain}.`,
      select: (_args, _context, nested) => ({
        session: { select: { handoffs: nested({ orderBy: { depth: 'desc' }, take: longestChain }) } },
      }),
      resolve: ({ session }) => session.handoffs.toReversed(),
    }),
  }),
});

const byInitiation: Order = {
  name: 'handoff INITIATED_AT',
  columns: { initiatedAt: 'time', id: 'uuid' },
  direction: 'desc',
};

builder.prismaObjectFields(modelRef('Session'), (t) => ({
  handoffs: t.field(
    relatedPage<'Session'>('handoffs', {
      model: 'Handoff',
      order: { name: 'handoff depth', columns: { depth: 'integer' }, direction: 'desc' },
      description: 'Handoffs of the Session, newest first.',
    }),
  ),
  lastHandoff: t.relation('lastHandoff', {
    nullable: true,
    description: 'The newest of `handoffs`; null for a Session without Handoffs.',
  }),
  openHandoff: t.field({
    type: modelRef('Handoff'),
    nullable: true,
    description:
      'The Handoff of this Session that is INITIATED or ACCEPTED; null when the Session has no open Handoff.',
    select: (_args, _context, nested) => ({ lastHandoff: nested({ select: { id: true, status: true } }) }),
    resolve: ({ lastHandoff }) => (lastHandoff !== null && isOpenHandoff(lastHandoff.status) ? lastHandoff : null),
  }),
}));

/** Those that moved their Session. */
const moved = { targetAgentSessionId: { not: null } } satisfies Prisma.HandoffWhereInput;

builder.prismaObjectFields(modelRef('Agent'), (t) => ({
  handoffsReceived: t.field({
    access: 'ownAgent',
    ...relatedPage<'Agent'>('handoffsReceived', {
      model: 'Handoff',
      order: byInitiation,
      where: moved,
      description: `Handoffs to the Agent, newest first, without those that nobody approved. ${ofItself}`,
    }),
  }),
  handoffsGiven: t.field({
    access: 'ownAgent',
    ...relatedPage<'Agent'>('handoffsGiven', {
      model: 'Handoff',
      order: byInitiation,
      where: moved,
      description: `Handoffs from the Agent, newest first, without those that nobody approved. ${ofItself}`,
    }),
  }),
}));
