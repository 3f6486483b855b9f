import { ConflictError } from '../../core/errors.ts';
import type { Work } from '../../core/work.ts';
import { carryOf } from '../context/carry.ts';
import type { Edited } from '../context/context.ts';
import { Custody } from '../custody/custody.ts';
import { demandLocked, demandMove, lockSessionOf, movedSession } from '../custody/demand.ts';
import { wayTo } from '../custody/mayChangeHands.ts';
import type { LockedAgent } from '../custody/read.ts';
import { handOver, prepareContext, type Prepared, toldOf } from '../handoffs/handOver.ts';
import {
  type HandoffAnswer,
  type MoveRead,
  nextStages,
  pathOf,
  readMove,
  startedHandoff,
} from '../handoffs/initiateHandoff.ts';
import { demandTarget, idMeant } from '../handoffs/target.ts';
import { callerName } from '../keys/principals.ts';
import { shownHash } from '../handoffs/propose.ts';
import { demandProposal } from './demandProposal.ts';
import { type Asked, editedFields, type HandoffEdits, withEdits } from './edits.ts';
import { readRequest } from './request.ts';

export interface ApproveHandoffInput {
  handoffId: string;
  /** Of the Context that the person looked at; null for whatever it is now. */
  expectedContentHash: string | null;
  edits: HandoffEdits | null;
  note: string | null;
}

/**
 * An operator approves a proposed Handoff, which moves the Session now (rule: approval). The Context is built again, and the guards
 * are asked again, with the agent that asked as the one that hands off.
 */
export async function approveHandoff(work: Work, input: ApproveHandoffInput): Promise<HandoffAnswer> {
  const { handoffId, expectedContentHash, note } = input;
  const edits = input.edits ?? {};
  const sessionId = await lockSessionOf(work, handoffId);
  const named = edits.targetAgentId ?? null;
  const custody = await Custody.of(work, sessionId, { agents: named === null ? [] : [idMeant(work, named)] });
  const earlier = await work.earlierAnswer<HandoffAnswer>();
  if (earlier !== null) return earlier;
  const proposal = await demandProposal(custody, handoffId, input.edits === null ? 'APPROVED' : null);
  if (proposal === null) return { handoffId, sessionId };
  const request = await readRequest(work, handoffId);
  const proposedTarget = demandLocked(custody.agents, proposal.targetAgentId);
  const target =
    named === null ? proposedTarget : demandTarget(custody, named, () => nextStages(custody, request.contextVariables));
  const asked: Asked = { ...request, targetAgentId: proposal.targetAgentId, reason: proposal.reason };
  const edited = withEdits(asked, { ...edits, ...(named !== null && { targetAgentId: target.id }) });

  const read = await readMove(custody, { priorTurnId: null, triggeringToolCallIds: null, targetAgentId: target.id });
  // The person permits this target: a defined tool did, or the person chose it.
  read.collaborators = [...read.collaborators, target.id];
  const { outcome, payload } = request;
  const stepTo = (to: LockedAgent, variables: Asked['contextVariables']) => {
    const path = pathOf(custody, { outcome, payload, variables });
    const way = path && wayTo(path, to);
    return { path, enters: way === null || way instanceof Error ? null : { way, payload } };
  };
  const { path, enters } = stepTo(target, edited.asked.contextVariables);
  const started = { ...startedHandoff(custody, read, { byAgent: false }), callerAgentId: null, path };
  const move = {
    session: movedSession(custody),
    expectedVersion: null,
    target,
    agentType: null,
    stage: enters?.way.to ?? null,
    started,
  };
  demandMove(work, move, 'loop');

  const build = (given: Asked, to: LockedAgent, edits: Edited | null): Promise<Prepared> => {
    const { enters: step } = stepTo(to, given.contextVariables);
    return contextOf(custody, { given, edits, target: to, read, depth: proposal.depth, told: step && toldOf(step) });
  };
  const proposed = await build(asked, proposedTarget, null);
  const shown = shownHash(proposed);
  if (work.dryRun !== null) work.dryRun.contentHash = shown;
  if (expectedContentHash !== null && expectedContentHash !== shown)
    throw new ConflictError(
      'What would be passed on is not what you looked at: the agent went on, or the session or its target was changed. Read it again (simulateApproval) before you approve',
      null,
      null,
      null,
      shown,
    );
  const fields = edited.edits.map(({ field }) => field);
  const prepared =
    fields.length === 0
      ? proposed
      : await build(edited.asked, target, { by: await callerName(work), changes: editedFields(edited) });
  demandMove(work, { ...move, started: { ...started, contentHash: prepared.contentHash } });

  custody.decide('APPROVED', { note, edits: edited.edits.length === 0 ? null : edited.edits });
  custody.recordHandoff('HANDOFF_APPROVED', proposal, {
    reason: note,
    metadata: fields.length === 0 ? null : { edited: fields },
  });
  const approved = handOver(custody, prepared, {
    target,
    via: proposal.via,
    reason: edited.asked.reason,
    summary: edited.asked.summary,
    metadata: null,
    staleAfterMinutes: enters?.way.to?.acceptWithinMinutes ?? request.acceptWithinMinutes,
    enters,
    proposal,
  });
  return { handoffId: approved, sessionId };
}

interface Given {
  given: Asked;
  edits: Edited | null;
  target: LockedAgent;
  read: MoveRead;
  depth: number;
  told: ReturnType<typeof toldOf> | null;
}

const contextOf = (custody: Custody, { given, edits, target, read, depth, told }: Given): Promise<Prepared> => {
  const { contextVariables, summary, reason, tool, carry } = given;
  const { agentId } = custody.session;
  return prepareContext(
    custody,
    {
      summary,
      reason,
      contextVariables,
      // Values of the agent stay its own.
      ...(!hasEdited(edits, 'contextVariables') && agentId !== null && { variablesBy: agentId }),
      ...(tool !== null && { tool }),
      edited: edits,
      carry: carry && carryOf(carry),
      byOperator: false,
      depth,
      came: read.came,
    },
    target,
    told,
  );
};

const hasEdited = (edits: Edited | null, field: string): boolean =>
  edits?.changes.some((change) => change.field === field) ?? false;
