import { runWork } from '../../core/runWork.ts';
import type { Answer, Work, WorkOptions } from '../../core/work.ts';
import { isLimit, recordStuck } from '../custody/stuck.ts';
import { giveFreedPlaces } from './drain.ts';

/** Runs a command and, in its transaction, gives the places that it freed to queued Sessions (rule: queue). */
export const runCommand = <A extends Answer>(
  options: WorkOptions,
  command: (work: Work) => Promise<A>,
  how: { passOver?: boolean } = {},
): Promise<A> =>
  runWork(options, async (work) => {
    const answer = await command(work);
    await giveFreedPlaces(work, how);
    return answer;
  });

/** As `runCommand`. When a limit refuses the command, the Session's Event says so (rule: stuck). */
export async function runAct<A extends Answer>(options: WorkOptions, command: (work: Work) => Promise<A>): Promise<A> {
  try {
    return await runCommand(options, command);
  } catch (error) {
    const { sessionId } = options.input as { sessionId?: string };
    if (isLimit(error) && sessionId !== undefined)
      await runWork({ ...options, idempotencyKey: null }, (work) => recordStuck(work, sessionId, error));
    throw error;
  }
}
