import type { Columns } from '../density/density.ts';
import { graphql } from '../gql/gql.ts';
import type { QueueFilter } from '../gql/graphql.ts';
import { useRereadOn } from '../live/events.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { ListTable, TableRows } from '../ui/ListTable.tsx';
import { useLivePages } from '../ui/useLivePages.ts';
import styles from './QueuePage.module.css';
import { QueueRow } from './QueueRow.tsx';

const QueueQuery = graphql(`
  query Queue($where: QueueFilter!, $after: String, $count: Boolean!) {
    queue(where: $where, first: 25, after: $after) {
      nodes {
        session {
          id
        }
        ...QueueRow
      }
      pageInfo {
        hasNextPage
        endCursor
      }
      totalCount @include(if: $count)
    }
  }
`);

const columns = ['Place', 'Session', 'Waits for', 'Priority', 'Since'];
export const queueColumns: Columns = { list: 'queue', names: ['Place', 'Waits for', 'Priority', 'Since'] };

/** The matching entries, in the order of their turns. Needs a new key for a new filter. */
export function QueueList({ filter }: { filter: QueueFilter }) {
  const { again, more, ...read } = useLivePages(QueueQuery, { where: filter }, ({ queue }) => queue);
  useRereadOn(
    ({ type, session }) =>
      type === 'SESSION_QUEUED' ||
      (session !== null && read.list?.nodes.some((entry) => entry.session.id === session.id) === true),
    again,
  );
  return (
    <ListTable label="Waiting sessions" columns={columns} className={styles.table} choice={queueColumns}>
      <TableRows
        {...read}
        columns={columns.length}
        noun={['waiting session', 'waiting sessions']}
        skeletons={6}
        empty={
          Object.keys(filter).length > 0 ? (
            <EmptyState icon="hourglass" title="No waiting session matches.">
              Remove a filter to see more.
            </EmptyState>
          ) : (
            <EmptyState icon="hourglass" title="No session waits.">
              A session appears here when no agent of the role or type that it needs has a free place: after a stage of
              a pipeline, and when it was created or reassigned with <code>queue: true</code>.
            </EmptyState>
          )
        }
        row={(entry) => <QueueRow key={entry.session.id} entry={entry} />}
        onRetry={again}
        onMore={more}
      />
    </ListTable>
  );
}
