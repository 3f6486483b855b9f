import type { CombinedError } from 'urql';
import { errorText } from '../ui/ErrorNote.tsx';

/** What became of one act. A refused one changed nothing; `message` says why and what to do. Without an answer it `isUnknown`. */
export type Outcome<Payload = unknown> = { done: true; payload: Payload } | Refused;

interface Refused {
  done: false;
  message: string;
  /** That of the API, such as `CONFLICT`; none without an answer. */
  code?: string;
  isUnknown?: boolean;
}

export const titleOf = ({ isUnknown = false }: Refused): string =>
  isUnknown ? 'Baton did not answer' : 'Nothing was changed';

type Refusal = Extract<{ __typename: string; message: string; code?: string }, unknown>;
export type PayloadOf<Answer extends { __typename: string }> = Extract<Answer, { __typename: `${string}Payload` }>;

interface Result<Answer> {
  data?: { answer: Answer } | undefined;
  error?: CombinedError | undefined;
}

/** The outcome of a mutation whose document names it `answer`, and selects the message of its errors. */
export function outcomeOf<Answer extends { __typename: string }>({
  data,
  error,
}: Result<Answer>): Outcome<PayloadOf<Answer>> {
  const answer = data?.answer;
  if (answer?.__typename.endsWith('Payload')) return { done: true, payload: answer as PayloadOf<Answer> };
  if (answer) {
    const { message, code } = answer as unknown as Refusal;
    return { done: false, message, ...(code !== undefined && { code }) };
  }
  return {
    done: false,
    message: error ? errorText(error) : 'Try again.',
    isUnknown: error?.networkError !== undefined || !error,
  };
}

/** Acts on each item, four at a time, in order. Stops beginning others once `isStopped` returns true. */
export async function runEach<Item>(
  items: readonly Item[],
  act: (item: Item) => Promise<void>,
  isStopped: () => boolean = () => false,
): Promise<void> {
  const rest = items.values();
  const line = async (): Promise<void> => {
    for (const item of rest) {
      if (isStopped()) return;
      await act(item);
    }
  };
  await Promise.all(Array.from({ length: 4 }, line));
}

/** "1 session", "12 sessions". */
export const countOf = (count: number, noun: string): string =>
  `${count.toLocaleString()} ${noun}${count === 1 ? '' : 's'}`;
