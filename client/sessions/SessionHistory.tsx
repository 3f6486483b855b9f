import { Fragment, useEffect, useEffectEvent, useState } from 'react';
import { useQuery } from 'urql';
import { graphql } from '../gql/gql.ts';
import { HandoffRow } from '../handoffs/list/HandoffRow.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { RequestError } from '../ui/ErrorNote.tsx';
import { LoadMore } from '../ui/LoadMore.tsx';
import { SkeletonRows } from '../ui/Skeleton.tsx';
import { WholeRow } from '../ui/WholeRow.tsx';
import { useAgain } from '../ui/useAgain.ts';
import { MovedRow } from './MovedRow.tsx';
import { movesOf, useTenures, type Move, type Tenures } from './moves.ts';
import styles from './SessionHistory.module.css';

const pageSize = 20;
/** The limit of one request. */
const mostInOne = 100;

const HistoryQuery = graphql(`
  query SessionHistory($id: ID!, $first: Int!, $after: String) {
    session(id: $id) {
      id
      handoffs(first: $first, after: $after) {
        nodes {
          id
          initiatedAt
          ...HandoffRow
        }
        pageInfo {
          hasNextPage
          endCursor
        }
        totalCount
      }
    }
  }
`);

/** The handoffs as a table, newest first, with moves without a handoff in between; rows open to show the content. */
export function SessionHistory({ sessionId, version }: { sessionId: string; version: number }) {
  const [wanted, setWanted] = useState(pageSize);
  const tenures = useTenures(sessionId, version);
  return (
    <div className={styles.history}>
      <table className={styles.table}>
        <caption className="hidden">Handoffs of this session, newest first</caption>
        <thead>
          <tr>
            <th scope="col">Number</th>
            <th scope="col">From, to</th>
            <th scope="col">Status</th>
            <th scope="col">Reason and outcome</th>
            <th scope="col">Started</th>
            <th scope="col">
              <span className="hidden">Context</span>
            </th>
          </tr>
        </thead>
        <HistoryPage
          sessionId={sessionId}
          version={version}
          tenures={tenures}
          until={null}
          after={null}
          before={0}
          wanted={wanted}
          onMore={() => setWanted((count) => count + pageSize)}
        />
      </table>
    </div>
  );
}

interface HistoryPageProps {
  sessionId: string;
  version: number;
  /** The session's moves are among them. */
  tenures: Tenures;
  /** When the handoff above was started; null at the top. */
  until: string | null;
  after: string | null;
  /** The number of rows above. */
  before: number;
  /** The number of handoffs to show from here. */
  wanted: number;
  onMore: () => void;
}

/** Up to 100 handoffs, and the next pages. New ones appear at the top, and each page begins where the one above ends. */
function HistoryPage({ sessionId, version, tenures, until, after, before, wanted, onMore }: HistoryPageProps) {
  const [{ data, error, fetching }, ask] = useQuery({
    query: HistoryQuery,
    variables: { id: sessionId, first: Math.min(mostInOne, wanted), after },
    requestPolicy: 'cache-and-network',
  });
  useAgain(ask, version);
  const list = data?.session?.handoffs;
  const failure = error && (
    <WholeRow columns={6}>
      <RequestError error={error} onRetry={() => ask({ requestPolicy: 'network-only' })} />
    </WholeRow>
  );
  if (!list) {
    return (
      failure ?? (
        <WholeRow columns={6}>
          <SkeletonRows rows={4} height="2.75rem" label="Loading the handoffs" />
        </WholeRow>
      )
    );
  }
  const { nodes, pageInfo, totalCount } = list;
  const moves = movesOf(tenures.known);
  const oldest = nodes.at(-1)?.initiatedAt ?? until;
  const shown = before + nodes.length;
  if (shown === 0 && moves.length === 0) {
    return (
      <WholeRow columns={6}>
        <EmptyState icon="swap" title="It was never handed off.">
          The agent that began it holds it still.
        </EmptyState>
      </WholeRow>
    );
  }
  return (
    <>
      {failure}
      {nodes.map((handoff, index) => (
        <Fragment key={handoff.id}>
          <Moves moves={moves} from={handoff.initiatedAt} until={nodes[index - 1]?.initiatedAt ?? until} />
          <HandoffRow handoff={handoff} />
        </Fragment>
      ))}
      {!pageInfo.hasNextPage && <Moves moves={moves} from={null} until={oldest} />}
      {pageInfo.hasNextPage && wanted > mostInOne ? (
        <HistoryPage
          sessionId={sessionId}
          version={version}
          tenures={tenures}
          until={oldest}
          after={pageInfo.endCursor ?? null}
          before={shown}
          wanted={wanted - mostInOne}
          onMore={onMore}
        />
      ) : (
        <WholeRow columns={6}>
          <EarlierMoves tenures={tenures} until={pageInfo.hasNextPage ? oldest : null} />
          <LoadMore
            shown={shown}
            total={totalCount}
            hasMore={pageInfo.hasNextPage}
            loading={fetching}
            noun="handoffs"
            onMore={onMore}
          />
        </WholeRow>
      )}
    </>
  );
}

/** Reads the tenures of the time that the table shows, since null means all: one page for each page of handoffs, and the others by a button. */
function EarlierMoves({
  tenures: { known, hasEarlier, readEarlier },
  until,
}: {
  tenures: Tenures;
  until: string | null;
}) {
  const since = known.at(-1)?.startedAt;
  const isMissing = hasEarlier && since !== undefined && (until === null || until < since);
  const isKnown = since !== undefined;
  const readOne = useEffectEvent(() => {
    if (isMissing) void readEarlier();
  });
  useEffect(() => {
    if (isKnown) readOne();
  }, [until, isKnown]);
  if (!isMissing) return null;
  return (
    <button type="button" className={`button small ${styles.earlier}`} onClick={() => void readEarlier()}>
      Show earlier moves
    </button>
  );
}

/** The moves from one time to another; null means no bound. ISO 8601 times in UTC compare as text. */
function Moves({ moves, from, until }: { moves: readonly Move[]; from: string | null; until: string | null }) {
  const between = moves.filter(
    ({ startedAt }) => (from === null || startedAt >= from) && (until === null || startedAt < until),
  );
  return between.map((move) => <MovedRow key={move.id} move={move} />);
}
