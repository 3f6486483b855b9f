import { useDeferredValue, useEffect, useState } from 'react';
import { useQuery } from 'urql';
import { graphql } from '../gql/gql.ts';
import { pieces } from '../palette/items.ts';
import { RequestError } from '../ui/ErrorNote.tsx';
import { Icon } from '../ui/Icon.tsx';
import styles from './LogSearch.module.css';
import { roleWords } from './looks.ts';

const LogSearchQuery = graphql(`
  query LogSearch($query: String!, $id: ID!) {
    search(query: $query, types: [MESSAGE], sessionId: $id, first: 100) {
      edges {
        match {
          text
          marks {
            start
            end
          }
        }
        node {
          __typename
          ... on Message {
            id
            sequence
            role
            agentSession {
              id
              agent {
                id
              }
            }
          }
        }
      }
      pageInfo {
        hasNextPage
      }
    }
  }
`);

const pauseMs = 200;

/** Finds messages of this log: Enter goes to the next one found, Shift-Enter to the one before. */
export function LogSearch({ sessionId, onJump }: { sessionId: string; onJump: (message: number) => void }) {
  const [words, setWords] = useState('');
  const [query, setQuery] = useState('');
  const [chosen, setChosen] = useState<number | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => setQuery(words.trim()), words === '' ? 0 : pauseMs);
    return () => clearTimeout(timer);
  }, [words]);
  const isOn = query !== '' && words.trim() !== '';
  const [{ data, error, fetching }, ask] = useQuery({ query: LogSearchQuery, variables: { query, id: sessionId }, pause: !isOn, requestPolicy: 'network-only' });
  const shown = useDeferredValue(isOn ? data : undefined);
  // In the order of the log: the best 100.
  const found = (shown?.search.edges ?? [])
    .flatMap(({ node, match }) => (node.__typename === 'Message' ? [{ ...node, match }] : []))
    .sort((one, other) => one.sequence - other.sequence);
  const go = (message: number | undefined) => {
    if (message === undefined) return;
    setChosen(message);
    onJump(message);
  };
  const step = (back: boolean) => {
    const at = chosen ?? (back ? Infinity : -Infinity);
    const next = back ? found.findLast(({ sequence }) => sequence < at) : found.find(({ sequence }) => sequence > at);
    go((next ?? (back ? found.at(-1) : found[0]))?.sequence);
  };
  const clear = () => {
    setWords('');
    setQuery('');
    setChosen(null);
  };
  const isOver = isOn && !fetching && shown !== undefined;
  return (
    <search className={styles.search}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          step(false);
        }}
      >
        <Icon name="search" size={14} />
        <input
          className="input"
          aria-label="Search this conversation"
          placeholder="Search this conversation"
          maxLength={200}
          value={words}
          onChange={(event) => {
            setWords(event.target.value);
            setChosen(null);
          }}
          onKeyDown={(event) => {
            if (event.key === 'Escape') clear();
            else if (event.key === 'Enter' && event.shiftKey) {
              event.preventDefault();
              step(true);
            }
          }}
        />
        <span className="soft small" role="status">
          {isOn && fetching && 'Searching …'}
          {isOver && !error && (found.length === 0 ? 'No message has these words.' : `${found.length}${shown.search.pageInfo.hasNextPage ? ' or more' : ''} found`)}
        </span>
      </form>
      {isOn && error && <RequestError error={error} onRetry={() => ask({ requestPolicy: 'network-only' })} />}
      {isOver && found.length > 0 && (
        <ol role="list" className={styles.found} aria-label="Messages found">
          {found.map(({ id, sequence, role, agentSession, match }) => (
            <li key={id}>
              <button type="button" aria-current={sequence === chosen} onClick={() => go(sequence)}>
                <span className={styles.number}>#{sequence}</span>
                <span className={styles.by}>{role === 'ASSISTANT' ? (agentSession?.agent.id ?? roleWords[role]) : roleWords[role]}</span>
                <span className={styles.words}>{match && pieces(match).map(({ text, marked }, index) => (marked ? <mark key={index}>{text}</mark> : text))}</span>
              </button>
            </li>
          ))}
        </ol>
      )}
    </search>
  );
}
