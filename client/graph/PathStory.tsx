import { useQuery } from 'urql';
import { graphql } from '../gql/gql.ts';
import { endedBecause } from '../handoffs/ended.ts';
import { handoffLooks } from '../handoffs/looks.ts';
import { RequestError } from '../ui/ErrorNote.tsx';
import { toGraphFilter, type GraphView } from './filters.ts';
import styles from './PathStory.module.css';
import { failuresOf, topReasons, wordsOfPair, type Edge } from './outcomes.ts';

const PathReasonsQuery = graphql(`
  query PathReasons($ended: HandoffFilter!, $back: HandoffFilter!) {
    ended: handoffs(where: $ended, first: 50) {
      nodes {
        id
        status
        ...Ended
      }
    }
    back: handoffs(where: $back, first: 50) {
      nodes {
        id
        reason
      }
    }
  }
`);

/** How the handoffs of a pair ended, and the most frequent reasons of those that were declined, timed out, cancelled or sent back. */
export function PathStory({ edge, view }: { edge: Edge; view: GraphView }) {
  const where = toGraphFilter({ ...view, agent: '' });
  const [source, target] = [edge.source.id, edge.target.id];
  const [{ data, error, fetching }] = useQuery({
    query: PathReasonsQuery,
    variables: {
      ended: {
        ...where,
        sourceAgentId: source,
        targetAgentId: target,
        status: ['REJECTED', 'TIMED_OUT', 'FAILED', 'CANCELLED'],
      },
      back: { ...where, sourceAgentId: target, targetAgentId: source, sentBack: true },
    },
  });
  const reasons = topReasons([
    ...(data?.ended.nodes ?? []).map((handoff) => ({
      what: handoffLooks[handoff.status].word,
      why: handoff.status === 'TIMED_OUT' ? 'not accepted in time' : endedBecause(handoff),
    })),
    ...(data?.back.nodes ?? []).map(({ reason }) => ({ what: 'Sent back', why: reason ?? null })),
  ]);
  return (
    <div className={styles.story}>
      <p>{wordsOfPair(edge)}</p>
      {failuresOf(edge).length > 0 && (
        <p>
          {failuresOf(edge)
            .map(({ word, share }) => `${share} ${word}`)
            .join(', ')}
        </p>
      )}
      {fetching && <p className="soft">Reading the reasons …</p>}
      {error && <RequestError error={error} />}
      {reasons.length > 0 && (
        <ul aria-label="Most frequent reasons">
          {reasons.map(({ what, why, times }) => (
            <li key={`${what} ${why}`}>
              {what}
              {times > 1 && `, ${times} times`}: {why}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
