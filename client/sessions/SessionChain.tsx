import { useEffect, useId, useRef } from 'react';
import { useQuery } from 'urql';
import { graphql } from '../gql/gql.ts';
import { handoffLooks } from '../handoffs/looks.ts';
import { RequestError } from '../ui/ErrorNote.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { useAgain } from '../ui/useAgain.ts';
import { drawChain, step } from './chain.ts';
import styles from './SessionChain.module.css';
import { tenureLooks } from './tenureLooks.ts';

const ChainQuery = graphql(`
  query SessionChain($id: ID!) {
    session(id: $id) {
      id
      agentSessions(first: 100) {
        nodes {
          id
          state
          agent {
            id
          }
          initiatedByHandoff {
            id
            status
            sourceAgentSession {
              id
            }
          }
        }
        pageInfo {
          hasNextPage
        }
      }
    }
  }
`);

/** The session's holders over time: a lane for each agent, with links between tenures. The table of handoffs has the same content. */
export function SessionChain({ sessionId, version }: { sessionId: string; version: number }) {
  const [{ data, error }, ask] = useQuery({ query: ChainQuery, variables: { id: sessionId }, requestPolicy: 'cache-and-network' });
  useAgain(ask, version);
  const scroller = useRef<HTMLDivElement>(null);
  const clip = useId();
  const found = data?.session?.agentSessions;
  const count = found?.nodes.length ?? 0;
  useEffect(() => {
    if (scroller.current) scroller.current.scrollLeft = scroller.current.scrollWidth;
  }, [count]);
  if (error && !found) return <RequestError error={error} />;
  if (!found) return <Skeleton height="5.5rem" />;
  if (count === 0) return <p className="soft small">Nobody has held it yet.</p>;
  const { lanes, bars, links, width, height } = drawChain(found.nodes.toReversed());
  return (
    <figure className={styles.chain}>
      <div className={styles.lanes} aria-hidden="true">
        {lanes.map((lane) => (
          <span key={lane}>{lane}</span>
        ))}
      </div>
      <div ref={scroller} className={styles.scroller} tabIndex={0} role="region" aria-label="Chain, drawn">
        <svg width={width} height={height} role="img" aria-label={`${textOf(lanes.length, count)} The table of handoffs has them all.`}>
          {lanes.map((lane, index) => (
            <line key={lane} className={styles.lane} x1="0" x2={width} y1={step.top + index * step.lane} y2={step.top + index * step.lane} />
          ))}
          {links.map(({ key, status, path, title }) => (
            <g key={key} className={styles.link} data-tone={status === null ? 'calm' : handoffLooks[status].tone} data-returned={status === null}>
              <title>{status === null ? title : `${title}: ${handoffLooks[status].word.toLowerCase()}`}</title>
              <path className={styles.curve} d={path} markerEnd={`url(#${clip}-${status === null ? 'calm' : handoffLooks[status].tone})`} />
            </g>
          ))}
          {bars.map(({ tenure, x, y }) => (
            <rect key={tenure.id} className={styles.bar} data-state={tenure.state} x={x + 1} y={y - 5} width={step.bar - 2} height="10" rx="5">
              <title>{`${tenure.agent.id}: ${tenureLooks[tenure.state].word.toLowerCase()}`}</title>
            </rect>
          ))}
          <defs>
            {['good', 'info', 'wait', 'bad', 'calm', 'violet'].map((tone) => (
              <marker key={tone} id={`${clip}-${tone}`} className={styles.head} data-tone={tone} viewBox="0 0 6 6" refX="4" refY="3" markerWidth="5" markerHeight="5" orient="auto">
                <path d="M0 0 6 3 0 6z" />
              </marker>
            ))}
          </defs>
        </svg>
      </div>
      {found.pageInfo.hasNextPage && <figcaption className="soft small">The newest {count} steps.</figcaption>}
    </figure>
  );
}

const textOf = (agents: number, steps: number): string =>
  `${agents === 1 ? 'One agent' : `${agents} agents`} held this session, in ${steps === 1 ? 'one step' : `${steps} steps`}.`;
