import { BadUserInputError } from '../../core/errors.ts';
import { answerMessages } from '../../core/threadAnswers.ts';
import { Preparation, type Steps } from './preparation.ts';
import { Spool } from './spool.ts';
import type { ReadOptions } from './transcripts/detect.ts';

// A worker thread of `importThread.ts`: it alone reads, redacts and derives what an import stores.

export type Chunk = Uint8Array | string;

export type Asked =
  | { do: 'open'; options: Pick<ReadOptions, 'format' | 'sidechain' | 'mayBeEmpty' | 'skipDamaged'> }
  /** Null: the file ends. Undefined: go on after 'recognised'. */
  | { do: 'read'; chunk: Chunk | null | undefined }
  | { do: 'step'; step: keyof Steps; args: unknown[] }
  | { do: 'close' };

/** 'more': the next chunk is needed. 'recognised': the format is known, and the rest is read afterwards. 'read': all is read. */
export type Reached = 'more' | 'recognised' | 'read';

export interface Answered {
  answer?: unknown;
  refused?: { message: string; path: readonly string[] };
  /** Errors of a temporary folder that takes no file. */
  warnings: string[];
}

let warnings: string[] = [];
const warn = ({ err }: { err?: unknown }): void => void warnings.push(String(err));
const log = { info: warn, warn, error: warn };

/** Reads a file whose chunks come one at a time. */
class Job {
  readonly spool = new Spool(log);
  preparation: Preparation | null = null;
  #reached: { resolve(reached: Reached): void; reject(error: unknown): void } | null = null;
  #goOn: ((chunk: Chunk | null | undefined) => void) | null = null;

  /** Resolves when the reader waits again, or is done. @throws BadUserInputError */
  goOn(step: () => void): Promise<Reached> {
    return new Promise((resolve, reject) => {
      this.#reached = { resolve, reject };
      step();
    });
  }

  open(options: ReadOptions): Promise<Reached> {
    return this.goOn(() => {
      const onRecognised = async (): Promise<void> => void (await this.#wait('recognised'));
      Preparation.read(this.#chunks(), { ...options, spool: this.spool, onRecognised }).then(
        (preparation) => {
          this.preparation = preparation;
          this.#reached?.resolve('read');
        },
        (error: unknown) => this.#reached?.reject(error),
      );
    });
  }

  read(chunk: Chunk | null | undefined): Promise<Reached> {
    return this.goOn(() => this.#goOn!(chunk));
  }

  async *#chunks(): AsyncGenerator<Chunk> {
    for (let chunk = await this.#wait('more'); chunk != null; chunk = await this.#wait('more')) yield chunk;
  }

  #wait(reached: Reached): Promise<Chunk | null | undefined> {
    return new Promise((resolve) => {
      this.#goOn = resolve;
      this.#reached?.resolve(reached);
    });
  }
}

let job: Job | null = null;

async function answer(asked: Asked): Promise<unknown> {
  switch (asked.do) {
    case 'open':
      job = new Job();
      return job.open(asked.options);
    case 'read':
      return job!.read(asked.chunk);
    case 'step': {
      const { preparation } = job!;
      return (preparation![asked.step] as (...args: unknown[]) => unknown).apply(preparation, asked.args);
    }
    case 'close':
      await job?.spool.close();
      job = null;
      return null;
  }
}

answerMessages(async (asked: Asked): Promise<Answered> => {
  warnings = [];
  try {
    return { answer: await answer(asked), warnings };
  } catch (error) {
    if (!(error instanceof BadUserInputError)) throw error;
    return { refused: { message: error.message, path: error.path }, warnings };
  }
});
