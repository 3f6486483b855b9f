import { errorCode } from '../../core/databaseErrors.ts';
import { observed } from '../../core/observed.ts';
import { repeat } from '../../core/repeat.ts';
import { countFinished, type PruneOptions, Pruner } from './prune.ts';

/** How many times as long as its last batch it pauses: it takes a tenth of the time of one connection. */
const pauseTimes = 9;
/** Shorter than the lease of the process that prunes. */
const longestPauseMs = 30_000;

/** Prunes until stopped, with pauses that grow with the load. Logs a failure once, retries, and logs the recovery. */
export function startPruning(options: PruneOptions, everyMs = 60_000): { stop(): Promise<void> } {
  const { pool, log, days } = options;
  const pruner = new Pruner(options);
  let lastFailure: string | null = null;
  let [begun, sessions, events] = [false, 0, 0];
  const background = repeat(0, async () => {
    try {
      if (!begun)
        log.info({ days, due: await countFinished(options) }, 'Finished sessions are pruned after BATON_KEEP_DAYS');
      begun = true;
      const batch = await pruner.batch();
      sessions += batch.sessions;
      events += batch.events;
      if (lastFailure !== null) log.info({}, 'Finished sessions are pruned again');
      lastFailure = null;
      if (batch.more) return Math.min(batch.ms * pauseTimes, longestPauseMs);
      if (sessions > 0) log.info({ sessions, events }, 'Finished sessions were pruned');
      [sessions, events] = [0, 0];
    } catch (error) {
      observed('failure', pool, { part: 'keeping' });
      const reason = errorCode(error) ?? 'unknown';
      if (reason !== lastFailure)
        log.warn(
          { err: error },
          'Finished sessions could not be pruned: it will be tried again, and nothing else is affected',
        );
      lastFailure = reason;
    }
    return everyMs;
  });
  return {
    async stop() {
      await background.stop();
      await pruner.release().catch(() => undefined);
    },
  };
}
