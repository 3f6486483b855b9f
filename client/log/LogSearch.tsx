import { useDeferredValue, useEffect, useState } from 'react';
import { useQuery } from 'urql';
import { graphql } from '../gql/gql.ts';
import type { LogSearchQuery as LogSearchResults } from '../gql/graphql.ts';
import { pieces } from '../palette/items.ts';
import { RequestError } from '../ui/ErrorNote.tsx';
import { Icon } from '../ui/Icon.tsx';
import styles from './LogSearch.module.css';
import { roleWords } from './looks.ts';
import type { LogPlace } from './place.ts';

const LogSearchQuery = graphql(`
  query LogSearch($query: String!, $id: ID!) {
    search(query: $query, types: [MESSAGE, TOOL_CALL], sessionId: $id, first: 100) {
      edges {
        match {
          field
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
          ... on ToolCall {
            id
            name
            index
            after: sequence
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

interface LogSearchProps {
  sessionId: string;
  onJump: (place: LogPlace, takesFocus: boolean) => void;
  /** The words of the search; null without a search. */
  onWords: (words: string | null) => void;
}

/** Finds messages and calls of this log: Enter goes to the next one found, Shift-Enter to the one before, and the field keeps the focus. */
export function LogSearch({ sessionId, onJump, onWords }: LogSearchProps) {
  const [words, setWords] = useState('');
  const [query, setQuery] = useState('');
  const [chosen, setChosen] = useState<LogPlace | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => setQuery(words.trim()), words === '' ? 0 : pauseMs);
    return () => clearTimeout(timer);
  }, [words]);
  const isOn = query !== '' && words.trim() !== '';
  useEffect(() => onWords(isOn ? query : null), [onWords, isOn, query]);
  const [{ data, error, fetching }, ask] = useQuery({
    query: LogSearchQuery,
    variables: { query, id: sessionId },
    pause: !isOn,
    requestPolicy: 'network-only',
  });
  const shown = useDeferredValue(isOn ? data : undefined);
  // In the order of the log: the best 100.
  const found = (shown?.search.edges ?? [])
    .flatMap(({ node, match }) => foundOf(node).map((each) => ({ ...each, match })))
    .sort((one, other) => compare(one.place, other.place));
  const go = (place: LogPlace | undefined, takesFocus: boolean) => {
    if (place === undefined) return;
    setChosen(place);
    onJump(place, takesFocus);
  };
  const step = (back: boolean) => {
    const next =
      chosen === null
        ? undefined
        : back
          ? found.findLast(({ place }) => compare(place, chosen) < 0)
          : found.find(({ place }) => compare(place, chosen) > 0);
    go((next ?? (back ? found.at(-1) : found[0]))?.place, false);
  };
  const clear = () => {
    setWords('');
    setQuery('');
    setChosen(null);
  };
  const at = chosen === null ? -1 : found.findIndex(({ place }) => compare(place, chosen) === 0);
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
          aria-keyshortcuts="/"
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
          {isOver &&
            !error &&
            (found.length === 0
              ? 'No message and no call has these words.'
              : `${at < 0 ? '' : `${at + 1} of `}${found.length}${shown.search.pageInfo.hasNextPage ? ' or more' : ''} found`)}
        </span>
      </form>
      {isOn && error && <RequestError error={error} onRetry={() => ask({ requestPolicy: 'network-only' })} />}
      {isOver && found.length > 0 && (
        <ol role="list" className={styles.found} aria-label="Found in this conversation">
          {found.map(({ id, place, by, match }) => (
            <li key={id}>
              <button
                type="button"
                aria-current={chosen !== null && compare(place, chosen) === 0}
                onClick={() => go(place, true)}
              >
                <span className={styles.number}>#{place.message}</span>
                <span className={styles.by}>
                  {by}
                  {place.call !== null && match && ` (${match.field})`}
                </span>
                <span className={styles.words}>
                  {match &&
                    pieces(match).map(({ text, marked }, index) => (marked ? <mark key={index}>{text}</mark> : text))}
                </span>
              </button>
            </li>
          ))}
        </ol>
      )}
    </search>
  );
}

type Node = LogSearchResults['search']['edges'][number]['node'];

/** The place of a result, and who or what wrote it. */
function foundOf(node: Node): { id: string; place: LogPlace; by: string }[] {
  switch (node.__typename) {
    case 'Message':
      return [
        {
          id: node.id,
          place: { message: node.sequence, call: null },
          by: node.role === 'ASSISTANT' ? (node.agentSession?.agent.id ?? roleWords[node.role]) : roleWords[node.role],
        },
      ];
    case 'ToolCall':
      // Calls before the first message are shown after it.
      return [{ id: node.id, place: { message: Math.max(1, node.after), call: node.index }, by: node.name }];
    default:
      return [];
  }
}

const compare = (one: LogPlace, other: LogPlace): number =>
  one.message - other.message || (one.call ?? -1) - (other.call ?? -1);
