import { ofItself } from '../graphql/descriptions.ts';
import { builder, modelRef } from '../graphql/builder.ts';
import { relatedPage } from '../graphql/connection.ts';
import { HandoffStatus, HandoffVia } from '../graphql/enums.ts';
import type { Order } from '../graphql/page.ts';
import { isOpenHandoff, longestChain, returnOf } from './queries.ts';

builder.prismaNode('Handoff', {
  access: 'inherit',
  id: { field: 'id' },
  nullable: true,
  select: { id: true },
  description: 'The record of passing a Session from one AgentSession to the next, with its Context: what the next Agent needs to know.',
  fields: (t) => ({
    status: t.expose('status', { type: HandoffStatus, description: 'Where it is in its life.' }),
    via: t.expose('via', { type: HandoffVia }),
    reason: t.exposeString('reason', { nullable: true }),
    summary: t.exposeString('summary', { cost: 2 }),
    metadata: t.expose('metadata', { type: 'JSON', nullable: true, description: 'What whoever started it keeps about it; null when nothing.' }),
    depth: t.exposeInt('depth'),
    circular: t.exposeBoolean('circular'),
    tokenEstimate: t.exposeInt('tokenEstimate'),
    redactionCount: t.exposeInt('redactionCount'),
    contentHash: t.exposeString('contentHash'),
    sourceAgent: t.relation('sourceAgent', { nullable: true, description: 'Who handed off; null when nobody held the Session.' }),
    sourceAgentType: t.exposeString('sourceAgentType', { nullable: true }),
    targetAgent: t.relation('targetAgent', { description: 'Who was given the Session.' }),
    targetAgentType: t.exposeString('targetAgentType'),
    sourceAgentSession: t.relation('sourceAgentSession', { nullable: true, description: 'The tenure that it ended; null when nobody held the Session.' }),
    targetAgentSession: t.relation('targetAgentSession', { description: 'The tenure that it began.' }),
    priorTurn: t.relation('priorTurn', { nullable: true, description: 'The last Turn of an Agent before it, unless another was given; null when no Agent had taken one.' }),
    triggeringToolCalls: t.field({
      type: [modelRef('ToolCall')],
      listSize: 50,
      description: 'The ToolCalls that led to it: those given by whoever started it, else those of the prior Turn.',
      select: (_args, _context, nested) => ({ triggeringToolCalls: { orderBy: { position: 'asc' }, select: { toolCall: nested() } } }),
      resolve: ({ triggeringToolCalls }) => triggeringToolCalls.map(({ toolCall }) => toolCall),
    }),
    snapshot: t.relation('snapshot', { description: 'What the Agent that handed off could see.' }),
    session: t.relation('session', { description: 'The Session that was passed on.' }),
    initiatedAt: t.expose('initiatedAt', { type: 'DateTime' }),
    acceptedAt: t.expose('acceptedAt', { type: 'DateTime', nullable: true }),
    completedAt: t.expose('completedAt', { type: 'DateTime', nullable: true }),
    closedAt: t.expose('closedAt', { type: 'DateTime', nullable: true }),
    deadlineAt: t.expose('deadlineAt', { type: 'DateTime' }),
    rejectionReason: t.exposeString('rejectionReason', { nullable: true }),
    failureReason: t.exposeString('failureReason', { nullable: true }),
    cancelReason: t.exposeString('cancelReason', { nullable: true }),
    actor: t.field({
      type: 'Actor',
      description: 'Who started it.',
      select: { actorPrincipal: true, actorRole: true },
      resolve: (handoff) => handoff,
    }),
    returnOf: t.field({
      type: modelRef('Handoff'),
      nullable: true,
      description: 'The accepted Handoff that gave the source the Session, when this one goes back to the Agent that it came from; otherwise null. So it says that work was sent back.',
      select: (_args, _context, nested) => ({
        targetAgentId: true,
        sourceAgentSession: { select: { initiatedByHandoff: nested({ select: { id: true, sourceAgentId: true, acceptedAt: true } }) } },
      }),
      resolve: ({ targetAgentId, sourceAgentSession }) => returnOf(targetAgentId, sourceAgentSession?.initiatedByHandoff ?? null),
    }),
    previous: t.relation('previous', { nullable: true, description: 'The Handoff before it in its Session; null for the first.' }),
    next: t.relation('next', { nullable: true, description: 'The Handoff after it in its Session; null for the last.' }),
    chain: t.field({
      type: [modelRef('Handoff')],
      listSize: longestChain,
      description: `All Handoffs of its Session, itself among them, by depth; the newest ${longestChain} when there are more.`,
      select: (_args, _context, nested) => ({
        session: { select: { handoffs: nested({ orderBy: { depth: 'desc' }, take: longestChain }) } },
      }),
      resolve: ({ session }) => session.handoffs.toReversed(),
    }),
  }),
});

const byInitiation: Order = { name: 'handoff INITIATED_AT', columns: { initiatedAt: 'time', id: 'uuid' }, direction: 'desc' };

builder.prismaObjectFields(modelRef('Session'), (t) => ({
  handoffs: t.field(
    relatedPage<'Session'>('handoffs', {
      model: 'Handoff',
      order: { name: 'handoff depth', columns: { depth: 'integer' }, direction: 'desc' },
      description: 'Every time that it was handed off, the last first.',
    }),
  ),
  lastHandoff: t.relation('lastHandoff', { nullable: true, description: 'The last of `handoffs`; null when there was none.' }),
  openHandoff: t.field({
    type: modelRef('Handoff'),
    nullable: true,
    description: 'Its Handoff that is INITIATED or ACCEPTED; null when there is none.',
    select: (_args, _context, nested) => ({ lastHandoff: nested({ select: { id: true, status: true } }) }),
    resolve: ({ lastHandoff }) => (lastHandoff !== null && isOpenHandoff(lastHandoff) ? lastHandoff : null),
  }),
}));

builder.prismaObjectFields(modelRef('Agent'), (t) => ({
  handoffsReceived: t.field({
    access: 'ownAgent',
    ...relatedPage<'Agent'>('handoffsReceived', {
      model: 'Handoff',
      order: byInitiation,
      description: `The Handoffs to it, the last first. ${ofItself}`,
    }),
  }),
  handoffsGiven: t.field({
    access: 'ownAgent',
    ...relatedPage<'Agent'>('handoffsGiven', {
      model: 'Handoff',
      order: byInitiation,
      description: `The Handoffs from it, the last first. ${ofItself}`,
    }),
  }),
}));
