import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { canonicalJson } from './canonicalJson.ts';
import { isDatabaseAway, mayRetry } from './databaseErrors.ts';
import { UnavailableError } from './errors.ts';
import { type Answer, Outside, Overtaken, Work, type WorkOptions } from './work.ts';

const attempts = 4;
/** How often a command may ask for something outside of its transaction: it asks again only when others changed what it asked about. */
const mostOutside = 20;
/** `infra/slowStatements.ts` reads it: `infra` imports none of this. */
const requestOfClient = Symbol.for('baton.request');
const hashOf = (input: object): string => createHash('sha256').update(canonicalJson(input)).digest('hex');

/**
 * Runs a command in its own transaction and returns its answer after the commit. A refusal rolls back. Serialization
 * failures, deadlocks, lock timeouts and unique violations are retried three times with jitter.
 * @throws DomainError from the command; UnavailableError when the database is down or too slow.
 */
export async function runWork<A extends Answer>(options: WorkOptions, command: (work: Work) => Promise<A>): Promise<A> {
  const inputHash = options.idempotencyKey == null ? '' : hashOf(options.input);
  const known = new Map<string, unknown>();
  for (let attempt = 1; ;) {
    try {
      return await runOnce(options, inputHash, { attempt, known }, command);
    } catch (error) {
      if (error instanceof Outside && known.size < mostOutside) {
        known.set(error.key, await error.ask());
        continue;
      }
      if ((error instanceof Overtaken || mayRetry(error)) && attempt < attempts) {
        await wait(10 * 3 ** attempt * Math.random());
        attempt += 1;
        continue;
      }
      throw isDatabaseAway(error) ? new UnavailableError('unchanged', error) : error;
    }
  }
}

class TakenBack extends Error {
  constructor(readonly answer: Answer) {
    super('the command is taken back');
  }
}

/** Runs a command as `runWork` does, takes all of it back, and returns its answer. */
export const takeBack = <A extends Answer>(options: WorkOptions, command: (work: Work) => Promise<A>): Promise<A> =>
  runWork<A>(options, async (work) => {
    throw new TakenBack(await command(work));
  }).catch((error: unknown) => {
    if (error instanceof TakenBack) return error.answer as A;
    throw error;
  });

async function runOnce<A extends Answer>(
  options: WorkOptions,
  inputHash: string,
  { attempt, known }: { attempt: number; known: ReadonlyMap<string, unknown> },
  command: (work: Work) => Promise<A>,
): Promise<A> {
  const client = await options.pool.connect();
  let broken: Error | undefined;
  // A connection lost between two statements emits 'error'; without a listener the process would exit.
  const onLost = (error: Error): void => {
    broken = error;
  };
  client.on('error', onLost);
  Reflect.set(client, requestOfClient, options.caller.request?.id);
  const work = new Work(client, options, inputHash, attempt, known);
  try {
    const answer = await command(work);
    await work.write(answer);
    await commit(client);
    work.runEffects();
    return answer;
  } catch (error) {
    if (error instanceof UnavailableError || (isDatabaseAway(error) && !mayRetry(error))) broken = error as Error;
    if (work.begun && broken === undefined) {
      await client.query('ROLLBACK').catch((rollbackError: unknown) => {
        broken = rollbackError as Error;
      });
    }
    throw error;
  } finally {
    client.off('error', onLost);
    Reflect.set(client, requestOfClient, undefined);
    // Closes a connection in an unknown state; PostgreSQL then rolls back.
    client.release(broken);
  }
}

async function commit(client: PoolClient): Promise<void> {
  try {
    await client.query('COMMIT');
  } catch (error) {
    throw isDatabaseAway(error) ? new UnavailableError('unknown', error) : error;
  }
}
