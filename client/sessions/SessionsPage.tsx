import { useQuery } from 'urql';
import { Page } from '../app/Page.tsx';
import { graphql } from '../gql/gql.ts';
import { RequestError } from '../ui/ErrorNote.tsx';
import { SkeletonRows } from '../ui/Skeleton.tsx';
import { SessionRow } from './SessionRow.tsx';

const SessionsQuery = graphql(`
  query Sessions($where: SessionFilter, $first: Int!, $after: String) {
    sessions(where: $where, first: $first, after: $after) {
      nodes {
        id
        ...SessionRow
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

export function SessionsPage() {
  const [{ data, error }] = useQuery({ query: SessionsQuery, variables: { first: 50 } });
  return (
    <Page title="Sessions">
      {error && <RequestError error={error} />}
      {!data && !error && <SkeletonRows label="Loading the sessions" />}
      <ul role="list" className="card">
        {data?.sessions.nodes.map((session) => (
          <SessionRow key={session.id} session={session} onReassign={undefined} />
        ))}
      </ul>
    </Page>
  );
}
