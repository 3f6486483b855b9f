import { useState } from 'react';
import { useQuery } from 'urql';
import { graphql } from '../gql/gql.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { RequestError } from '../ui/ErrorNote.tsx';
import { SkeletonRows } from '../ui/Skeleton.tsx';
import { useAgain } from '../ui/useAgain.ts';
import { LogPage } from './LogPage.tsx';
import styles from './SessionLog.module.css';
import { useMoves, type Move } from '../sessions/moves.ts';
import { useHeldEnd } from './heldEnd.ts';
import { MovedEntry } from './MovedEntry.tsx';

const pageSize = 40;

// Newest first. `last` with `before` returns the entries directly after a page, however many there are.
const LogQuery = graphql(`
  query Log($id: ID!, $first: Int, $after: String, $last: Int, $before: String) {
    session(id: $id) {
      id
      messages(first: $first, after: $after, last: $last, before: $before) {
        nodes {
          id
          ...LogPage
        }
        pageInfo {
          hasNextPage
          hasPreviousPage
          startCursor
          endCursor
        }
      }
    }
  }
`);

export interface SessionLogProps {
  sessionId: string;
  /** Changes when the log may have grown: the entries after the last page are then read. */
  moment: string;
}

/** The log as a conversation: the newest page first, older pages on demand above, new entries below. */
export function SessionLog({ sessionId, moment }: SessionLogProps) {
  const [pages, setPages] = useState(1);
  const { region, content, onScroll, holdForOlder, letGo } = useHeldEnd();
  const [{ data, error }, ask] = useQuery({ query: LogQuery, variables: { id: sessionId, first: pageSize }, requestPolicy: 'cache-first' });
  const log = data?.session?.messages;
  const empty = log?.nodes.length === 0;
  const moves = useMoves(sessionId, moment);
  useAgain(ask, empty ? moment : undefined);
  const older = () => {
    holdForOlder();
    setPages((count) => count + 1);
  };
  return (
    <div ref={region} className={styles.log} role="region" aria-label="Conversation" tabIndex={0} onScroll={onScroll}>
      <div ref={content} onPointerDown={letGo} onKeyDown={letGo} className={styles.content}>
        {error && <RequestError error={error} onRetry={() => ask({ requestPolicy: 'network-only' })} />}
        {!error && !log && <SkeletonRows rows={6} height="5.5rem" label="Loading the conversation" />}
        {empty && moves.toReversed().map((move) => <MovedEntry key={move.id} move={move} />)}
        {empty && <EmptyState title="There are no messages yet.">Turns appear here as agents append them.</EmptyState>}
        {log && !empty && (
          <>
            <Older sessionId={sessionId} after={log.pageInfo.hasNextPage ? log.pageInfo.endCursor : null} pages={pages - 1} onMore={older} moves={moves} />
            <LogPage messages={log.nodes} moves={moves} />
            <Newer moves={moves} sessionId={sessionId} before={log.pageInfo.startCursor ?? null} moment={moment} />
          </>
        )}
      </div>
    </div>
  );
}

interface OlderProps {
  sessionId: string;
  after: string | null | undefined;
  /** The number of older pages to show. */
  pages: number;
  onMore: () => void;
  moves: readonly Move[];
}

function Older({ sessionId, after, pages, onMore, moves }: OlderProps) {
  const wanted = after != null && pages > 0;
  const [{ data, error }, ask] = useQuery({ query: LogQuery, variables: { id: sessionId, first: pageSize, after }, pause: !wanted });
  const log = wanted ? data?.session?.messages : undefined;
  if (after == null) return <p className={styles.begin}>The conversation begins here.</p>;
  if (error && wanted && !log) return <RequestError error={error} onRetry={() => ask({ requestPolicy: 'network-only' })} />;
  if (!log) {
    return (
      <div className={styles.older}>
        <button type="button" className="button small" aria-disabled={wanted} onClick={wanted ? undefined : onMore}>
          {wanted ? 'Loading …' : 'Older messages'}
        </button>
      </div>
    );
  }
  return (
    <>
      <Older sessionId={sessionId} after={log.pageInfo.hasNextPage ? log.pageInfo.endCursor : null} pages={pages - 1} onMore={onMore} moves={moves} />
      <LogPage messages={log.nodes} moves={moves} />
    </>
  );
}

/** New entries: read again at each change until the page is full and another one follows. */
function Newer({ sessionId, before, moment, moves }: { sessionId: string; before: string | null; moment: string; moves: readonly Move[] }) {
  const enabled = before !== null;
  const [{ data }, ask] = useQuery({ query: LogQuery, variables: { id: sessionId, last: pageSize, before }, pause: !enabled, requestPolicy: 'network-only' });
  const log = enabled ? data?.session?.messages : undefined;
  const full = log?.pageInfo.hasPreviousPage === true;
  useAgain(ask, enabled && !full ? moment : undefined);
  if (!log || log.nodes.length === 0) return null;
  return (
    <>
      <LogPage messages={log.nodes} moves={moves} />
      {full && <Newer moves={moves} sessionId={sessionId} before={log.pageInfo.startCursor ?? null} moment={moment} />}
    </>
  );
}
