import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { UnavailableError, type ArgumentProblem } from '../core/errors.ts';
import { Turns } from '../core/turns.ts';
import { limits } from '../limits/limits.ts';

/**
 * Runs the JSON Schemas of callers in worker threads, with limits of processor time and memory. The first check starts a thread; a
 * thread without work ends after a minute, and does not keep the process.
 */

const { schemas } = limits;

export type Verdict =
  | { problems: ArgumentProblem[] }
  /** "time", "memory": the check exceeded a limit. "nested": the stack ended. "invalid": no JSON Schema. */
  | { fault: 'time' | 'memory' | 'nested' | 'invalid'; message?: string };

const turns = new Turns(schemas.turns);
const idle: Thread[] = [];
const threads = new Set<Thread>();
const idleMs = 60_000;
const lookEveryMs = 50;

/** Ends the threads of this process; checks that run reject. */
export const endThreads = async (): Promise<void> => {
  await Promise.all([...threads].map((thread) => thread.end()));
};

/** Checks a payload, both as JSON. A caller has one check at a time. @throws UnavailableError when too many wait. */
export async function check(caller: string, schema: string, payload: string): Promise<Verdict> {
  const release = await turns.take(caller);
  if (release === null) throw new UnavailableError('busy');
  try {
    return await checkIn(idle.pop() ?? new Thread(), { schema, payload });
  } finally {
    release();
  }
}

async function checkIn(thread: Thread, asked: { schema: string; payload: string }): Promise<Verdict> {
  const { isFresh } = thread;
  const verdict = await thread.check(asked);
  if (!thread.ended) idle.push(thread);
  // The memory may have been that of other schemas, which the thread had kept.
  return 'fault' in verdict && verdict.fault === 'memory' && !isFresh ? checkIn(new Thread(), asked) : verdict;
}

/** The source has the worker beside it, and so has the package. */
const file = new URL(`./checkWorker.${import.meta.url.endsWith('.ts') ? 'mjs' : 'js'}`, import.meta.url);

class Thread {
  ended = false;
  isFresh = true;
  readonly #worker = new Worker(file, {
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: schemas.memoryMb, maxYoungGenerationSizeMb: 16 },
  });
  /** Null where the system does not say what a thread has used. */
  #number: string | null = null;
  #idle: NodeJS.Timeout | undefined;
  #ready: Promise<void>;
  #settle: { resolve(verdict: Verdict): void; reject(error: Error): void } | null = null;

  constructor() {
    threads.add(this);
    this.#ready = new Promise((resolve, reject) => {
      this.#worker.once('message', ({ thread }: { thread: string | null }) => {
        this.#number = thread;
        this.#worker.on('message', (verdict: Verdict) => this.#settle?.resolve(verdict));
        resolve();
      });
      this.#worker.once('error', (error: Error & { code?: string }) => {
        this.ended = true;
        reject(error);
        if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') this.#settle?.resolve({ fault: 'memory' });
        else this.#settle?.reject(error);
      });
      this.#worker.once('exit', () => {
        this.ended = true;
        threads.delete(this);
        const at = idle.indexOf(this);
        if (at >= 0) idle.splice(at, 1);
        const error = new UnavailableError('busy');
        reject(error);
        this.#settle?.reject(error);
      });
    });
    this.#ready.catch(() => undefined);
  }

  async check(asked: { schema: string; payload: string }): Promise<Verdict> {
    this.isFresh = false;
    clearTimeout(this.#idle);
    this.#worker.ref();
    await this.#ready;
    const usedBefore = this.#usedMs();
    const startedAt = performance.now();
    const look = setInterval(() => {
      const used = this.#usedMs();
      if (used !== null && usedBefore !== null && used - usedBefore > schemas.processorMs)
        this.#end(() => this.#settle?.resolve({ fault: 'time' }));
      // Says nothing of the schema: the machine may be busy.
      else if (performance.now() - startedAt > schemas.answerWithin)
        this.#end(() => this.#settle?.reject(new UnavailableError('busy')));
    }, lookEveryMs);
    try {
      return await new Promise<Verdict>((resolve, reject) => {
        this.#settle = { resolve, reject };
        this.#worker.postMessage(asked);
      });
    } finally {
      clearInterval(look);
      this.#settle = null;
      this.#worker.unref();
      this.#idle = setTimeout(() => this.#end(() => undefined), idleMs).unref();
    }
  }

  async end(): Promise<void> {
    this.ended = true;
    clearTimeout(this.#idle);
    await this.#worker.terminate();
  }

  #end(settle: () => void): void {
    this.ended = true;
    settle();
    void this.#worker.terminate();
  }

  #usedMs(): number | null {
    if (this.#number === null) return null;
    try {
      return Number(readFileSync(`/proc/self/task/${this.#number}/schedstat`, 'utf8').split(' ', 1)[0]) / 1e6;
    } catch {
      return null;
    }
  }
}
