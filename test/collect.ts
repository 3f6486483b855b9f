import { atEnd } from './database.ts';

interface Collected {
  types: string[];
  numbers: (number | null)[];
  /** Resolves at its end: with 'over', or with the error that ended it. */
  over: Promise<unknown>;
}

/** Everything that a stream of the client helper gives, as it comes; it is stopped at the end of the test file. */
export function collect(stream: AsyncIterable<{ type: string; sessionSequence: number | null }> & { stop(): void }): Collected {
  const types: string[] = [];
  const numbers: (number | null)[] = [];
  const over = (async () => {
    for await (const { type, sessionSequence } of stream) {
      types.push(type);
      numbers.push(sessionSequence);
    }
    return 'over';
  })().catch((error: unknown) => error);
  atEnd(() => stream.stop());
  return { types, numbers, over };
}
