import { LimitExceededError, UnavailableError } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { ThreadFault, Threads } from '../../core/threads.ts';
import { Turns } from '../../core/turns.ts';
import type { DefinitionFile } from './definition.ts';
import type { Read } from './readDefinition.ts';

/** Reads agent definitions in worker threads, some at a time. */

const { definitions } = limits;
const threads = new Threads('definitionWorker.ts', import.meta.url, definitions);
const turns = new Turns(definitions.turns);
/** Characters of the files of one step, unless one file has more: what a step returns is copied at once. */
const stepCharacters = 64 * 1024;

/**
 * The definitions and problems of files, in their order. `charge` is called with the processor time of each step, and may throw.
 * @throws LimitExceededError; UnavailableError when too many imports wait
 */
export async function readDefinitions(
  principal: string,
  files: readonly DefinitionFile[],
  charge: (ms: number) => void,
): Promise<Read[]> {
  const release = await turns.take(principal);
  if (release === null) throw new UnavailableError('busy');
  const thread = threads.take();
  try {
    const read: Read[] = [];
    let charged = 0;
    for (const some of steps(files)) {
      read.push(...((await thread.ask(some)) as Read[]));
      const used = thread.usedMs();
      charge(used - charged);
      charged = used;
    }
    return read;
  } catch (error) {
    throw error instanceof ThreadFault ? refusalOf(error) : error;
  } finally {
    threads.release(thread);
    release();
  }
}

function* steps(files: readonly DefinitionFile[]): Generator<DefinitionFile[]> {
  let some: DefinitionFile[] = [];
  let characters = 0;
  for (const { path, content } of files) {
    some.push({ path, content });
    characters += content.length;
    if (characters < stepCharacters) continue;
    yield some;
    [some, characters] = [[], 0];
  }
  if (some.length > 0) yield some;
}

function refusalOf({ exceeded }: ThreadFault): LimitExceededError {
  const advice = 'import fewer definitions, or shorter ones';
  const { processorMs, memoryMb } = definitions;
  return exceeded === 'time'
    ? new LimitExceededError('ms of processor time', processorMs, processorMs + 1, advice)
    : new LimitExceededError('MB of memory', memoryMb, memoryMb + 1, advice);
}
