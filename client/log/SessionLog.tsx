import { useMemo } from 'react';
import { useQuery } from 'urql';
import { graphql } from '../gql/gql.ts';
import { movesOf, useTenures } from '../sessions/moves.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { RequestError } from '../ui/ErrorNote.tsx';
import { SkeletonRows } from '../ui/Skeleton.tsx';
import { useAgain } from '../ui/useAgain.ts';
import { LogList } from './LogList.tsx';
import { MovedEntry } from './MovedEntry.tsx';
import styles from './SessionLog.module.css';

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
      ...LogNow
    }
  }
`);

// A session begins with its request, but for instructions.
const LogBeginQuery = graphql(`
  query LogBegin($id: ID!) {
    session(id: $id) {
      id
      messages(last: 3) {
        nodes {
          id
          sequence
          ...OriginalRequest
        }
      }
    }
  }
`);

export interface SessionLogProps {
  sessionId: string;
  /** Changes when the log may have grown. */
  moment: string;
}

/** The log as a conversation, oldest first, which opens at its end or at the message that the address names. */
export function SessionLog({ sessionId, moment }: SessionLogProps) {
  const [{ data, error }, ask] = useQuery({ query: LogEndsQuery, variables: { id: sessionId }, requestPolicy: 'cache-and-network' });
  useAgain(ask, moment);
  const [{ data: begun, error: failure }, askBegin] = useQuery({ query: LogBeginQuery, variables: { id: sessionId } });
  const begin = begun?.session?.messages.nodes;
  useAgain(askBegin, begin && begin.length < 3 ? moment : undefined);
  const tenures = useTenures(sessionId, moment);
  const moves = useMemo(() => movesOf(tenures), [tenures]);
  const session = data?.session;
  const newest = session?.newest.nodes[0]?.sequence;
  const oldest = begin?.at(-1)?.sequence;
  if (session && begin && newest !== undefined && oldest !== undefined) {
    return <LogList key={sessionId} sessionId={sessionId} oldest={oldest} newest={newest} begin={begin} session={session} tenures={tenures} moves={moves} moment={moment} />;
  }
  const trouble = error ?? failure;
  const isEmpty = session && begin && newest === undefined;
  return (
    <div className={styles.log} role="region" aria-label="Conversation" tabIndex={0}>
      {trouble && <RequestError error={trouble} onRetry={() => (error ? ask : askBegin)({ requestPolicy: 'network-only' })} />}
      {!trouble && !isEmpty && <SkeletonRows rows={6} height="5.5rem" label="Loading the conversation" />}
      {isEmpty && moves.toReversed().map((move) => <MovedEntry key={move.id} move={move} />)}
      {isEmpty && <EmptyState title="There are no messages yet.">Turns appear here as agents append them.</EmptyState>}
    </div>
  );
}
