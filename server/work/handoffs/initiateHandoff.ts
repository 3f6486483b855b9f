import { statement } from '../../core/changes.ts';
import { BadUserInputError } from '../../core/errors.ts';
import { encodeId } from '../../core/ids.ts';
import type { Work } from '../../core/work.ts';
import type { ApprovalRule, SessionPriority } from '../../generated/prisma/client.ts';
import { type Demand, demandedBy } from './demanded.ts';
import { propose } from './propose.ts';
import { type Carry, carryOf } from '../context/carry.ts';
import { mergeVariables, type StoredVariables } from '../context/context.ts';
import type { PendingCall } from '../context/withCall.ts';
import { Custody } from '../custody/custody.ts';
import { demandMove, lockSession, movedSession } from '../custody/demand.ts';
import { wayTo, type EarlierHandoff, type Path, type StartedHandoff } from '../custody/mayChangeHands.ts';
import { readsPayload, type Way, waysFrom } from '../custody/pipeline.ts';
import type { LockedAgent } from '../custody/read.ts';
import { hasMoved } from '../custody/rules.ts';
import { enterStage, recordStage } from '../custody/stages.ts';
import { queueOf } from '../pipelines/chooseOrQueue.ts';
import { faultsOfPayload, schemaOfPayload } from '../pipelines/payloads.ts';
import { enqueue } from '../queue/entry.ts';
import {
  type Came,
  cameSql,
  finisherOf,
  handOver,
  leaveHolder,
  prepareContext,
  toldOf,
  type HandOver,
  type Prepared,
} from './handOver.ts';
import { demandTarget, idMeant, type Stages } from './target.ts';

export interface InitiateHandoffInput {
  sessionId: string;
  /** Its id, or a name, a role or a type that it alone has. */
  targetAgentId: string;
  reason: string | null;
  summary: string | null;
  priorTurnId: string | null;
  triggeringToolCallIds: readonly string[] | null;
  contextVariables: Record<string, unknown> | null;
  metadata: unknown;
  /** Waits for a target that is full. */
  queue?: boolean;
  /** The Session's from now on; null keeps it. */
  priority?: SessionPriority | null;
}

export interface InitiateHandoffAnswer {
  /** Null when the Session waits for the target. */
  handoffId: string | null;
  sessionId: string;
}

export interface HandoffAnswer extends InitiateHandoffAnswer {
  handoffId: string;
}

export interface HandoffSettings {
  staleAfterMinutes: number;
  /** How long a proposed Handoff waits for a person. Omitted: a day. */
  approveWithinMinutes?: number;
}

/** The holder hands its Session to another agent (rules: active only, proposal, approval, enabled, collaborator, limit, loop, prior turn). */
export async function initiateHandoff(
  work: Work,
  input: InitiateHandoffInput,
  { staleAfterMinutes, approveWithinMinutes }: HandoffSettings,
): Promise<InitiateHandoffAnswer> {
  await lockSession(work, input.sessionId);
  const custody = await Custody.of(work, input.sessionId, { agents: [idMeant(work, input.targetAgentId)] });
  const target = demandTarget(custody, input.targetAgentId, () => nextStages(custody, input.contextVariables));
  const read = await readMove(custody, { ...input, targetAgentId: target.id });
  const earlier = await work.earlierAnswer<InitiateHandoffAnswer>();
  if (earlier !== null) return earlier;

  const start: Start = {
    ...input,
    via: 'API',
    // A simulation asks what happens when the holder makes the call, also when an operator simulates it.
    byAgent: work.caller.agentId !== null || work.dryRun !== null,
    staleAfterMinutes,
    approveWithinMinutes,
    carry: carryOf(read.carry),
  };
  const waits = input.queue === true && isFull(target);
  const prepared = await prepareHandoff(custody, target, read, start, waits);
  if ((input.priority ?? null) !== null) custody.changed({ priority: input.priority! });
  if (waits && prepared.demand === null) return waitForTarget(custody, target, prepared);
  return { handoffId: move(custody, prepared, start), sessionId: input.sessionId };
}

interface Start extends Omit<InitiateHandoffInput, 'queue' | 'priority'> {
  via: 'API' | 'TOOL';
  /** Whether an agent wants the Handoff, so that a person may have to approve it. */
  byAgent: boolean;
  staleAfterMinutes: number;
  approveWithinMinutes?: number | undefined;
  tool?: { name: string; instructions: string | null; approval?: ApprovalRule };
  carry: Carry | null;
  /** Stages the call that asks for the Handoff, and returns it unless the log has it. Runs when only the loop rule and the target's state can still refuse the Handoff. */
  before?: () => Promise<PendingCall | null>;
}

/** Asks the rules and hands over, or proposes it to a person. */
export async function startHandoff(
  custody: Custody,
  target: LockedAgent,
  read: MoveRead,
  input: Start,
): Promise<HandoffAnswer> {
  const prepared = await prepareHandoff(custody, target, read, input);
  return { handoffId: move(custody, prepared, input), sessionId: custody.session.id };
}

interface PreparedHandoff {
  prepared: Prepared;
  move: HandOver;
  /** What demands that a person approves it; null when it moves the Session at once. */
  demand: Demand | null;
}

function move(
  custody: Custody,
  { prepared, move, demand }: PreparedHandoff,
  { summary, contextVariables, tool, carry, staleAfterMinutes, approveWithinMinutes }: Start,
): string {
  if (demand === null) return handOver(custody, prepared, move);
  const request = {
    summary,
    contextVariables,
    tool: tool === undefined ? null : { name: tool.name, instructions: tool.instructions },
    carry,
    outcome: null,
    payload: null,
    acceptWithinMinutes: staleAfterMinutes,
  };
  return propose(custody, prepared, move, { demand, request, approveWithinMinutes });
}

/** Asks the rules and builds the Context. With `waits` the target may be full. */
async function prepareHandoff(
  custody: Custody,
  target: LockedAgent,
  read: MoveRead,
  input: Start,
  waits = false,
): Promise<PreparedHandoff> {
  const { work } = custody;
  const started = startedHandoff(custody, read, { variables: input.contextVariables, byAgent: input.byAgent });
  const move = { session: movedSession(custody), expectedVersion: null, target, agentType: null, started };
  // The loop rule compares the Context's hash. The Context is built only after the earlier rules pass.
  demandMove(work, move, 'loop');
  const call = (await input.before?.()) ?? null;
  const way = started.path && wayTo(started.path, target);
  const enters = way === null || way instanceof Error ? null : { way, payload: null };
  const prepared = await prepareContext(
    custody,
    { ...input, byOperator: false, call, came: read.came },
    waits ? null : target,
    enters && toldOf(enters),
  );
  const whole = { ...move, started: { ...started, contentHash: prepared.contentHash } };
  demandMove(work, whole, waits ? 'capacity' : undefined);

  const triggeringToolCallIds = input.triggeringToolCallIds ?? (input.priorTurnId === null ? null : read.prior_calls);
  const staleAfterMinutes = enters?.way.to?.acceptWithinMinutes ?? input.staleAfterMinutes;
  const demand = input.byAgent
    ? demandOf(custody, way, { tool: input.tool?.approval, collaboration: read.approval })
    : null;
  if (work.dryRun !== null) work.dryRun.demandedBy = demand;
  return { prepared, move: { ...input, triggeringToolCallIds, target, staleAfterMinutes, enters }, demand };
}

/** What demands that a person approves a Handoff of an agent by this way (rule: approval). */
export const demandOf = (
  { session }: Custody,
  way: Way | Error | null,
  { tool, collaboration }: { tool?: ApprovalRule | undefined; collaboration?: ApprovalRule | null },
): Demand | null =>
  demandedBy({
    SESSION: session.handoffApproval,
    TRANSITION: way === null || way instanceof Error ? null : way.transition.approval,
    TOOL: tool,
    COLLABORATION: collaboration,
  });

const isFull = ({ currentLoad, maxCapacity }: LockedAgent): boolean => currentLoad >= maxCapacity;

const findOthers = statement(
  'SELECT id FROM agents WHERE type = $1 AND role IS NOT DISTINCT FROM $2 AND id <> $3 AND archived_at IS NULL',
);

/**
 * Takes the Session from its holder and lets it wait for the target (rule: queue); in a pipeline, for an agent of the stage that it
 * enters. The queue knows types and roles: the other agents of the target's type and role are left out.
 */
async function waitForTarget(
  custody: Custody,
  { id, type, role }: LockedAgent,
  { prepared, move }: PreparedHandoff,
): Promise<InitiateHandoffAnswer> {
  const { work, session } = custody;
  const { enters = null, reason, summary, metadata, triggeringToolCallIds } = move;
  const stage = enters?.way.to ?? null;
  const others = stage === null ? await work.query<{ id: string }>(findOthers, [type, role, id]) : [];
  const previousHolder = custody.holder;
  const finisher = finisherOf(leaveHolder(custody));
  custody.endTenure('HANDED_OFF');
  custody.changed({
    contextVariables: prepared.variables as never,
    previousAgentType: previousHolder?.type ?? session.previousAgentType,
    lastReassignedAt: work.now,
  });
  if (enters !== null && stage !== null)
    enterStage(custody, stage.name, null, { outcome: enters.way.outcome, payload: null, sentBack: enters.way.back });
  enqueue(custody, stage === null ? { agentType: type, role } : queueOf(stage), {
    handoff: { via: 'API', prepared, acceptWithinMinutes: move.staleAfterMinutes, triggeringToolCallIds },
    visible: prepared.sources.visible,
    finisher,
    previousHolder,
    tried: others.map((other) => other.id),
    reason,
    summary,
    metadata,
  });
  if (enters !== null) recordStage(custody, { from: enters.way.transition.from, outcome: enters.way.outcome });
  return { handoffId: null, sessionId: session.id };
}

/** The guards' input as columns. The parameters are those of `moveValues`. */
export const moveColumns = `
  (SELECT coalesce(json_agg(collaborator_id ORDER BY position), '[]') FROM agent_collaborators WHERE agent_id = $2) AS collaborators,
  (SELECT coalesce(json_agg(json_build_object('sourceAgentId', source_agent_id, 'targetAgentId', target_agent_id, 'via', via, 'contentHash', content_hash,
      'status', status, 'initiatedAt', initiated_at, 'accepted', accepted_at IS NOT NULL,
      'againIn', CASE WHEN via IN ('API', 'TOOL') OR actor_role = 'AGENT' THEN (SELECT id FROM stage_entries e WHERE e.id = stage_entry_id AND e.attempt > 1) END) ORDER BY depth), '[]')
    FROM handoffs WHERE session_id = $1 AND operator_epoch = $3 AND ${hasMoved('handoffs')}) AS earlier,
  (SELECT count(*)::int FROM turns WHERE session_id = $1 AND id = $4) AS known_turns,
  ARRAY(SELECT id::text FROM tool_calls WHERE session_id = $1 AND turn_id = $4 ORDER BY index) AS prior_calls,
  ARRAY(SELECT id::text FROM tool_calls WHERE session_id = $1 AND id = ANY ($5::uuid[])) AS known_calls,
  (SELECT instructions FROM agent_collaborators WHERE agent_id = $2 AND collaborator_id = $6) AS instructions,
  (SELECT carry FROM agent_collaborators WHERE agent_id = $2 AND collaborator_id = $6) AS carry,
  (SELECT approval FROM agent_collaborators WHERE agent_id = $2 AND collaborator_id = $6) AS approval,
  ${cameSql('e.session_id = $1 AND e.left_at IS NULL')} AS came`;
const readMoveStatement = statement(`SELECT ${moveColumns}`);

type Named = Pick<InitiateHandoffInput, 'priorTurnId' | 'triggeringToolCallIds'> & { targetAgentId: string | null };
export const moveValues = (
  { session }: Custody,
  { priorTurnId, triggeringToolCallIds, targetAgentId }: Named,
): unknown[] => [
  session.id,
  session.agentId,
  session.operatorEpoch,
  priorTurnId,
  triggeringToolCallIds ?? [],
  targetAgentId,
];

export interface MoveRead {
  collaborators: string[];
  earlier: (Omit<EarlierHandoff, 'initiatedAt'> & { initiatedAt: string })[];
  known_turns: number;
  prior_calls: string[];
  known_calls: string[];
  /** Of the collaboration with the target, for a generated tool. */
  instructions: string | null;
  carry: unknown;
  approval: ApprovalRule | null;
  came: Came | null;
}

/** Reads the guards' input; a turn or tool call of another Session is a BadUserInputError. */
export async function readMove(custody: Custody, input: Named): Promise<MoveRead> {
  const callIds = input.triggeringToolCallIds ?? [];
  const [read] = await custody.work.query<MoveRead>(readMoveStatement, moveValues(custody, input));
  if (read === undefined) throw new Error('the guard query returned no row');
  if (input.priorTurnId !== null && read.known_turns === 0) {
    const id = encodeId('turn', input.priorTurnId);
    throw new BadUserInputError(`Turn '${id}' is not of this session: leave it out to use the last turn`, [
      'input',
      'priorTurnId',
    ]);
  }
  const unknown = callIds.filter((id) => !read.known_calls.includes(id)).map((id) => `'${encodeId('toolcall', id)}'`);
  if (unknown.length > 0) {
    throw new BadUserInputError(`Not tool calls of this session: ${unknown.join(', ')}`, [
      'input',
      'triggeringToolCallIds',
    ]);
  }
  return read;
}

/** Variables that are given with a handoff. */
type Variables = Record<string, unknown> | null;

export const startedHandoff = (
  custody: Custody,
  read: MoveRead,
  { variables = null, byAgent }: { variables?: Variables; byAgent: boolean },
): StartedHandoff => ({
  ...startedBy(custody, read),
  proposalId: byAgent && custody.proposal !== null ? encodeId('handoff', custody.proposal.id) : null,
  path: pathOf(custody, { outcome: null, payload: undefined, variables }),
});

interface GivenStep {
  /** Null when the caller names an agent. */
  outcome: string | null;
  payload: unknown;
  variables: Variables;
}

/** Where the Session may go in its pipeline; null outside of one. */
export function pathOf({ work, pipeline, session }: Custody, given: GivenStep): Path | null {
  if (pipeline === null || session.stage === null) return null;
  const { stage } = session;
  const { outcome, payload } = given;
  const variables = mergeVariables(session.contextVariables as StoredVariables, given.variables ?? {}, '');
  return {
    stage,
    ...waysFrom(pipeline, stage, { variables, payload, payloads: pipeline.payloads }),
    outcome,
    needsPayload: (way) =>
      readsPayload(pipeline, stage, way.outcome) ||
      faultsOfPayload(work, schemaOfPayload(pipeline, way.transition), {}).length > 0,
  };
}

/** The stages that may follow, with the outcome that leads there; null outside of a pipeline. */
export const nextStages = (custody: Custody, variables: Variables = null): Stages =>
  pathOf(custody, { outcome: null, payload: undefined, variables })?.ways.flatMap(({ to, outcome }) =>
    to === null ? [] : [{ stage: to, by: ` by outcome ${outcome}` }],
  ) ?? null;

const startedBy = (
  { session, active, work }: Custody,
  read: MoveRead,
): Omit<StartedHandoff, 'path' | 'proposalId'> => ({
  callerAgentId: work.caller.agentId,
  handoffsEnabled: session.handoffsEnabled,
  maxHandoffs: session.maxHandoffs,
  collaborators: read.collaborators,
  cameFrom: active.find((id) => id !== session.agentId) ?? null,
  earlier: read.earlier.map((handoff) => ({ ...handoff, initiatedAt: new Date(handoff.initiatedAt) })),
  contentHash: null,
});
