import { statement } from '../../core/changes.ts';
import type { Work } from '../../core/work.ts';
import type { SessionStatus } from '../../generated/prisma/client.ts';
import type { Context } from '../context/context.ts';
import { payloadsFor, readStagePayloads, type StageGuide, type StagePayload } from '../context/stage.ts';
import { readContext } from '../context/storage.ts';
import { DryRun, type Verdict } from '../custody/dryRun.ts';
import { guideOf, type Definition } from '../custody/pipeline.ts';
import type { CarriedEntry } from '../queue/entry.ts';

export interface Simulation {
  verdicts: Verdict[];
  demandedBy: string | null;
  contentHash: string | null;
  /** The agent that would get the Session, as it is before; null when there is none. */
  target: DryRun['target'];
  /** The Session as the act would leave it; null when a rule refuses. */
  after: { status: SessionStatus; stage: string | null; outcome: string | null; queued: boolean } | null;
  /** Null when no Handoff is made, now or at the Session's turn, or a refusal ends the act before. */
  carried: Carried | null;
}

/** What a Handoff would give its target to read. */
interface Carried {
  context: Context;
  reason: string | null;
  metadata: unknown;
  title: string;
  sourceAgentId: string | null;
  /** Null while the Session waits for an agent. */
  targetAgentId: string | null;
  guide: StageGuide | null;
  payloads: StagePayload[];
}

interface Answer {
  sessionId: string;
  handoffId: string | null;
}

/**
 * Runs an act up to its end, reads what it would leave, and says what each rule says. The caller takes the work back. A refusal
 * by a rule that leaves a target does not end the act, so that all of them are told.
 */
export async function simulate(work: Work, act: (work: Work) => Promise<Answer>): Promise<Simulation> {
  const dryRun = new DryRun();
  work.dryRun = dryRun;
  const answer = await act(work).catch((error: unknown) => {
    dryRun.endedBy(error);
    return null;
  });
  if (dryRun.isRefused) dryRun.freeTarget();
  const made = answer && (await readMade(work, answer));
  return {
    verdicts: dryRun.verdicts(),
    demandedBy: dryRun.demandedBy,
    contentHash: dryRun.contentHash,
    target: dryRun.target,
    after: dryRun.isRefused || made === null ? null : made.after,
    carried: made?.carried ?? null,
  };
}

// The outcome is that of the stay that the act ended, or of the stay that its Handoff leaves.
const readStatement = statement(`
SELECT s.title, s.status, s.stage, q.id IS NOT NULL AS queued, e.id AS "entryId", h.left_entry_id AS "leftEntryId",
  coalesce((SELECT outcome FROM stage_entries WHERE id = h.left_entry_id), (SELECT outcome FROM stage_entries WHERE session_id = s.id AND left_at = $3)) AS outcome,
  (SELECT row_to_json(p) FROM (SELECT slug, start, stages, transitions FROM pipelines WHERE id = s.pipeline_id) p) AS pipeline,
  (SELECT row_to_json(m) FROM (SELECT h.summary, h.context, h.reason, h.metadata, h.source_agent_id AS "sourceAgentId", h.target_agent_id AS "targetAgentId" WHERE h.id IS NOT NULL) m) AS handoff,
  (SELECT row_to_json(m) FROM (SELECT q.carried, q.reason, q.metadata, q.source_agent_id AS "sourceAgentId" WHERE q.id IS NOT NULL) m) AS entry
FROM sessions s LEFT JOIN handoffs h ON h.id = $2 LEFT JOIN queue_entries q ON q.session_id = s.id
  LEFT JOIN stage_entries e ON e.session_id = s.id AND e.left_at IS NULL
WHERE s.id = $1`);

type Stored = Parameters<typeof readContext>[0];
type Move = Pick<Carried, 'reason' | 'metadata' | 'sourceAgentId'>;
interface Row {
  title: string;
  status: SessionStatus;
  stage: string | null;
  queued: boolean;
  entryId: string | null;
  leftEntryId: string | null;
  outcome: string | null;
  pipeline: (Definition & { slug: string }) | null;
  handoff: (Move & Stored & { targetAgentId: string }) | null;
  entry: (Move & { carried: CarriedEntry }) | null;
}

async function readMade(work: Work, { sessionId, handoffId }: Answer): Promise<Pick<Simulation, 'after' | 'carried'>> {
  await work.flush();
  const [row] = await work.query<Row>(readStatement, [sessionId, handoffId, work.now]);
  if (row === undefined) throw new Error(`session ${sessionId} is not there under its lock`);
  const { title, status, stage, queued, outcome, entryId, leftEntryId, pipeline, handoff, entry } = row;
  const move = handoff ?? entry;
  const context = handoff === null ? (entry?.carried.handoff?.context ?? null) : readContext(handoff);
  const told = context === null ? null : payloadsFor(entryId, leftEntryId);
  const payloads = told === null ? [] : (await readStagePayloads(work, [told])).get(told)!;
  const carried =
    context === null || move === null
      ? null
      : {
          ...move,
          context,
          title,
          targetAgentId: handoff?.targetAgentId ?? null,
          guide: pipeline === null || stage === null ? null : guideOf(pipeline, stage),
          payloads,
        };
  return { after: { status, stage, outcome, queued }, carried };
}
