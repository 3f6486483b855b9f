import { AgentTypeMismatchError, AlreadyAssignedError, NoAgentAvailableError } from '../core/errors.ts';
import { encodeId } from '../core/ids.ts';
import { Overtaken, type Work } from '../core/work.ts';
import { Custody } from '../custody/custody.ts';
import { demandLockedAgent, demandOpen, demandVersion, lockSession } from '../custody/demand.ts';
import type { LockedAgent } from '../custody/read.ts';
import { leastLoaded, refusalToTake } from '../custody/rules.ts';
import { readVisible } from '../custody/snapshot.ts';
import { handOver, leaveHolder, prepareContext } from './handOver.ts';

export interface ReassignSessionInput {
  sessionId: string;
  /** At least one of `agentId` and `agentType`. */
  agentId: string | null;
  agentType: string | null;
  skipHandoff: boolean;
  reason: string | null;
  summary: string | null;
  contextVariables: Record<string, unknown> | null;
  metadata: unknown;
  expectedVersion: number | null;
}

export interface ReassignSessionAnswer {
  sessionId: string;
  handoffId: string | null;
  handoffCreated: boolean;
  previousAgentId: string | null;
  previousAgentType: string | null;
  assignedAgentId: string;
  message: string;
}

/** The operator's act: gives a Session to another agent, with a Handoff unless told otherwise (rules: custody, free choice, order of refusals). */
export async function reassignSession(
  work: Work,
  input: ReassignSessionInput,
  { staleAfterMinutes }: { staleAfterMinutes: number },
): Promise<ReassignSessionAnswer> {
  await lockSession(work, input.sessionId);
  const custody = await Custody.of(work, input.sessionId, {
    agents: input.agentId === null ? [] : [input.agentId],
    type: input.agentId === null ? input.agentType : null,
    everyCandidate: work.attempt > 1,
  });
  const named = input.agentId === null ? null : demandLockedAgent(custody, input.agentId);
  const earlier = await work.earlierAnswer<ReassignSessionAnswer>();
  if (earlier !== null) return earlier;
  demandVersion(custody, input.expectedVersion);
  demandOpen(custody);
  const target = chooseTarget(custody, named, input.agentType);

  const previous = custody.holder;
  work.change('sessions', custody.session, { operatorEpoch: custody.session.operatorEpoch + 1 });
  const answer = (handoffId: string | null, how: string): ReassignSessionAnswer => ({
    sessionId: custody.session.id,
    handoffId,
    handoffCreated: handoffId !== null,
    previousAgentId: previous?.id ?? null,
    previousAgentType: previous?.type ?? null,
    assignedAgentId: target.id,
    message: `'${target.id}' holds the session now (before: ${previous === null ? 'nobody' : `'${previous.id}'`}). ${how}`,
  });

  const open = custody.openHandoff;
  if (open?.status === 'INITIATED' && open.sourceAgentId === target.id) {
    const visible = await readVisible(work, custody.session);
    custody.closeHandoff(open, { status: 'CANCELLED', cancelReason: input.reason });
    custody.changed({ contextVariables: custody.variablesWith(input.contextVariables) as never });
    custody.returnToSource(open, 'DECLINED', visible, input);
    return answer(null, `No handoff was made: it has taken back its own to '${open.targetAgentId}', which is cancelled.`);
  }
  if (input.skipHandoff) {
    await moveWithoutHandoff(custody, target, input);
    return answer(null, 'No handoff was made, as skipHandoff asked.');
  }
  const prepared = await prepareContext(custody, input, target);
  const handoffId = handOver(custody, prepared, { ...input, target, via: 'OPERATOR', staleAfterMinutes });
  return answer(handoffId, `Handoff ${encodeId('handoff', handoffId)} was made and waits until it accepts.`);
}

function chooseTarget(custody: Custody, named: LockedAgent | null, type: string | null): LockedAgent {
  const holderId = custody.holder?.id;
  if (named !== null) {
    if (named.id === holderId) throw new AlreadyAssignedError(named.id);
    if (type !== null && named.type !== type) throw new AgentTypeMismatchError(named.id, type, named.type);
    const refusal = refusalToTake(named);
    if (refusal !== null) throw refusal;
    return named;
  }
  const candidates = custody.lockedAgents.filter((agent) => agent.type === type && agent.id !== holderId);
  // To give it back to the source of a waiting Handoff would be a cancellation: that one comes last.
  const open = custody.openHandoff;
  const sourceId = open?.status === 'INITIATED' ? open.sourceAgentId : null;
  const best = leastLoaded(candidates.filter(({ id }) => id !== sourceId));
  if (best !== null) return best;
  // The candidates were chosen before they were locked and have been filled meanwhile, or none was seen: look at all of them under their locks.
  if (custody.work.attempt === 1) throw new Overtaken();
  const source = leastLoaded(candidates);
  if (source === null) throw new NoAgentAvailableError(type ?? '');
  return source;
}

/** Rule 5: custody moves, nothing is captured for the next agent, and the event is still written. */
async function moveWithoutHandoff(custody: Custody, target: LockedAgent, input: ReassignSessionInput): Promise<void> {
  const { work, session } = custody;
  const previousHolder = custody.holder;
  const visible = await readVisible(work, session);
  leaveHolder(custody);
  custody.endTenure('HANDED_OFF');
  if (previousHolder === null) custody.setStatus('RUNNING');
  custody.changed({
    contextVariables: custody.variablesWith(input.contextVariables) as never,
    previousAgentType: previousHolder?.type ?? session.previousAgentType,
    lastReassignedAt: work.now,
  });
  custody.beginTenure(target, custody.stateOfTaken(), visible);
  const { reason, summary, metadata } = input;
  custody.recordCustody('SESSION_REASSIGNED', { previousHolder, reason, summary, metadata });
}
