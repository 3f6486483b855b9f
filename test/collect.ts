import { atEnd } from './database.ts';

interface Collected {
  types: string[];
  numbers: (number | null)[];
  /** Resolves at the end with 'over', or with the error. */
  over: Promise<unknown>;
}

/** Collects a stream's events as they arrive; it stops with the test file. */
export function collect(
  stream: AsyncIterable<{ type: string; sessionSequence: number | null }> & { stop(): void },
): Collected {
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
