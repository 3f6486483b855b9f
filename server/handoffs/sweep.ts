import type { Pool } from 'pg';
import { statement } from '../core/changes.ts';
import { runWork } from '../core/runWork.ts';
import { batonItself, type Announcer, type Logger, type Work } from '../core/work.ts';
import { Custody } from '../custody/custody.ts';
import { giveBack } from './declineHandoff.ts';

const sweeper = batonItself('sweep');
const batch = 100;

const findDue = statement(
  `SELECT id FROM handoffs WHERE status = 'INITIATED' AND deadline_at <= clock_timestamp() ORDER BY deadline_at LIMIT ${batch}`,
);
const forgetAnswers = statement(`DELETE FROM idempotency_answers WHERE created_at <= clock_timestamp() - interval '24 hours'`);

export interface SweepOptions {
  pool: Pool;
  log: Logger;
  announcer?: Announcer | undefined;
}

/**
 * Times out what is due (rule 11) and forgets idempotency answers after a day. Any number of processes may run
 * it at once: a Session that somebody else has locked is skipped, and the deadline is looked at again under the lock.
 * Returns how many Handoffs it timed out.
 */
export async function sweep({ pool, log, announcer }: SweepOptions): Promise<number> {
  await pool.query({ ...forgetAnswers });
  let timedOut = 0;
  for (;;) {
    const due = await pool.query<{ id: string }>({ ...findDue });
    let changed = 0;
    for (const { id } of due.rows) {
      const options = { pool, announcer, log, caller: sweeper, mutation: 'sweep', input: {} };
      const answer = await runWork(options, (work) => timeOutIfDue(work, id));
      if (answer.timedOut) changed += 1;
    }
    timedOut += changed;
    // What is left of a full batch is in other hands, or there is more.
    if (due.rows.length < batch || changed === 0) return timedOut;
  }
}

async function timeOutIfDue(work: Work, handoffId: string): Promise<{ timedOut: boolean }> {
  const sessionId = await work.lockSessionOf(handoffId, { skipLocked: true });
  if (sessionId === null) return { timedOut: false };
  const custody = await Custody.of(work, sessionId);
  const { handoff } = custody;
  if (handoff?.id !== handoffId || handoff.status !== 'INITIATED' || handoff.deadlineAt > work.now) return { timedOut: false };
  await giveBack(custody, handoff, { status: 'TIMED_OUT' });
  return { timedOut: true };
}

/** Runs the sweep every so often until stopped; a run that fails is logged and the next one comes as planned. */
export function startSweeping(deps: SweepOptions, everyMs = 5_000): { stop(): Promise<void> } {
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();
  let stopped = false;
  const run = async (): Promise<void> => {
    try {
      await sweep(deps);
    } catch (error) {
      deps.log.warn({ err: error }, 'the sweep of due handoffs failed and will run again');
    }
    schedule();
  };
  const schedule = (): void => {
    if (stopped) return;
    timer = setTimeout(() => {
      running = run();
    }, everyMs);
    timer.unref();
  };
  schedule();
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
