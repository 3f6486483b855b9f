import { ownAgent } from '../../core/rights.ts';
import type { SessionWorkspace, WorkingTree } from '../../core/workspace.ts';
import { listVariables, type StoredVariables } from '../../work/context/context.ts';
import { visibleVariables } from '../../work/context/received.ts';
import { isOpenSession } from '../../work/custody/rules.ts';
import { isOpenTenure } from '../../work/sessions/queries.ts';
import type { Choice } from '../../work/learning/choose.ts';
import { reasonsOf } from '../../work/sessions/stuck.ts';
import { agentNamed } from '../graphql/agentNamed.ts';
import { batched } from '../graphql/batch.ts';
import { builder, modelRef } from '../graphql/builder.ts';
import { relatedPage } from '../graphql/connection.ts';
import { partOfRecord } from '../graphql/declared.ts';
import { ofItself } from '../graphql/descriptions.ts';
import { ApprovalRule, SessionPriority, SessionStatus, StuckReason } from '../graphql/enums.ts';
import { limitIn } from '../graphql/sessionLimit.ts';

const SessionChoice = builder.objectRef<Choice>('SessionChoice').implement({
  access: 'inherit',
  description: 'Why an Agent was chosen for a Session.',
  fields: (t) => ({
    agent: t.field({
      type: modelRef('Agent'),
      description: 'The Agent that was chosen.',
      resolve: ({ agentId }, _args, context, info) => agentNamed(agentId, context, info),
    }),
    confidence: t.exposeFloat('confidence', {
      description:
        'By how much the score of the Agent was above that of the next one that had a free place, or above 0 when there was none: 0 to 1.',
    }),
    explanation: t.exposeString('explanation', {
      description: 'The score, the next Agent, and what the score is made of, for people and models.',
    }),
  }),
});

builder.prismaNode('Session', {
  access: 'inherit',
  id: { field: 'id' },
  nullable: true,
  select: { id: true },
  description: 'One piece of work: its holder, its log, and each time it changed hands.',
  fields: (t) => ({
    title: t.exposeString('title', { description: 'Title of the work.' }),
    status: t.expose('status', { type: SessionStatus, description: 'Status in the life cycle.' }),
    version: t.exposeInt('version'),
    agent: t.relation('agent', {
      nullable: true,
      description: 'The holder; in a finished Session, the last holder. Null when the Session is unassigned.',
    }),
    agentType: t.string({
      nullable: true,
      description:
        'Type of `agent`; in a finished Session, its type when the Session ended. Null when the Session is unassigned.',
      select: { endedAgentType: true, agent: { select: { type: true } } },
      resolve: ({ endedAgentType, agent }) => endedAgentType ?? agent?.type ?? null,
    }),
    overCapacity: t.boolean({
      description:
        'Whether the holder holds more Sessions than its capacity, because work that is recorded needs no place. Nothing is assigned to it meanwhile. False when the Session is finished or unassigned.',
      select: { status: true, agent: { select: { currentLoad: true, maxCapacity: true } } },
      resolve: ({ status, agent }) => isOpenSession(status) && agent !== null && agent.currentLoad > agent.maxCapacity,
    }),
    previousAgentType: t.exposeString('previousAgentType', { nullable: true }),
    contextVariables: t.field({
      type: ['ContextVariable'],
      listSize: partOfRecord,
      description:
        "Named values that the Session's Agents share, ordered by name. Each Handoff carries a copy. An AGENT that got the Session with a Carry reads those that were passed on, and those set since.",
      select: { id: true, contextVariables: true },
      resolve: ({ id, contextVariables }, _args, context) => {
        const stored = contextVariables as unknown as StoredVariables;
        if (ownAgent(context.caller) === null) return listVariables(stored);
        return limitIn(context, id).then((limit) =>
          listVariables(limit === null ? stored : visibleVariables(stored, limit.from, limit.variables)),
        );
      },
    }),
    metadata: t.expose('metadata', {
      type: 'JSON',
      nullable: true,
      description: 'Metadata that the creator gave; null when none was given.',
    }),
    result: t.expose('result', { type: 'JSON', nullable: true }),
    summary: t.exposeString('summary', { nullable: true }),
    endReason: t.exposeString('endReason', { nullable: true }),
    pauseReason: t.exposeString('pauseReason', { nullable: true }),
    tokenBudget: t.exposeInt('tokenBudget', { nullable: true }),
    externalId: t.exposeString('externalId', { nullable: true }),
    project: t.exposeString('project', { nullable: true }),
    workspace: t.field({
      type: 'Workspace',
      nullable: true,
      description:
        'Where the work is done, as who created or changed the Session said; null when nobody said. The branch and commit of a Turn are newer.',
      select: { workspace: true, workspaceId: true },
      resolve: ({ workspace, workspaceId }) =>
        workspace === null ? null : { ...(workspace as object as SessionWorkspace), id: workspaceId },
    }),
    workingTree: t.field({
      type: 'WorkingTree',
      nullable: true,
      description:
        'State of the repository as it was recorded last (recordWorkingTree); null when it was not. An AGENT that got the Session with a Carry reads one that was recorded since.',
      select: { id: true, workingTree: true },
      resolve: ({ id, workingTree }, _args, context) => {
        const tree = workingTree as WorkingTree | null;
        if (tree === null || ownAgent(context.caller) === null) return tree;
        return limitIn(context, id).then((limit) => (limit === null || tree.sequence >= limit.from ? tree : null));
      },
    }),
    priority: t.expose('priority', { type: SessionPriority }),
    stuckBecause: t.field({
      type: [StuckReason],
      description: 'Why no Agent can go on with the Session until a person acts; empty when it is not stuck.',
      select: { id: true },
      resolve: async ({ id }, _args, context, info) =>
        (await batched(context, info, id, (ids) => reasonsOf(context.pool, ids))) ?? [],
    }),
    choice: t.field({
      type: SessionChoice,
      nullable: true,
      description: 'Why the Session was given to its first Agent by createSession with `choose`; null otherwise.',
      select: { choice: true },
      resolve: ({ choice }) => choice as unknown as Choice | null,
    }),
    handoffsEnabled: t.exposeBoolean('handoffsEnabled'),
    maxHandoffs: t.exposeInt('maxHandoffs'),
    handoffApproval: t.expose('handoffApproval', { type: ApprovalRule }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of creation.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
    lastReassignedAt: t.expose('lastReassignedAt', { type: 'DateTime', nullable: true }),
    lastActivityAt: t.expose('lastActivityAt', { type: 'DateTime' }),
    agentSession: t.field({
      type: modelRef('AgentSession'),
      nullable: true,
      description:
        'The open AgentSession, which belongs to the holder: PENDING, ACTIVE or PAUSED. Null when the Session is unassigned or finished.',
      select: (_args, _context, nested) => ({ lastAgentSession: nested({ select: { id: true, state: true } }) }),
      resolve: ({ lastAgentSession }) =>
        lastAgentSession !== null && isOpenTenure(lastAgentSession) ? lastAgentSession : null,
    }),
    agentSessions: t.field(
      relatedPage<'Session'>('agentSessions', {
        model: 'AgentSession',
        order: { name: 'tenure', columns: { startedAt: 'time', id: 'uuid' }, direction: 'desc' },
        description: 'Tenures of Agents in the Session, newest first.',
      }),
    ),
  }),
});

builder.prismaObjectFields(modelRef('Agent'), (t) => ({
  sessions: t.field({
    // An agent may read all of its own Sessions; those it shares with others are in `Query.sessions`.
    access: 'ownAgent',
    ...relatedPage<'Agent'>('sessions', {
      model: 'Session',
      order: { name: 'session CREATED_AT', columns: { createdAt: 'time', id: 'uuid' }, direction: 'desc' },
      description: `The Sessions that the Agent holds, and finished ones that it held last, newest first. ${ofItself}`,
    }),
  }),
}));
