import type { Pool } from 'pg';
import { statement } from '../../core/changes.ts';
import { logFailedRow } from '../../core/failedRow.ts';
import { repeat } from '../../core/repeat.ts';
import type { Announcer, Logger, Work } from '../../core/work.ts';
import { lockAgents } from '../custody/read.ts';
import { queueItself } from './drain.ts';
import { runCommand } from './runCommand.ts';

const batch = 100;

const findAwaited = statement(`
SELECT id FROM agents a
WHERE EXISTS (SELECT FROM queue_entries WHERE NOT suspended AND NOT escalated)
  AND administrative_status = 'AVAILABLE' AND archived_at IS NULL AND current_load < max_capacity
  AND (SELECT true FROM queue_entries e
       WHERE e.wanted = ANY (ARRAY['/', a.type || '/', a.type || '/' || a.role, '/' || a.role]) AND NOT e.suspended AND NOT e.escalated AND NOT a.id = ANY (e.excluded_agent_ids) LIMIT 1)
ORDER BY current_load::float8 / max_capacity, id LIMIT ${batch}`);

interface AssignOptions {
  pool: Pool;
  log: Logger;
  announcer?: Announcer | undefined;
}

/**
 * Gives free places to queued Sessions where no command did: the Session was locked, was resumed, or was queued while an
 * agent became free. Any number of processes may run it. What fails for one agent is logged, and does not
 * stop the others. Returns the number of agents for which it failed.
 */
export async function assignQueued({ pool, log, announcer }: AssignOptions): Promise<number> {
  const { rows } = await pool.query<{ id: string }>({ ...findAwaited });
  const options = { pool, announcer, log, caller: queueItself, mutation: 'assignQueued', input: {} };
  let failed = 0;
  for (const { id } of rows) {
    const logged = logFailedRow(log, { agentId: id }, 'Giving an agent its queued session failed and will run again');
    const answer = await runCommand(options, (work) => offerPlaces(work, id), { passOver: true }).catch(logged);
    if (answer === undefined) failed += 1;
  }
  return failed;
}

async function offerPlaces(work: Work, agentId: string): Promise<object> {
  await work.begin();
  for (const agent of await lockAgents(work, work.newId(), { agents: [agentId] })) work.freed.set(agent.id, agent);
  return {};
}

const afterErrorMs = 5_000;

/** Runs `assignQueued` repeatedly until stopped. Errors are logged and delay the next run. */
export function startAssigning(deps: AssignOptions, everyMs = 500): { stop(): Promise<void> } {
  return repeat(everyMs, async () => {
    try {
      return (await assignQueued(deps)) === 0 ? everyMs : afterErrorMs;
    } catch (error) {
      deps.log.warn({ err: error }, 'the assignment of queued sessions failed and will run again');
      return afterErrorMs;
    }
  });
}
