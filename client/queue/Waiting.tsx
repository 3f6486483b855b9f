import { useQuery } from 'urql';
import { graphql } from '../gql/gql.ts';
import { useRereadOn } from '../live/events.ts';

// Reads the first entries instead of counting all: a long queue costs no more than a short one.
const most = 50;
const everyMs = 5_000;

const WaitingQuery = graphql(`
  query Waiting($first: Int!) {
    queue(first: $first) {
      nodes {
        queuedSince
      }
      pageInfo {
        hasNextPage
      }
    }
  }
`);

/** The number of waiting sessions, in the navigation. Renders nothing when no session waits. */
export function Waiting({ className }: { className: string | undefined }) {
  const [{ data }, ask] = useQuery({ query: WaitingQuery, variables: { first: most } });
  const count = data?.queue.nodes.length ?? 0;
  useRereadOn(
    ({ type }) => type === 'SESSION_QUEUED' || (count > 0 && type.startsWith('SESSION_')),
    () => ask({ requestPolicy: 'network-only' }),
    everyMs,
  );
  if (count === 0) return null;
  return (
    <span className={className}>
      {data?.queue.pageInfo.hasNextPage ? `${most}+` : count}
      <span className="hidden"> waiting</span>
    </span>
  );
}
