import { useQuery } from 'urql';
import { useMay } from '../access/viewer.ts';
import { readFragment } from '../gql/index.ts';
import { useRereadOn } from '../live/events.ts';
import { RequestError } from '../ui/ErrorNote.tsx';
import { ApprovalCard } from './ApprovalCard.tsx';
import { SessionApprovalQuery, WaitingDocument } from './documents.ts';

/** What a session waits for a person to decide, on its own page. */
export default function SessionApproval({ sessionId }: { sessionId: string }) {
  const decides = useMay('reassign');
  const [{ data, error }, ask] = useQuery({
    query: SessionApprovalQuery,
    variables: { id: sessionId },
    requestPolicy: 'cache-and-network',
  });
  const again = () => ask({ requestPolicy: 'network-only' });
  useRereadOn(({ session }) => session?.id === sessionId, again);
  if (error) return <RequestError error={error} onRetry={again} />;
  const approval = readFragment(WaitingDocument, data?.session?.approval);
  return approval ? (
    <ApprovalCard waiting={approval} isOpen decides={decides} keys={decides} onDone={again} onRefused={again} />
  ) : null;
}
