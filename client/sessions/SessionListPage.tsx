import { useEffect, useEffectEvent, type CSSProperties } from 'react';
import { useClient, useQuery } from 'urql';
import type { Selection } from '../acts/useSelection.ts';
import { graphql } from '../gql/gql.ts';
import type { SessionFilter, SessionsQuery as Data } from '../gql/graphql.ts';
import { useHasChanged } from '../noticing/Changed.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { RequestError } from '../ui/ErrorNote.tsx';
import { LoadMore } from '../ui/LoadMore.tsx';
import { SkeletonRows } from '../ui/Skeleton.tsx';
import { hasLeft, type View } from './filters.ts';
import styles from './SessionList.module.css';
import { SessionRow } from './SessionRow.tsx';
import { useSilence } from './silence.ts';

const pageSize = 50;

const SessionsQuery = graphql(`
  query Sessions($where: SessionFilter!, $orderBy: SessionOrder!, $first: Int!, $after: String, $count: Boolean!) {
    sessions(where: $where, orderBy: $orderBy, first: $first, after: $after) {
      nodes {
        id
        title
        situation
        createdAt
        lastActivityAt
        agent {
          id
        }
        openHandoff {
          id
        }
        workspace {
          id
        }
        ...SessionRow
      }
      pageInfo {
        hasNextPage
        endCursor
      }
      totalCount @include(if: $count)
    }
  }
`);

// Of the rows alone: the list itself keeps its order and its rows.
const SituationsQuery = graphql(`
  query Situations($ids: [ID!]!) {
    nodes(ids: $ids) {
      id
      ... on Session {
        situation
        lastActivityAt
      }
    }
  }
`);

export type SessionPage = Data['sessions'];

interface SessionListPageProps {
  view: View;
  /** The columns that are shown besides the title. */
  columns: readonly string[];
  /** The view as the server's filter. */
  filter: SessionFilter;
  after: string | null;
  /** The number of rows above this page. */
  before: number;
  /** The number of pages to show, including this one. */
  pages: number;
  total: number | undefined;
  adding: boolean;
  onMore: () => void;
  onRead: (after: string | null, page: SessionPage) => void;
  onReassign: ((sessionId: string) => void) | undefined;
  /** Undefined when the viewer may not act on many. */
  selection: Selection | undefined;
}

/** Each page has its own query, so that a changed session is looked up in one page only. */
export function SessionListPage({
  view,
  columns,
  filter,
  after,
  before,
  pages,
  total,
  adding,
  onMore,
  onRead,
  onReassign,
  selection,
}: SessionListPageProps) {
  const isFirst = after === null;
  const hasChanged = useHasChanged();
  const [{ data, error, fetching }, ask] = useQuery({
    query: SessionsQuery,
    variables: {
      where: filter,
      orderBy: view.byActivity ? { field: 'LAST_ACTIVITY' } : { field: 'CREATED_AT' },
      first: pageSize,
      after,
      count: isFirst,
    },
    requestPolicy: isFirst ? 'cache-and-network' : 'cache-first',
  });
  const tell = useEffectEvent(onRead);
  useEffect(() => {
    if (data) tell(after, data.sessions);
  }, [after, data]);
  const client = useClient();
  useSilence(() => {
    const held =
      data?.sessions.nodes.filter(({ situation }) => situation === 'WORKING' || situation === 'SILENT') ?? [];
    const ids = held.map(({ id }) => id);
    if (ids.length > 0) void client.query(SituationsQuery, { ids }, { requestPolicy: 'network-only' }).toPromise();
  });
  const failure = error && (
    <div role="listitem" className={styles.note}>
      <RequestError error={error} onRetry={() => ask({ requestPolicy: 'network-only' })} />
    </div>
  );
  if (!data) {
    return (
      failure ?? (
        <div role="listitem" className={styles.note}>
          <SkeletonRows rows={isFirst ? 8 : 2} height="3.25rem" label="Loading the sessions" />
        </div>
      )
    );
  }
  const { nodes, pageInfo } = data.sessions;
  const all = data.sessions.totalCount ?? total;
  const shown = before + nodes.length;
  if (shown === 0) {
    return (
      <div role="listitem">
        <EmptyState title="No session matches.">
          {Object.keys(filter).length > 0
            ? 'Remove a filter to see more.'
            : 'Sessions appear here as soon as they are created: with the button above, through the API, or by dropping a transcript on this page.'}
        </EmptyState>
      </div>
    );
  }
  const next = pages > 1 && pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null;
  return (
    <>
      {failure}
      <div role="none">
        {inGroups(nodes).map((group) => (
          <div
            key={group[0]?.id}
            role="none"
            className={styles.group}
            style={{ '--rows': group.length } as CSSProperties}
          >
            {group.map((session) => (
              <SessionRow
                key={session.id}
                session={session}
                columns={columns}
                hasLeft={hasLeft(view, session)}
                hasChanged={hasChanged(session)}
                byActivity={view.byActivity}
                onReassign={onReassign}
                selected={selection?.ids.has(session.id) ?? false}
                onSelect={selection?.toggle}
              />
            ))}
          </div>
        ))}
      </div>
      {next === null ? (
        <div role="listitem" className={styles.end}>
          <LoadMore
            shown={shown}
            total={all}
            hasMore={pageInfo.hasNextPage}
            loading={fetching || adding}
            noun="sessions"
            onMore={onMore}
          />
        </div>
      ) : (
        <SessionListPage
          view={view}
          columns={columns}
          filter={filter}
          after={next}
          before={shown}
          pages={pages - 1}
          total={all}
          adding={adding}
          onMore={onMore}
          onRead={onRead}
          onReassign={onReassign}
          selection={selection}
        />
      )}
    </>
  );
}

// Measured on 1,000 sessions with the processor slowed four-fold: skipped content costs per element while scrolling, and
// visible content per row. With each row skipped by itself, frames took 90 ms; with all groups as siblings instead of page
// by page, the browser visits all of them when one becomes visible.
const rowsInGroup = 10;

function inGroups<Row>(rows: readonly Row[]): Row[][] {
  return Array.from({ length: Math.ceil(rows.length / rowsInGroup) }, (_, group) =>
    rows.slice(group * rowsInGroup, (group + 1) * rowsInGroup),
  );
}
