import type { Pool } from 'pg';
import { BadUserInputError, UnavailableError } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { ThreadFault, Threads, type Thread } from '../../core/threads.ts';
import { Turns } from '../../core/turns.ts';
import { warnOften } from '../../core/warnOften.ts';
import type { Logger } from '../../core/work.ts';
import type { Answered, Asked, Chunk, Reached } from './importWorker.ts';
import type { Prepared, Steps } from './preparation.ts';
import { prepareSteps } from './prepareImport.ts';
import type { ReadOptions } from './transcripts/detect.ts';

/**
 * Prepares imports in worker threads: this one passes the bytes of a file on, and gets back what it stores in parts of a bounded size.
 */

const { imports } = limits;
const threads = new Threads('importWorker.ts', import.meta.url, imports);
const turns = new Turns(imports.turns);

export interface ImportSource extends Pick<
  ReadOptions,
  'format' | 'sidechain' | 'mayBeEmpty' | 'skipDamaged' | 'onRecognised'
> {
  /** Null for a Session that does not exist yet. */
  sessionId: string | null;
  chunks: AsyncIterable<Chunk> | Iterable<Chunk>;
  /** Whether it has a turn of large uploads. */
  hasTurn: boolean;
}

/**
 * Passes a prepared import to `use`, which may read its entries until it returns.
 * @throws BadUserInputError for a file that cannot be imported; UnavailableError when too many imports wait
 */
export async function withPrepared<Result>(
  { pool, log, principal }: { pool: Pool; log: Logger; principal: string },
  { hasTurn, ...source }: ImportSource,
  use: (prepared: Prepared) => Promise<Result>,
): Promise<Result> {
  const release = hasTurn ? () => undefined : await turns.take(principal);
  if (release === null) throw new UnavailableError('busy');
  const thread = threads.take();
  try {
    return await use(await prepareIn(thread, { pool, log }, source));
  } catch (error) {
    throw error instanceof ThreadFault ? refusalOf(error) : error;
  } finally {
    // The thread may have ended.
    await thread.ask({ do: 'close' } satisfies Asked).catch(() => undefined);
    threads.release(thread);
    release();
  }
}

async function prepareIn(
  thread: Thread,
  { pool, log }: { pool: Pool; log: Logger },
  { sessionId, chunks, onRecognised, ...options }: Omit<ImportSource, 'hasTurn'>,
): Promise<Prepared> {
  const ask = async (asked: Asked, transfer: ArrayBuffer[] = []): Promise<unknown> => {
    const { answer, refused, warnings } = (await thread.ask(asked, transfer)) as Answered;
    for (const err of warnings)
      warnOften(log, { err }, 'An import stays in memory: the temporary folder (TMPDIR) takes no file');
    if (refused !== undefined) throw new BadUserInputError(refused.message, refused.path);
    return answer;
  };
  const read = async (chunk: Chunk | null | undefined): Promise<void> => {
    // A chunk may be part of a buffer that others use: its copy moves to the other thread.
    const sent = typeof chunk === 'object' && chunk !== null ? new Uint8Array(chunk) : chunk;
    const reached = await ask({ do: 'read', chunk: sent }, sent instanceof Uint8Array ? [sent.buffer] : []);
    if ((reached as Reached) !== 'recognised') return;
    await onRecognised?.();
    await read(undefined);
  };
  await ask({ do: 'open', options });
  for await (const chunk of chunks) await read(chunk);
  await read(null);
  const step =
    (name: keyof Steps) =>
    (...args: unknown[]) =>
      ask({ do: 'step', step: name, args });
  return prepareSteps(pool, sessionId, {
    records: step('records'),
    know: step('know'),
    redactSome: step('redactSome'),
    head: step('head'),
    begin: step('begin'),
    nextEntries: step('nextEntries'),
  } as Steps);
}

const refusalOf = ({ exceeded }: ThreadFault): BadUserInputError =>
  new BadUserInputError(
    `input.content takes more than ${exceeded === 'time' ? `${imports.processorMs / 1_000} s of processor time` : `${imports.memoryMb} MB of memory`}: import it in parts`,
    ['input', 'content'],
  );
