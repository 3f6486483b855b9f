import type { Pool } from 'pg';
import { statement } from '../../core/changes.ts';
import { logFailedRow } from '../../core/failedRow.ts';
import { encodeId } from '../../core/ids.ts';
import { repeat } from '../../core/repeat.ts';
import { batonItself, type Announcer, type Logger, type Work } from '../../core/work.ts';
import { Custody } from '../custody/custody.ts';
import type { OpenApproval } from '../custody/read.ts';
import { escalateStranded } from '../queue/escalate.ts';
import { runCommand } from '../queue/runCommand.ts';
import { forTimeOut, giveBack } from './changeHandoff.ts';
import { ClockSteps } from './clockSteps.ts';

const sweeper = batonItself('sweep');
const batch = 100;

const readClock = statement('SELECT clock_timestamp() AS now');
// Compares with one clock reading: after a clock step nothing is due before the next reading.
const findDue = statement(
  `SELECT id, longer, reminds FROM (
     SELECT id, due_at, reminds, coalesce((SELECT sum(by) FROM json_to_recordset($2) AS step (at timestamptz, by float8) WHERE at >= initiated_at), 0) AS longer
     FROM (SELECT id, deadline_at AS due_at, initiated_at, false AS reminds FROM handoffs WHERE status = 'INITIATED' AND deadline_at <= $1
       UNION ALL SELECT id, remind_at, initiated_at, true FROM handoffs WHERE status = 'INITIATED' AND reminded_at IS NULL AND remind_at <= $1
       UNION ALL SELECT id, deadline_at, requested_at, false FROM approvals WHERE decided_at IS NULL AND kind = 'HANDOFF' AND deadline_at <= $1
       UNION ALL SELECT id, remind_at, requested_at, true FROM approvals WHERE decided_at IS NULL AND kind = 'HANDOFF' AND reminded_at IS NULL AND remind_at <= $1) w) h
   WHERE due_at + longer * interval '1 millisecond' <= $1 AND NOT id = ANY ($3) ORDER BY reminds, due_at LIMIT ${batch}`,
);
const forgetAnswers = statement(
  `DELETE FROM idempotency_answers WHERE created_at <= clock_timestamp() - interval '24 hours'`,
);

export interface SweepOptions {
  pool: Pool;
  log: Logger;
  announcer?: Announcer | undefined;
}

/**
 * Times out due Handoffs, reminds targets (rule: deadline), escalates Sessions that wait in vain, and deletes idempotency
 * answers after a day. Processes may run it concurrently: locked Sessions are skipped, and the deadline is checked again
 * under the lock. Deadlines move by the clock steps that `clock` has seen. A Handoff that fails is logged
 * and left to the next sweep. Returns the number of timed-out Handoffs.
 */
export async function sweep({ pool, log, announcer }: SweepOptions, clock = new ClockSteps()): Promise<number> {
  const now = await readNow(pool, log, clock);
  await pool.query({ ...forgetAnswers });
  let timedOut = 0;
  const failed: string[] = [];
  for (;;) {
    const due = await pool.query<{ id: string; longer: number; reminds: boolean }>({
      ...findDue,
      values: [now, JSON.stringify(clock.ahead), failed],
    });
    let handled = 0;
    for (const { id, longer, reminds } of due.rows) {
      const options = { pool, announcer, log, caller: sweeper, mutation: 'sweep', input: {} };
      const by = new Date(now.getTime() - longer);
      const logged = logFailedRow(
        log,
        { handoffId: encodeId('handoff', id) },
        'The sweep of a due handoff failed and will run again',
      );
      const answer = await runCommand(options, (work) =>
        reminds ? remindIfDue(work, id, by) : timeOutIfDue(work, id, by),
      ).catch(logged);
      if (answer === undefined) failed.push(id);
      if (answer?.done !== false) handled += 1;
      if (answer?.done === true && !reminds) timedOut += 1;
    }
    // Either the rest of a full batch is locked by other processes, or another batch follows.
    if (due.rows.length < batch || handled === 0) break;
  }
  await escalateStranded({ pool, announcer, log, caller: sweeper, mutation: 'sweep', input: {} });
  return timedOut;
}

async function readNow(pool: Pool, log: Logger, clock: ClockSteps): Promise<Date> {
  const sentAt = performance.now();
  const { rows } = await pool.query<{ now: Date }>({ ...readClock });
  const { now } = rows[0]!;
  const steppedMs = clock.read(now, sentAt, performance.now());
  if (steppedMs > 0)
    log.warn(
      { steppedMs },
      'The clock of the database stepped ahead: handoffs that wait now time out that much later than their deadline says',
    );
  if (steppedMs < 0)
    log.warn(
      { steppedMs },
      'The clock of the database stepped back: handoffs that wait now time out when it has reached their deadline again',
    );
  return now;
}

async function timeOutIfDue(work: Work, handoffId: string, by: Date): Promise<{ done: boolean }> {
  const sessionId = await work.lockSessionOf(handoffId, { skipLocked: true });
  if (sessionId === null) return { done: false };
  const custody = await Custody.of(work, sessionId, forTimeOut(work));
  const { handoff, proposal } = custody;
  if (handoff?.id !== handoffId || handoff.deadlineAt > by) return { done: false };
  if (proposal !== null) custody.closeProposal({ status: 'TIMED_OUT' });
  else if (handoff.status === 'INITIATED') await giveBack(custody, handoff, { status: 'TIMED_OUT' });
  else return { done: false };
  return { done: true };
}

/** Reminds the target once. A Handoff that is past its deadline too has been timed out before. */
async function remindIfDue(work: Work, handoffId: string, by: Date): Promise<{ done: boolean }> {
  const sessionId = await work.lockSessionOf(handoffId, { skipLocked: true });
  if (sessionId === null) return { done: false };
  const custody = await Custody.of(work, sessionId);
  const { handoff, approval } = custody;
  if (approval?.id === handoffId) return remindOfProposal(custody, approval, by);
  if (
    handoff?.id !== handoffId ||
    handoff.status !== 'INITIATED' ||
    handoff.remindedAt !== null ||
    handoff.remindAt === null ||
    handoff.remindAt > by
  )
    return { done: false };
  work.change('handoffs', handoff, { remindedAt: work.now });
  custody.recordHandoff('HANDOFF_REMINDED', handoff);
  return { done: true };
}

/** Writes the one reminder that a person should decide, for the source and for people: the target does not know of the proposal. */
function remindOfProposal(custody: Custody, approval: OpenApproval, by: Date): { done: boolean } {
  const { work, proposal } = custody;
  if (proposal === null || approval.remindedAt !== null || approval.remindAt === null || approval.remindAt > by)
    return { done: false };
  work.change('approvals', approval, { remindedAt: work.now });
  work.change('handoffs', proposal, { remindedAt: work.now });
  custody.recordHandoff('HANDOFF_REMINDED', proposal);
  return { done: true };
}

/** Runs the sweep repeatedly until stopped. Errors are logged; the schedule stays. */
export function startSweeping(deps: SweepOptions, everyMs = 5_000): { stop(): Promise<void> } {
  const clock = new ClockSteps();
  return repeat(everyMs, async () => {
    await sweep(deps, clock).catch((error: unknown) =>
      deps.log.warn({ err: error }, 'the sweep of due handoffs failed and will run again'),
    );
    return everyMs;
  });
}
