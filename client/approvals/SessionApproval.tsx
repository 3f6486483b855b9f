import { useQuery } from 'urql';
import { may } from '../access/may.ts';
import { useAccess } from '../access/viewer.ts';
import { graphql } from '../gql/gql.ts';
import { useRereadOn } from '../live/events.ts';
import { RequestError } from '../ui/ErrorNote.tsx';
import { ApprovalCard } from './ApprovalCard.tsx';

const SessionApprovalQuery = graphql(`
  query SessionApproval($id: ID!) {
    session(id: $id) {
      id
      approval {
        id
        ...Waiting
      }
    }
  }
`);

/** What a session waits for a person to decide, on its own page. */
export function SessionApproval({ sessionId }: { sessionId: string }) {
  const { viewer } = useAccess();
  const [{ data, error }, ask] = useQuery({
    query: SessionApprovalQuery,
    variables: { id: sessionId },
    requestPolicy: 'cache-and-network',
  });
  const again = () => ask({ requestPolicy: 'network-only' });
  useRereadOn(({ session }) => session?.id === sessionId, again);
  if (error) return <RequestError error={error} onRetry={again} />;
  const approval = data?.session?.approval;
  return approval ? <ApprovalCard waiting={approval} isOpen decides={may(viewer, 'reassign')} onDone={again} /> : null;
}
