import { runWork } from '../core/runWork.ts';
import type { Answer, Work, WorkOptions } from '../core/work.ts';
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
