import { useQuery } from 'urql';
import { graphql } from '../gql/gql.ts';
import { useRereadOn } from '../live/events.ts';
import { countText } from '../noticing/looked.ts';

// Reads the first ones instead of counting all.
const most = 100;

const ToDecideQuery = graphql(`
  query ToDecide($first: Int!) {
    approvals(first: $first) {
      nodes {
        id
      }
      pageInfo {
        hasNextPage
      }
    }
  }
`);

/** The number of decisions that wait for a person, in the navigation. Renders nothing when none does. */
export function ToDecide({ className }: { className: string | undefined }) {
  const [{ data }, ask] = useQuery({ query: ToDecideQuery, variables: { first: most } });
  const count = data?.approvals.nodes.length ?? 0;
  useRereadOn(
    ({ type }) =>
      type === 'HANDOFF_PROPOSED_FOR_APPROVAL' ||
      type === 'QUESTION_ASKED' ||
      (count > 0 && /^(?:HANDOFF_|QUESTION_|SESSION_)/.test(type)),
    () => ask({ requestPolicy: 'network-only' }),
  );
  if (count === 0) return null;
  return (
    <span className={className}>
      {countText(count, data?.approvals.pageInfo.hasNextPage === true)}
      <span className="hidden"> to decide</span>
    </span>
  );
}
