import { statement } from '../core/changes.ts';
import type { Custody } from '../custody/custody.ts';
import { presentStage } from '../custody/stages.ts';
import { finisherAmong } from '../queue/entry.ts';
import { leftByFinisher, type Finisher, type Told } from './handOver.ts';
import { readGiven, toldAgain } from './passOn.ts';

/** What a move that is under way gives the next agent. */
interface Kept {
  reason: string | null;
  summary: string | null;
  metadata: unknown;
  /** Of the stage of the pipeline that was left. */
  told: Told | null;
  /** The source, when the Session waits in the queue. */
  finisher: Finisher | null;
}

const readEntry = statement(`
SELECT q.reason, q.summary, q.metadata, e.outcome, e.payload FROM queue_entries q LEFT JOIN stage_entries e ON e.id = $2
WHERE q.id = $1 AND q.via IS NOT NULL`);

const nothing: Kept = { reason: null, summary: null, metadata: null, told: null, finisher: null };

/** What the waiting Handoff gives, or the one that is made at the Session's turn in the queue (rule: place in the queue). */
export async function keptOf(custody: Custody): Promise<Kept> {
  const { work, queued, openHandoff } = custody;
  const stage = presentStage(custody);
  if (queued !== null) {
    const finisher = finisherAmong(queued);
    const left = finisher && leftByFinisher(custody, finisher);
    const [row] = await work.query<Omit<Kept, 'told' | 'finisher'> & { outcome: string | null; payload: unknown }>(
      readEntry,
      [queued.id, left?.id ?? null],
    );
    if (row === undefined) return nothing;
    const { outcome, payload, ...given } = row;
    return { ...given, told: toldAgain(stage, outcome, payload), finisher };
  }
  if (openHandoff?.status !== 'INITIATED') return nothing;
  const { reason, summary, metadata, outcome, payload } = await readGiven(work, openHandoff.id);
  return { reason, summary, metadata, told: toldAgain(stage, outcome, payload), finisher: null };
}
