import type { Stage } from '../custody/pipeline.ts';

/** How far a Session is in its pipeline. Pure. */

export type StageState = 'WAITING' | 'QUEUED' | 'ACTIVE' | 'DONE' | 'SENT_BACK';

export interface RecordedStay {
  number: number;
  stage: string;
  attempt: number;
  agentId: string | null;
  enteredAt: Date;
  leftAt: Date | null;
  outcome: string | null;
  sentBack: boolean;
}

export interface StageProgress {
  name: string;
  state: StageState;
  agentId: string | null;
  enteredAt: Date | null;
  leftAt: Date | null;
  attempts: number;
  outcome: string | null;
}

/** The stages in the order of the definition, each as its newest stay left it. `stays`: newest first. */
export function progressOf(
  stages: readonly Stage[],
  stays: readonly RecordedStay[],
  holderId: string | null,
): StageProgress[] {
  return stages.map(({ name }) => {
    const newest = stays.find(({ stage }) => stage === name);
    if (newest === undefined)
      return { name, state: 'WAITING', agentId: null, enteredAt: null, leftAt: null, attempts: 0, outcome: null };
    const { agentId, enteredAt, leftAt, attempt, outcome } = newest;
    return { name, state: stateOf(newest, holderId), agentId, enteredAt, leftAt, attempts: attempt, outcome };
  });
}

/** A transition by which the Session left a stage. */
export interface TakenWay {
  from: string;
  outcome: string;
  /** Null for the end of the pipeline. */
  to: string | null;
  times: number;
}

/**
 * The ways by which the Session left its stages, in the order in which each was first taken. A Handoff that was declined
 * afterwards counts: the way was taken, and taken back. `stays`: newest first.
 */
export function waysTaken(stays: readonly RecordedStay[]): TakenWay[] {
  const ways = new Map<string, TakenWay>();
  for (const [index, { stage: from, outcome, leftAt }] of [...stays.entries()].reverse()) {
    if (leftAt === null || outcome === null) continue;
    const to = stays[index - 1]?.stage ?? null;
    const key = JSON.stringify([from, outcome, to]);
    const way = ways.get(key);
    if (way === undefined) ways.set(key, { from, outcome, to, times: 1 });
    else way.times += 1;
  }
  return [...ways.values()];
}

function stateOf({ leftAt, sentBack }: RecordedStay, holderId: string | null): StageState {
  if (leftAt === null) return holderId === null ? 'QUEUED' : 'ACTIVE';
  return sentBack ? 'SENT_BACK' : 'DONE';
}
