import { useQuery } from 'urql';
import { graphql } from '../gql/gql.ts';
import { useRereadOn } from '../live/events.ts';

const most = 50;

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

/** The number of what waits for a person, in the navigation. Renders nothing when nothing waits. */
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
      {data?.approvals.pageInfo.hasNextPage ? `${most}+` : count}
      <span className="hidden"> to decide</span>
    </span>
  );
}
