import { useId, useLayoutEffect, useRef, useState } from 'react';
import { useClient, useQuery, type CombinedError } from 'urql';
import { Link } from 'wouter';
import { graphql } from '../gql/gql.ts';
import { endedBecause } from '../handoffs/ended.ts';
import { handoffLooks } from '../handoffs/looks.ts';
import { RequestError } from '../ui/ErrorNote.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { useAgain } from '../ui/useAgain.ts';
import { drawChain, lanesOf, mostLanes, step, type Lanes, type Tenure } from './chain.ts';
import { useEarlier } from './earlier.ts';
import styles from './SessionChain.module.css';
import { tenureLooks } from './tenureLooks.ts';

const ChainQuery = graphql(`
  query SessionChain($id: ID!, $after: String) {
    session(id: $id) {
      id
      agentSessions(first: 100, after: $after) {
        nodes {
          id
          state
          agent {
            id
          }
          initiatedByHandoff {
            id
            status
            ...Ended
            sourceAgentSession {
              id
            }
          }
        }
        pageInfo {
          hasNextPage
          endCursor
        }
        totalCount
      }
    }
  }
`);

/** The session's holders over time: a lane for each agent, a bar for each tenure, and links between tenures. The table of handoffs has the same content. */
export default function SessionChain({ sessionId, version }: { sessionId: string; version: number }) {
  const client = useClient();
  const [{ data, error }, ask] = useQuery({
    query: ChainQuery,
    variables: { id: sessionId, after: null },
    requestPolicy: 'cache-and-network',
  });
  useAgain(ask, version);
  const found = data?.session?.agentSessions;
  const [failure, setFailure] = useState<CombinedError>();
  const [isReading, setReading] = useState(false);
  const { known, hasEarlier, readEarlier } = useEarlier(found, async (after) => {
    const answer = await client.query(ChainQuery, { id: sessionId, after }).toPromise();
    setFailure(answer.error);
    return answer.data?.session?.agentSessions;
  });
  const [unfolded, setUnfolded] = useState(false);
  const end = useId();
  const caption = useRef<HTMLElement>(null);
  if (error && !found) return <RequestError error={error} />;
  if (!found) return <Skeleton height="5.5rem" />;
  if (known.length === 0) return <p className="soft small">No agent has held this session.</p>;
  const tenures = known.toReversed();
  const lanes = lanesOf(tenures, unfolded);
  const agents = lanes.own.length + lanes.shared.length;
  const showEarlier = async (): Promise<void> => {
    if (isReading) return;
    setReading(true);
    const read = await readEarlier();
    setReading(false);
    // The button goes away.
    if (read?.hasEarlier === false) caption.current?.focus({ preventScroll: true });
  };
  return (
    <figure className={styles.chain}>
      {tenures.length > 4 && (
        <a className={styles.skip} href={`#${end}`}>
          Skip the {2 * tenures.length - 1} links of the chain
        </a>
      )}
      <Drawing sessionId={sessionId} tenures={tenures} lanes={lanes} />
      <figcaption ref={caption} id={end} tabIndex={-1} className={styles.caption}>
        <span role="status">{textOf(agents, tenures.length, found.totalCount)}</span>
        {hasEarlier && (
          <button type="button" className="button small" aria-disabled={isReading} onClick={() => void showEarlier()}>
            {isReading ? 'Loading …' : 'Show earlier'}
          </button>
        )}
        {failure && <RequestError error={failure} />}
        {agents > mostLanes && (
          <button
            type="button"
            className="button small"
            aria-expanded={unfolded}
            onClick={() => setUnfolded(!unfolded)}
          >
            {unfolded ? `Only the ${mostLanes - 1} busiest agents` : `A lane for each of the ${agents} agents`}
          </button>
        )}
        <Legend tenures={tenures} />
      </figcaption>
    </figure>
  );
}

const historyOf = (sessionId: string): string => `/sessions/${sessionId}?view=handoffs`;

/** Names and bars share one scroller, which begins at the newest step; earlier ones appear to the left of those in sight. Each line and bar is a link with a name. */
function Drawing({ sessionId, tenures, lanes }: { sessionId: string; tenures: readonly Tenure[]; lanes: Lanes }) {
  const scroller = useRef<HTMLDivElement>(null);
  const clip = useId();
  const first = tenures[0]?.id;
  const last = useRef<{ first: string | undefined; width: number }>(undefined);
  useLayoutEffect(() => {
    const { current: box } = scroller;
    if (box === null) return;
    const added = box.scrollWidth - (last.current?.width ?? 0);
    if (last.current === undefined || last.current.first === first) box.scrollLeft = box.scrollWidth;
    else box.scrollLeft += added;
    last.current = { first, width: box.scrollWidth };
  }, [tenures.length, first]);
  const { bars, links, width, height } = drawChain(tenures, lanes);
  return (
    <div ref={scroller} className={styles.scroller} role="region" aria-label="Chain, drawn">
      <div className={styles.lanes} aria-hidden="true">
        {lanes.own.map((lane) => (
          <span key={lane} title={lane}>
            {lane}
          </span>
        ))}
        {lanes.shared.length > 0 && <span title={lanes.shared.join(', ')}>{lanes.shared.length} other agents</span>}
      </div>
      <svg width={width} height={height}>
        {Array.from({ length: height / step.lane }, (_, lane) => (
          <line
            key={lane}
            className={styles.lane}
            x1="0"
            x2={width}
            y1={step.top + lane * step.lane}
            y2={step.top + lane * step.lane}
          />
        ))}
        {links.map(({ key, handoff, path, title }) => (
          <Link
            key={key}
            href={handoff ? `/handoffs/${handoff.id}` : historyOf(sessionId)}
            className={styles.link}
            data-tone={handoff ? handoffLooks[handoff.status].tone : 'calm'}
            data-returned={handoff === null}
          >
            <title>{handoff ? `${title}: ${storyOf(handoff)}` : title}</title>
            <path
              className={styles.curve}
              d={path}
              markerEnd={`url(#${clip}-${handoff ? handoffLooks[handoff.status].tone : 'calm'})`}
            />
            <path className={styles.reach} d={path} />
          </Link>
        ))}
        {bars.map(({ tenure, x, y }) => (
          <Link
            key={tenure.id}
            href={`/sessions?agent=${encodeURIComponent(tenure.agent.id)}`}
            className={styles.tenure}
          >
            <title>{`${tenure.agent.id}: ${tenureLooks[tenure.state].word.toLowerCase()}`}</title>
            <rect
              className={styles.bar}
              data-state={tenure.state}
              x={x + 1}
              y={y - 5}
              width={step.bar - 2}
              height="10"
              rx="5"
            />
          </Link>
        ))}
        <defs>
          {['good', 'info', 'wait', 'bad', 'calm', 'violet'].map((tone) => (
            <marker
              key={tone}
              id={`${clip}-${tone}`}
              className={styles.head}
              data-tone={tone}
              viewBox="0 0 6 6"
              refX="4"
              refY="3"
              markerWidth="5"
              markerHeight="5"
              orient="auto"
            >
              <path d="M0 0 6 3 0 6z" />
            </marker>
          ))}
        </defs>
      </svg>
    </div>
  );
}

/** How the handoff ended, and why. */
function storyOf(handoff: NonNullable<Tenure['initiatedByHandoff']>): string {
  const why = endedBecause(handoff);
  return `${handoffLooks[handoff.status].word.toLowerCase()}${why === null ? '' : `. Why: ${why}`}`;
}

/** The states and outcomes that occur. */
function Legend({ tenures }: { tenures: readonly Tenure[] }) {
  const states = [...new Set(tenures.map(({ state }) => state))];
  const outcomes = [...new Set(tenures.slice(1).map(({ initiatedByHandoff }) => initiatedByHandoff?.status ?? null))];
  return (
    <>
      {states.map((state) => (
        <span key={state} className={styles.key}>
          <svg width="20" height="12" aria-hidden="true">
            <rect className={styles.bar} data-state={state} x="1" y="1" width="18" height="10" rx="5" />
          </svg>
          {tenureLooks[state].word}
        </span>
      ))}
      {outcomes.map((status) => (
        <span
          key={status}
          className={`${styles.key} ${styles.link}`}
          data-tone={status ? handoffLooks[status].tone : 'calm'}
          data-returned={status === null}
        >
          <svg width="20" height="12" aria-hidden="true">
            <path className={styles.curve} d="M1 6H19" />
          </svg>
          <span className="soft">{status ? handoffLooks[status].word : 'Without a handoff'}</span>
        </span>
      ))}
    </>
  );
}

function textOf(agents: number, drawn: number, steps: number): string {
  const who = agents === 1 ? 'One agent' : `${agents} agents`;
  if (drawn < steps)
    return `${who} held this session in its newest ${drawn} of ${steps.toLocaleString()} steps, which are drawn.`;
  return `${who} held this session, in ${steps === 1 ? 'one step' : `${steps} steps`}.`;
}
