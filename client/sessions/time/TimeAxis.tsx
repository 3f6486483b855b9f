import { useState } from 'react';
import { useClient, useQuery, type CombinedError } from 'urql';
import { Link } from 'wouter';
import { graphql } from '../../gql/gql.ts';
import { readFragment } from '../../gql/index.ts';
import { useNow } from '../../ui/clock.ts';
import { RequestError } from '../../ui/ErrorNote.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { formatDuration, formatExact } from '../../ui/time.ts';
import { useAgain } from '../../ui/useAgain.ts';
import { useEarlier } from '../earlier.ts';
import { tenureLooks } from '../tenureLooks.ts';
import styles from './TimeAxis.module.css';
import { placeIn, spansOf, ticksOf, viewOf, wholeOf, type Span } from './times.ts';

const TimedTenureFragment = graphql(`
  fragment TimedTenure on AgentSession {
    id
    state
    startSequence
    startedAt
    endedAt
    agent {
      id
    }
    initiatedByHandoff {
      id
      acceptedAt
    }
  }
`);

const TimesQuery = graphql(`
  query SessionTimes($id: ID!) {
    session(id: $id) {
      id
      agentSessions(first: 100) {
        nodes {
          ...TimedTenure
        }
        pageInfo {
          hasNextPage
          endCursor
        }
        totalCount
      }
      turns(first: 100) {
        nodes {
          id
          index
          startedAt
          agentSession {
            id
          }
        }
      }
    }
  }
`);

const EarlierTimesQuery = graphql(`
  query EarlierSessionTimes($id: ID!, $after: String) {
    session(id: $id) {
      id
      agentSessions(first: 100, after: $after) {
        nodes {
          ...TimedTenure
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  }
`);

/** The session over time: a lane for each agent with its tenures, the waiting before it accepted, and its newest turns. It zooms and moves. */
export default function TimeAxis({ sessionId, moment }: { sessionId: string; moment: string }) {
  const [{ data, error }, ask] = useQuery({
    query: TimesQuery,
    variables: { id: sessionId },
    requestPolicy: 'cache-and-network',
  });
  useAgain(ask, moment);
  const now = useNow();
  /** Null: all of it, also when it grows. */
  const [chosen, setChosen] = useState<Span | null>(null);
  const client = useClient();
  const [failure, setFailure] = useState<CombinedError>();
  const session = data?.session;
  const newest = session?.agentSessions;
  const { known, hasEarlier, readEarlier } = useEarlier(
    newest && { ...newest, nodes: readFragment(TimedTenureFragment, newest.nodes) },
    async (after) => {
      const answer = await client.query(EarlierTimesQuery, { id: sessionId, after }).toPromise();
      setFailure(answer.error);
      const page = answer.data?.session?.agentSessions;
      return page && { ...page, nodes: readFragment(TimedTenureFragment, page.nodes) };
    },
  );
  if (error && !session) return <RequestError error={error} onRetry={() => ask({ requestPolicy: 'network-only' })} />;
  if (!session) return <Skeleton height="6rem" />;
  const tenures = known.toReversed().map((tenure) => ({ ...tenure, ...spansOf(tenure, now) }));
  if (tenures.length === 0) return <p className="soft small">No agent has held this session.</p>;
  const turns = session.turns.nodes.map((turn) => ({ ...turn, at: Date.parse(turn.startedAt) }));
  const whole = wholeOf(tenures.map(({ held }) => held));
  const view = chosen === null ? whole : viewOf(chosen, whole, {});
  const change = (by: { zoom?: number; move?: number }) => {
    const next = viewOf(view, whole, by);
    setChosen(next.to - next.from >= whole.to - whole.from ? null : next);
  };
  const keys: Record<string, () => void> = {
    '+': () => change({ zoom: 2 }),
    '-': () => change({ zoom: 0.5 }),
    '0': () => setChosen(null),
    ArrowLeft: () => change({ move: -0.25 }),
    ArrowRight: () => change({ move: 0.25 }),
  };
  const agents = [...new Set(tenures.map(({ agent }) => agent.id))];
  const isWhole = chosen === null;
  return (
    <figure className={styles.axis}>
      <div className={styles.buttons} role="toolbar" aria-label="Zoom">
        <button type="button" className="button small" onClick={keys['+']}>
          Zoom in
        </button>
        <button type="button" className="button small" onClick={keys['-']} aria-disabled={isWhole}>
          Zoom out
        </button>
        <button type="button" className="button small" onClick={keys['ArrowLeft']} aria-disabled={isWhole}>
          Earlier
        </button>
        <button type="button" className="button small" onClick={keys['ArrowRight']} aria-disabled={isWhole}>
          Later
        </button>
        <button type="button" className="button small" onClick={keys['0']} aria-disabled={isWhole}>
          All
        </button>
        {hasEarlier && (
          <button type="button" className="button small" onClick={() => void readEarlier()}>
            Show earlier holders
          </button>
        )}
        <span className="soft small" role="status">
          {hasEarlier && `The newest ${known.length} of ${session.agentSessions.totalCount.toLocaleString()} holders: `}
          {formatDuration(view.to - view.from)} from {formatExact(new Date(view.from).toISOString())}
        </span>
      </div>
      {failure && <RequestError error={failure} onRetry={() => void readEarlier()} />}
      <div
        className={styles.lanes}
        role="region"
        aria-label="Time axis: plus and minus zoom, arrows move"
        tabIndex={0}
        onKeyDown={(event) => {
          const act =
            event.target === event.currentTarget && !event.ctrlKey && !event.metaKey && !event.altKey
              ? keys[event.key]
              : undefined;
          if (act === undefined) return;
          event.preventDefault();
          act();
        }}
      >
        {agents.map((agent) => (
          <div key={agent} className={styles.lane}>
            <span className={styles.name} title={agent}>
              {agent}
            </span>
            <div className={styles.track}>
              {tenures.map((tenure) => {
                const place = tenure.agent.id === agent ? placeIn(tenure.held, view) : null;
                const waited = place && tenure.waited && placeIn(tenure.waited, view);
                const word = `${agent}, ${tenureLooks[tenure.state].word.toLowerCase()}: ${formatDuration(tenure.held.to - tenure.held.from)}${tenure.waited ? `, of which ${formatDuration(tenure.waited.to - tenure.waited.from)} waiting` : ''}`;
                return (
                  place && (
                    <span key={tenure.id}>
                      <Link
                        href={`/sessions/${sessionId}#message-${tenure.startSequence}`}
                        className={styles.bar}
                        style={place}
                        title={word}
                        aria-label={`${word}. Go to message ${tenure.startSequence}`}
                      />
                      {waited && <span className={styles.waited} style={waited} data-drawn="waited" />}
                    </span>
                  )
                );
              })}
              {turns.map((turn) => {
                const isHere = tenures.find(({ id }) => id === turn.agentSession?.id)?.agent.id === agent;
                const place = isHere ? placeIn({ from: turn.at, to: turn.at }, view) : null;
                return (
                  place && <span key={turn.id} className={styles.turn} style={{ left: place.left }} data-drawn="turn" />
                );
              })}
            </div>
          </div>
        ))}
        <div className={styles.lane} aria-hidden="true">
          <span className={styles.name} />
          <div className={styles.track} data-scale>
            {ticksOf(view, whole.from, 6).map(({ at, word }) => (
              <span key={at} className={styles.tick} style={{ left: placeIn({ from: at, to: at }, view)?.left }}>
                {word}
              </span>
            ))}
          </div>
        </div>
      </div>
      <figcaption className={styles.caption}>
        <span className={styles.key} data-kind="held" /> held <span className={styles.key} data-kind="waited" /> waiting
        for acceptance <span className={styles.key} data-kind="turn" /> turn
        {session.turns.nodes.length === 100 && <span> (the newest 100)</span>}
      </figcaption>
    </figure>
  );
}
