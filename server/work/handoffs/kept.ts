import { statement } from '../../core/changes.ts';
import type { Custody } from '../custody/custody.ts';
import { presentStage } from '../custody/stages.ts';
import { finisherAmong } from '../queue/entry.ts';
import { leftByFinisher, type Finisher, type Told } from './handOver.ts';
import { toldAgain } from './passOn.ts';

/** What a move that is under way gives the next agent. */
interface Kept {
  reason: string | null;
  summary: string | null;
  metadata: unknown;
  /** Of the stage of the pipeline that was left. */
  told: Told | null;
  leftEntryId: string | null;
  /** The source, when the Session waits in the queue. */
  finisher: Finisher | null;
}

interface Left {
  outcome: string | null;
  payload: unknown;
}

const readLeft = statement('SELECT outcome, payload FROM stage_entries WHERE id = $1');
const readEntry = statement(`
SELECT q.reason, q.summary, q.metadata, e.outcome, e.payload FROM queue_entries q LEFT JOIN stage_entries e ON e.id = $2
WHERE q.id = $1 AND q.via IS NOT NULL`);

export const nothingKept: Kept = {
  reason: null,
  summary: null,
  metadata: null,
  told: null,
  leftEntryId: null,
  finisher: null,
};

/** What the waiting Handoff gives, or the one that is made at the Session's turn in the queue (rule: place in the queue). */
export async function keptOf(custody: Custody): Promise<Kept> {
  const { work, queued, openHandoff } = custody;
  const stage = presentStage(custody);
  if (queued !== null) {
    const finisher = finisherAmong(queued);
    const left = finisher && leftByFinisher(custody, finisher);
    const [row] = await work.query<Pick<Kept, 'reason' | 'summary' | 'metadata'> & Left>(readEntry, [
      queued.id,
      left?.id ?? null,
    ]);
    if (row === undefined) return nothingKept;
    const { outcome, payload, ...given } = row;
    return { ...given, told: toldAgain(stage, outcome, payload), leftEntryId: left?.id ?? null, finisher };
  }
  if (openHandoff?.status !== 'INITIATED') return nothingKept;
  const { reason, leftEntryId } = openHandoff;
  const [left] = leftEntryId === null ? [] : await work.query<Left>(readLeft, [leftEntryId]);
  const told = left === undefined ? null : toldAgain(stage, left.outcome, left.payload);
  return { ...nothingKept, reason, told, leftEntryId };
}
