import { UnavailableError, type ArgumentProblem } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { ThreadFault, Threads } from '../../core/threads.ts';
import { Turns } from '../../core/turns.ts';

/** Runs the JSON Schemas of callers in worker threads. */

const { schemas } = limits;

export type Verdict =
  | { problems: ArgumentProblem[] }
  /**
   * "time", "memory": the check exceeded a limit. Of the schema: "circle": a reference, the message, leads back to its own schema with the
   * same value; "far", "schemas": references lead one value through too many; "nested": the stack ended; "invalid": no JSON Schema.
   */
  | { fault: 'time' | 'memory' | 'circle' | 'far' | 'schemas' | 'nested' | 'invalid'; message?: string };

const most = { schemas: schemas.values, references: schemas.references };

const turns = new Turns(schemas.turns);
const threads = new Threads('checkWorker.mjs', import.meta.url, schemas);

/** Checks a payload, both as JSON. A caller has one check at a time. @throws UnavailableError when too many wait. */
export async function check(caller: string, schema: string, payload: string): Promise<Verdict> {
  const release = await turns.take(caller);
  if (release === null) throw new UnavailableError('busy');
  try {
    return await checkIn({ schema, payload });
  } finally {
    release();
  }
}

async function checkIn(asked: { schema: string; payload: string }, fresh = false): Promise<Verdict> {
  const thread = threads.take({ fresh });
  const { isFresh } = thread;
  try {
    return (await thread.ask({ ...asked, most })) as Verdict;
  } catch (error) {
    if (!(error instanceof ThreadFault)) throw error;
    // The memory may have been that of other schemas, which the thread had kept.
    return error.exceeded === 'memory' && !isFresh ? await checkIn(asked, true) : { fault: error.exceeded };
  } finally {
    threads.release(thread);
  }
}
