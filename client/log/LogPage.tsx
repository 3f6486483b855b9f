import { useMemo } from 'react';
import { useQuery } from 'urql';
import { graphql } from '../gql/gql.ts';
import { readFragment, type FragmentType } from '../gql/index.ts';
import type { LogCallsQuery as LogCalls } from '../gql/graphql.ts';
import { movesAround, type Move } from '../sessions/moves.ts';
import { LogEntry } from './LogEntry.tsx';
import { MovedEntry } from './MovedEntry.tsx';
import { RoutedEntry } from './RoutedEntry.tsx';
import { ToolCalls, type Call } from './ToolCalls.tsx';
import styles from './SessionLog.module.css';

export const LogPageFragment = graphql(`
  fragment LogPage on Message {
    id
    sequence
    role
    turn {
      id
    }
    ...LogEntry
    ...RoutedEntry
  }
`);

// Without arguments and results, which are read on opening a call.
const LogCallsQuery = graphql(`
  query LogCalls($turns: [ID!]!) {
    nodes(ids: $turns) {
      __typename
      ... on Turn {
        id
        toolCalls {
          id
          sequence
          name
          filesModified
          error
        }
      }
    }
  }
`);

/** One page of the log, given newest first and shown oldest first. Tool calls follow their message, and moves without a handoff are in between. */
export function LogPage({ messages: masked, moves }: { messages: readonly FragmentType<typeof LogPageFragment>[]; moves: readonly Move[] }) {
  const messages = readFragment(LogPageFragment, masked).toReversed();
  const turns = [...new Set(messages.flatMap(({ turn }) => (turn ? [turn.id] : [])))];
  const [{ data }] = useQuery({ query: LogCallsQuery, variables: { turns }, pause: turns.length === 0 });
  const { before, after } = movesAround(moves, messages.map(({ sequence }) => sequence));
  const calls = useMemo(() => bySequence(data), [data]);
  return (
    <ol role="list" className={styles.page}>
      {messages.map((message) => (
        <li key={message.id} id={`message-${message.sequence}`} className={styles.entry}>
          {before.get(message.sequence)?.map((move) => <MovedEntry key={move.id} move={move} />)}
          {message.role === 'HANDOFF' ? <RoutedEntry message={message} /> : <LogEntry message={message} />}
          {calls.has(message.sequence) && <ToolCalls calls={calls.get(message.sequence)!} />}
          {message === messages.at(-1) && after.map((move) => <MovedEntry key={move.id} move={move} />)}
        </li>
      ))}
    </ol>
  );
}

function bySequence(data: LogCalls | undefined): Map<number, Call[]> {
  const calls = new Map<number, Call[]>();
  for (const turn of data?.nodes ?? []) {
    if (turn?.__typename !== 'Turn') continue;
    for (const call of turn.toolCalls) {
      // Calls before the first message are shown under it.
      const sequence = Math.max(1, call.sequence);
      calls.set(sequence, [...(calls.get(sequence) ?? []), call]);
    }
  }
  return calls;
}
