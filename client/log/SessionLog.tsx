import { useQuery } from 'urql';
import { graphql } from '../gql/gql.ts';
import { movesOf, useTenures } from '../sessions/moves.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { RequestError } from '../ui/ErrorNote.tsx';
import { SkeletonRows } from '../ui/Skeleton.tsx';
import { useAgain } from '../ui/useAgain.ts';
import { LogList } from './LogList.tsx';
import { callsOfMessage, pageSize } from './logPages.ts';
import { MovedEntry } from './MovedEntry.tsx';
import styles from './SessionLog.module.css';

// A session begins with its request, but for instructions.
const LogOpeningQuery = graphql(`
  query LogOpening($id: ID!, $size: Int!, $calls: Int!) {
    session(id: $id) {
      id
      newest: messages(first: $size) {
        nodes {
          id
          sequence
          ...LogMessage
        }
      }
      oldest: messages(last: 3) {
        nodes {
          id
          sequence
          ...OriginalRequest
        }
      }
      ...LogNow
    }
  }
`);

const LogEndsQuery = graphql(`
  query LogEnds($id: ID!) {
    session(id: $id) {
      id
      newest: messages(first: 1) {
        nodes {
          id
          sequence
        }
      }
      oldest: messages(last: 3) {
        nodes {
          id
          sequence
          ...OriginalRequest
        }
      }
      ...LogNow
    }
  }
`);

/** What the log shows at first, in one request. Read beside the session, so that neither waits for the other. */
export const useLogOpening = (sessionId: string, isShown: boolean) =>
  useQuery({
    query: LogOpeningQuery,
    variables: { id: sessionId, size: pageSize, calls: callsOfMessage },
    requestPolicy: 'cache-and-network',
    pause: !isShown,
  });

export interface SessionLogProps {
  sessionId: string;
  /** Changes when the log may have grown. */
  moment: string;
  opening: ReturnType<typeof useLogOpening>;
}

/** The log as a conversation, oldest first, which opens at its end or at the message that the address names. */
export function SessionLog({ sessionId, moment, opening: [{ data: first, error }, ask] }: SessionLogProps) {
  // From the first change on.
  const [{ data: later }, askEnds] = useQuery({
    query: LogEndsQuery,
    variables: { id: sessionId },
    requestPolicy: 'network-only',
    pause: true,
  });
  useAgain(askEnds, moment);
  const tenures = useTenures(sessionId, moment);
  const session = later?.session ?? first?.session;
  const begin = session?.oldest.nodes;
  const newest = session?.newest.nodes[0]?.sequence;
  const oldest = begin?.at(-1)?.sequence;
  if (first?.session && session && begin && newest !== undefined && oldest !== undefined) {
    return (
      <LogList
        key={sessionId}
        sessionId={sessionId}
        oldest={oldest}
        newest={newest}
        given={first.session.newest.nodes}
        begin={begin}
        session={session}
        tenures={tenures}
        moment={moment}
      />
    );
  }
  const isEmpty = session !== undefined && newest === undefined;
  return (
    <div className={styles.log} role="region" aria-label="Conversation" tabIndex={0}>
      {error && <RequestError error={error} onRetry={() => ask({ requestPolicy: 'network-only' })} />}
      {!error && !isEmpty && <SkeletonRows rows={6} height="5.5rem" label="Loading the conversation" />}
      {isEmpty &&
        movesOf(tenures.known)
          .toReversed()
          .map(({ id, agent, startedAt, startedBy }) => (
            <MovedEntry key={id} agent={agent} at={startedAt} said={startedBy ?? {}} />
          ))}
      {isEmpty && <EmptyState title="There are no messages yet.">Turns appear here as agents append them.</EmptyState>}
    </div>
  );
}
