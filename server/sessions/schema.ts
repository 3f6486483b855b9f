import { listVariables, type StoredVariables } from '../context/context.ts';
import { partOfRecord } from '../graphql/declared.ts';
import { ofItself } from '../graphql/descriptions.ts';
import { builder, modelRef } from '../graphql/builder.ts';
import { relatedPage } from '../graphql/connection.ts';
import { SessionStatus } from '../graphql/enums.ts';
import { isOpenTenure } from './queries.ts';

builder.prismaNode('Session', {
  access: 'inherit',
  id: { field: 'id' },
  nullable: true,
  select: { id: true },
  description: 'One piece of work: who holds it, its log, and every time it changed hands.',
  fields: (t) => ({
    title: t.exposeString('title', { description: 'What the work is, in a line.' }),
    status: t.expose('status', { type: SessionStatus, description: 'Where it is in its life.' }),
    version: t.exposeInt('version'),
    agent: t.relation('agent', {
      nullable: true,
      description: 'Who holds it; of a finished one, who held it last. Null when nobody does.',
    }),
    agentType: t.string({
      nullable: true,
      description: 'The type of `agent`; of a finished Session, the type that it had when the Session ended. Null when nobody holds it.',
      select: { endedAgentType: true, agent: { select: { type: true } } },
      resolve: ({ endedAgentType, agent }) => endedAgentType ?? agent?.type ?? null,
    }),
    previousAgentType: t.exposeString('previousAgentType', { nullable: true }),
    contextVariables: t.field({
      type: ['ContextVariable'],
      listSize: partOfRecord,
      description: 'Named values that its Agents share, by name. Each Handoff carries a copy.',
      select: { contextVariables: true },
      resolve: ({ contextVariables }) => listVariables(contextVariables as unknown as StoredVariables),
    }),
    metadata: t.expose('metadata', { type: 'JSON', nullable: true, description: 'What its creator keeps about it; null when nothing.' }),
    result: t.expose('result', { type: 'JSON', nullable: true }),
    summary: t.exposeString('summary', { nullable: true }),
    endReason: t.exposeString('endReason', { nullable: true }),
    handoffsEnabled: t.exposeBoolean('handoffsEnabled'),
    maxHandoffs: t.exposeInt('maxHandoffs'),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
    lastReassignedAt: t.expose('lastReassignedAt', { type: 'DateTime', nullable: true }),
    agentSession: t.field({
      type: modelRef('AgentSession'),
      nullable: true,
      description: "The open AgentSession, which is its holder's: PENDING, ACTIVE or PAUSED. Null when nobody holds it, or it is finished.",
      select: (_args, _context, nested) => ({ lastAgentSession: nested({ select: { id: true, state: true } }) }),
      resolve: ({ lastAgentSession }) => (lastAgentSession !== null && isOpenTenure(lastAgentSession) ? lastAgentSession : null),
    }),
    agentSessions: t.field(
      relatedPage<'Session'>('agentSessions', {
        model: 'AgentSession',
        order: { name: 'tenure', columns: { startedAt: 'time', id: 'uuid' }, direction: 'desc' },
        description: 'Every tenure of an Agent in it, the last first.',
      }),
    ),
  }),
});

builder.prismaObjectFields(modelRef('Agent'), (t) => ({
  sessions: t.field({
    // An AGENT may read all of its own; those that it shares with others are in `Query.sessions`.
    access: 'ownAgent',
    ...relatedPage<'Agent'>('sessions', {
      model: 'Session',
      order: { name: 'session CREATED_AT', columns: { createdAt: 'time', id: 'uuid' }, direction: 'desc' },
      description: `The Sessions that it holds, and the finished ones that it held last, the last created first. ${ofItself}`,
    }),
  }),
}));
