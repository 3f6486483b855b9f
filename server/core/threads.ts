import { readFileSync } from 'node:fs';
import { Worker, type TransferListItem, type WorkerOptions } from 'node:worker_threads';
import { UnavailableError } from './errors.ts';

/**
 * Worker threads for work that would hold the event loop, with limits of processor time and memory. The first use starts a thread; a
 * thread without work ends after a minute, and does not keep the process.
 */

export interface ThreadLimits {
  memoryMb: number;
  /** Of all answers between `take` and `release`, without the time in which other programs have the processor. */
  processorMs: number;
  /** Longest wait for one answer, in milliseconds. */
  answerWithin: number;
}

/** A piece of work exceeded a limit of its thread, which has ended. */
export class ThreadFault extends Error {
  constructor(readonly exceeded: 'time' | 'memory') {
    super(`a worker thread exceeded its limit of ${exceeded}`);
  }
}

const threads = new Set<Thread>();
const idleMs = 60_000;
const lookEveryMs = 50;

/** Ends the threads of this process; waits for answers reject. */
export const endThreads = async (): Promise<void> => {
  await Promise.all([...threads].map((thread) => thread.end()));
};

/** The threads that run one file. */
export class Threads {
  readonly #idle: Thread[] = [];

  /** @param file lies beside the module whose `import.meta.url` is given; the package has it as JavaScript */
  constructor(
    private readonly file: string,
    private readonly moduleUrl: string,
    private readonly limits: ThreadLimits,
  ) {}

  /** A thread for one caller until it is released: an idle one, unless `fresh`. */
  take({ fresh = false } = {}): Thread {
    const thread = (fresh ? undefined : this.#idle.pop()) ?? this.#start();
    thread.begin();
    return thread;
  }

  release(thread: Thread): void {
    thread.rest();
    if (!thread.ended) this.#idle.push(thread);
  }

  #start(): Thread {
    const worker = new Worker(...startOf(this.file, this.moduleUrl, this.limits.memoryMb));
    const thread = new Thread(worker, this.limits);
    worker.once('exit', () => {
      const at = this.#idle.indexOf(thread);
      if (at >= 0) this.#idle.splice(at, 1);
    });
    return thread;
  }
}

function startOf(file: string, moduleUrl: string, memoryMb: number): [URL, WorkerOptions] {
  const options = {
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 16 },
  };
  if (!moduleUrl.endsWith('.ts')) return [new URL(file.replace(/\.\w+$/, '.js'), moduleUrl), options];
  const source = new URL(file, moduleUrl);
  return file.endsWith('.ts')
    ? [new URL('./sourceWorker.mjs', import.meta.url), { ...options, workerData: source.href }]
    : [source, options];
}

/** A worker posts the number of its thread when it is ready, then one answer for each message. */
export class Thread {
  ended = false;
  /** Whether it has answered nothing so far. */
  isFresh = true;
  /** By which Linux counts its processor time; null where the system does not. */
  #number: string | null = null;
  #usedBefore: number | null = null;
  #idle: NodeJS.Timeout | undefined;
  readonly #ready: Promise<void>;
  #settle: { resolve(answer: unknown): void; reject(error: Error): void } | null = null;

  constructor(
    private readonly worker: Worker,
    private readonly limits: ThreadLimits,
  ) {
    threads.add(this);
    this.#ready = new Promise((resolve, reject) => {
      worker.once('message', ({ thread }: { thread: string | null }) => {
        this.#number = thread;
        this.#usedBefore = this.#processorMs();
        worker.on('message', (answer: unknown) => this.#settle?.resolve(answer));
        resolve();
      });
      worker.once('error', (error: Error & { code?: string }) => {
        this.ended = true;
        const fault = error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new ThreadFault('memory') : error;
        reject(fault);
        this.#settle?.reject(fault);
      });
      worker.once('exit', () => {
        this.ended = true;
        threads.delete(this);
        const error = new UnavailableError('busy');
        reject(error);
        this.#settle?.reject(error);
      });
    });
    this.#ready.catch(() => undefined);
  }

  begin(): void {
    clearTimeout(this.#idle);
    this.worker.ref();
    this.#usedBefore = this.#processorMs();
  }

  rest(): void {
    if (this.ended) return;
    this.worker.unref();
    this.#idle = setTimeout(() => void this.end(), idleMs).unref();
  }

  /** One at a time. @throws ThreadFault; UnavailableError when the machine is too busy */
  async ask(message: unknown, transfer: readonly TransferListItem[] = []): Promise<unknown> {
    await this.#ready;
    if (this.ended) throw new UnavailableError('busy');
    const { processorMs, answerWithin } = this.limits;
    const startedAt = performance.now();
    const look = setInterval(() => {
      if (this.usedMs() > processorMs) this.#fail(new ThreadFault('time'));
      // Says nothing of the work: the machine may be busy.
      else if (performance.now() - startedAt > answerWithin) this.#fail(new UnavailableError('busy'));
    }, lookEveryMs);
    try {
      return await new Promise((resolve, reject) => {
        this.#settle = { resolve, reject };
        this.worker.postMessage(message, transfer);
      });
    } finally {
      clearInterval(look);
      this.#settle = null;
      this.isFresh = false;
    }
  }

  async end(): Promise<void> {
    this.ended = true;
    clearTimeout(this.#idle);
    await this.worker.terminate();
  }

  #fail(error: Error): void {
    this.#settle?.reject(error);
    void this.end();
  }

  /** Its processor time for this caller; 0 where the system does not say. */
  usedMs(): number {
    const used = this.#processorMs();
    return used === null || this.#usedBefore === null ? 0 : used - this.#usedBefore;
  }

  #processorMs(): number | null {
    if (this.#number === null) return null;
    try {
      return Number(readFileSync(`/proc/self/task/${this.#number}/schedstat`, 'utf8').split(' ', 1)[0]) / 1e6;
    } catch {
      return null;
    }
  }
}
