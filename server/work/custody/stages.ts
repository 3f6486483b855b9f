import type { Custody } from './custody.ts';
import { newestStay, stageNamed, type Stage, type Stay } from './pipeline.ts';

/** The steps of a Session through its pipeline. Each does nothing outside of pipelines. */

interface Left {
  /** Null when the stage was left without one: a decline, or the end of the Session. */
  outcome: string | null;
  payload?: unknown;
  sentBack: boolean;
}

export const currentStay = ({ pipeline }: Custody): Stay | null =>
  pipeline?.stays.find(({ leftAt }) => leftAt === null) ?? null;

/** The stage that the Session is in; null outside of pipelines. */
export function presentStage(custody: Custody): Stage | null {
  const stay = currentStay(custody);
  return stay && stageNamed(custody.pipeline!, stay.stage);
}

/** Leaves the present stage, if the Session is in one, and enters another. `continued`: the same attempt goes on. */
export function enterStage(
  custody: Custody,
  stage: string,
  agentId: string | null,
  left: Left,
  continued: Stay | null = null,
): Stay | null {
  const { work, pipeline, session } = custody;
  if (pipeline === null) return null;
  leaveStage(custody, left);
  const stay = work.insert('stage_entries', {
    id: work.newId(),
    sessionId: session.id,
    number: pipeline.stays.reduce((most, { number }) => Math.max(most, number), 0) + 1,
    stage,
    attempt: continued?.attempt ?? (newestStay(pipeline, stage)?.attempt ?? 0) + 1,
    agentId,
    tried: agentId === null ? [] : [agentId],
    enteredAt: work.now,
    leftAt: null,
    outcome: null,
    sentBack: false,
    payload: null,
  });
  pipeline.stays.push(stay);
  custody.changed({ stage });
  return stay;
}

/** Another agent works in the present stage. */
export function giveStage(custody: Custody, agentId: string): Stay | null {
  const stay = currentStay(custody);
  if (stay !== null)
    custody.work.change('stage_entries', stay, {
      agentId,
      tried: [...stay.tried.filter((id) => id !== agentId), agentId],
    });
  return stay;
}

/** No agent works in the present stage until the Session's turn in the queue. */
export function vacateStage(custody: Custody): void {
  const stay = currentStay(custody);
  if (stay !== null) custody.work.change('stage_entries', stay, { agentId: null });
}

/** The target declined: the Session is back in the stage that the Handoff left, or stays in its stage when it left none. */
export function putStageBack(custody: Custody, handoff: { leftEntryId: string | null }, agentId: string | null): void {
  const stay = currentStay(custody);
  if (stay === null) return;
  const left = custody.pipeline?.stays.find(({ id }) => id === handoff.leftEntryId) ?? null;
  if (left === null) {
    if (agentId !== null) giveStage(custody, agentId);
    return;
  }
  enterStage(custody, left.stage, agentId, { outcome: null, sentBack: true }, left);
  recordStage(custody, { from: stay.stage, outcome: null, handoff: custody.handoff });
}

interface Step {
  type?: 'SESSION_STAGE_CHANGED' | 'PIPELINE_COMPLETED';
  from: string | null;
  outcome: string | null;
  handoff?: { id: string } | null;
}

/** Records the step. Call it after the event of the custody move, or of the end. */
export function recordStage(
  custody: Custody,
  { type = 'SESSION_STAGE_CHANGED', from, outcome, handoff = null }: Step,
): void {
  const { pipeline, session } = custody;
  if (pipeline === null) return;
  custody.recordCustody(type, {
    handoff,
    metadata: { pipeline: pipeline.slug, version: pipeline.version, from, outcome, stage: session.stage },
  });
}

/** Leaves the present stage: at the end of the pipeline or of the Session, and when an operator takes it out. */
export function leaveStage(custody: Custody, { outcome, payload = null, sentBack }: Left): void {
  const stay = currentStay(custody);
  if (stay !== null)
    custody.work.change('stage_entries', stay, {
      leftAt: custody.work.now,
      outcome,
      sentBack,
      payload: payload as never,
    });
}
