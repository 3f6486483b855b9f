import { ForbiddenError, InvalidStateError, NoAgentAvailableError } from '../../core/errors.ts';
import type { Work } from '../../core/work.ts';
import { type SessionWorkspace, workspaceId } from '../../core/workspace.ts';
import type { ApprovalRule, Session, SessionPriority } from '../../generated/prisma/client.ts';
import { mergeVariables } from '../context/context.ts';
import { Custody } from '../custody/custody.ts';
import { demandLocked, demandMove } from '../custody/demand.ts';
import { leastLoaded, takesSessions } from '../custody/mayChangeHands.ts';
import { stageNamed } from '../custody/pipeline.ts';
import { lockAgents } from '../custody/read.ts';
import { nothingVisible } from '../custody/snapshot.ts';
import { enterStage, recordStage } from '../custody/stages.ts';
import { type Beginner, choiceOf } from '../learning/choose.ts';
import { LogWriter } from '../log/logWriter.ts';
import { chooseOrQueue, queueOf } from '../pipelines/chooseOrQueue.ts';
import { newestPipeline } from '../pipelines/queries.ts';
import { enqueue } from '../queue/entry.ts';
import { demandFreeExternalId } from './externalId.ts';

export interface CreateSessionInput {
  title: string;
  agentId: string | null;
  agentType: string | null;
  metadata: unknown;
  contextVariables: Record<string, unknown> | null;
  /** Null: the default, which is larger in a pipeline. */
  maxHandoffs: number | null;
  handoffsEnabled: boolean;
  /** Whether a person has to approve the Handoffs that agents start. */
  handoffApproval?: ApprovalRule | undefined;
  /** Slug of the pipeline that the Session runs through: its newest version. */
  pipeline?: string | null;
  /** Waits for an agent of the type when none is free. Excludes `agentId`. */
  queue?: boolean;
  /** Records work that `agentId` does already: needs no free place. */
  recording?: boolean | undefined;
  externalId?: string | null;
  project?: string | null;
  /** Null: any number of tokens. */
  tokenBudget?: number | null | undefined;
  /** Default: NORMAL. */
  priority?: SessionPriority;
  workspace?: SessionWorkspace | undefined;
  /** The first USER message. */
  request?: string | undefined;
  /** Gives the Session to the best of `ranking`. Excludes `agentId`, `agentType` and `pipeline`. */
  choose?: boolean | undefined;
  /** The agents for the request, best first. */
  ranking?: readonly Beginner[];
}

/** How many agents of a ranking are locked, best first: when one filled up meanwhile, the next is taken. */
const mostCandidates = 8;

/** The columns of a workspace; null: it is unknown. */
export const workspaceColumns = (workspace: SessionWorkspace | null) => ({
  workspace: workspace && { ...workspace },
  workspaceId: workspace && workspaceId(workspace.host, workspace.folder),
  repository: workspace && workspace.repository,
});

/** Times that agents may hand off before an operator has to step in. */
export const defaultMaxHandoffs = 5;
/** In a pipeline, where only stages that are entered again count: a round of review counts two. */
export const defaultMaxInPipeline = 50;

export interface SessionAnswer {
  sessionId: string;
}

/** Agents create only what they hold themselves, and loosen no limit of operators. @throws ForbiddenError */
function demandOwn(
  { caller: { agentId } }: Work,
  { pipeline, queue, priority, maxHandoffs, tokenBudget, request, handoffApproval, ...input }: CreateSessionInput,
): void {
  if (agentId === null) return;
  if (input.agentId !== agentId)
    throw new ForbiddenError(
      `Your key is bound to agent '${agentId}' and creates only sessions that it holds: give agentId '${agentId}', or ask an operator`,
    );
  const isPlain =
    pipeline == null &&
    queue !== true &&
    tokenBudget == null &&
    request == null &&
    (priority ?? 'NORMAL') === 'NORMAL' &&
    handoffApproval === undefined &&
    (maxHandoffs ?? 0) <= defaultMaxHandoffs;
  if (!isPlain)
    throw new ForbiddenError(
      `Only an operator may give pipeline, queue, priority, tokenBudget, request, handoffApproval or more than ${defaultMaxHandoffs} handoffs: leave them out`,
    );
}

/** Creates a Session: RUNNING with an agent, PAUSED and unassigned without one (rule: one holder). */
export async function createSession(work: Work, input: CreateSessionInput): Promise<SessionAnswer> {
  demandOwn(work, input);
  await work.begin();
  const id = work.newId();
  const pipeline = input.pipeline == null ? null : await newestPipeline(work, input.pipeline);
  const start = pipeline && stageNamed(pipeline, pipeline.start);
  const ranking = input.ranking?.slice(0, mostCandidates) ?? [];
  const agents = await lockAgents(work, id, {
    agents: input.agentId === null ? ranking.map(({ agentId }) => agentId) : [input.agentId],
    type: input.agentId === null ? input.agentType : null,
    everyCandidate: work.attempt > 1,
    forStage:
      pipeline && input.agentId === null ? { stage: pipeline.start, untried: false, pipelineId: pipeline.id } : null,
  });
  const named = input.agentId === null ? null : demandLocked(agents, input.agentId);
  const earlier = await work.earlierAnswer<SessionAnswer>();
  if (earlier !== null) return earlier;
  if (pipeline?.archivedAt != null)
    throw new InvalidStateError(
      `Pipeline '${pipeline.slug}' is archived: define a new version (definePipeline)`,
      'ARCHIVED',
      [],
    );
  if (input.externalId != null) await demandFreeExternalId(work, input.externalId);
  const choice =
    input.choose === true
      ? choiceOf(ranking, (agentId) => agents.some((each) => each.id === agentId && takesSessions(each)))
      : null;
  if (input.choose === true && choice === null) throw new NoAgentAvailableError(null);
  const chosen = choice === null ? named : demandLocked(agents, choice.agentId);
  const agent = chosen ?? (start === null ? leastLoaded(agents, input.agentType) : chooseOrQueue(agents, start));
  const waitsFor =
    start === null ? (input.queue === true ? { agentType: input.agentType, role: null } : null) : queueOf(start);
  const waits = waitsFor !== null && agent === null && work.attempt > 1;
  demandMove(
    work,
    { session: null, expectedVersion: null, target: agent, agentType: input.agentType, stage: start, started: null },
    waits ? 'free choice' : input.recording === true ? 'capacity' : undefined,
  );

  const session: Session = {
    id,
    title: input.title,
    status: 'PAUSED',
    version: 0,
    agentId: null,
    endedAgentType: null,
    previousAgentType: null,
    contextVariables: mergeVariables(
      {},
      input.contextVariables ?? {},
      work.caller.agentId ?? work.caller.principal,
    ) as never,
    metadata: input.metadata ?? null,
    result: null,
    summary: null,
    endReason: null,
    pauseReason: null,
    tokenBudget: input.tokenBudget ?? null,
    handoffsEnabled: input.handoffsEnabled,
    handoffApproval: input.handoffApproval ?? 'NONE',
    maxHandoffs: input.maxHandoffs ?? (pipeline === null ? defaultMaxHandoffs : defaultMaxInPipeline),
    externalId: input.externalId ?? null,
    project: input.project ?? null,
    priority: input.priority ?? 'NORMAL',
    ...workspaceColumns(input.workspace ?? null),
    workingTree: null,
    operatorEpoch: 0,
    messageCount: 0,
    turnCount: 0,
    toolCallCount: 0,
    handoffCount: 0,
    eventCount: 0,
    visibleFrom: 1,
    visibleCallsFrom: 1,
    lastAgentSessionId: null,
    lastHandoffId: null,
    pipelineId: pipeline?.id ?? null,
    stage: null,
    choice: choice && { ...choice },
    createdAt: work.now,
    updatedAt: work.now,
    lastReassignedAt: null,
    lastActivityAt: work.now,
  };
  work.insert('sessions', session);
  const custody = new Custody(work, {
    session,
    tenure: null,
    handoff: null,
    agents,
    active: [],
    limits: {},
    pipeline,
    queued: null,
    approval: null,
    isAwaited: false,
    contextWindow: null,
  });
  if (agent === null) custody.changed();
  else {
    custody.setStatus('RUNNING');
    custody.beginTenure(agent, 'ACTIVE', nothingVisible());
  }
  if (start !== null) enterStage(custody, start.name, agent?.id ?? null, { outcome: null, sentBack: false });
  custody.recordCustody('SESSION_CREATED');
  custody.trace('session', id);
  if (waits)
    enqueue(custody, waitsFor, { handoff: null, visible: nothingVisible(), finisher: null, previousHolder: null });
  if (start !== null) recordStage(custody, { from: null, outcome: null });
  if (input.request !== undefined) recordRequest(custody, input.request);
  return { sessionId: id };
}

/** Begins the log with what the Session was created for. */
function recordRequest(custody: Custody, content: string): void {
  const { work, session } = custody;
  const { id, messageCount, turnCount, toolCallCount } = session;
  const log = new LogWriter(work, { id, messageCount, turnCount, toolCallCount }, null);
  const turn = log.turn({ truncated: false, startedAt: work.now });
  log.message(turn.id, { role: 'USER', content, createdAt: work.now });
  work.change('sessions', session, log.counts);
  custody.recordLog('TURN_APPENDED');
}
