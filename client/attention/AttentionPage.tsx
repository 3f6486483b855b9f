import { lazy, Suspense, useMemo, useState } from 'react';
import { useQuery } from 'urql';
import { useLocation, useSearch } from 'wouter';
import { useAccess } from '../access/viewer.ts';
import { AgentSelect } from '../agents/AgentSelect.tsx';
import { Page } from '../app/Page.tsx';
import { graphql } from '../gql/gql.ts';
import type { AttentionFilter } from '../gql/graphql.ts';
import { useRereadOn } from '../live/events.ts';
import { useSilence } from '../sessions/silence.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { ListTable, TablePage } from '../ui/ListTable.tsx';
import { Time } from '../ui/Time.tsx';
import { useAgain } from '../ui/useAgain.ts';
import { useFocusKept } from '../ui/useFocusKept.ts';
import { minuteMs, rereadEveryMs } from './Attention.tsx';
import styles from './AttentionPage.module.css';
import { AttentionRow } from './AttentionRow.tsx';
import { readAttentionView, toAttentionFilter, writeAttentionView, type AttentionView } from './filters.ts';
import { HeardSettings } from './HeardSettings.tsx';
import { attentionKinds, attentionLooks } from './looks.ts';
import { ProjectField } from './ProjectField.tsx';
import { wellSince } from './well.ts';

const ReassignDialog = lazy(() => import('../handoffs/reassign/ReassignDialog.tsx'));

const AttentionQuery = graphql(`
  query Attention($where: AttentionFilter!, $after: String, $count: Boolean!) {
    attention(where: $where, first: 25, after: $after) {
      nodes {
        session {
          id
        }
        webhook {
          id
        }
        ...AttentionRow
      }
      pageInfo {
        hasNextPage
        endCursor
      }
      totalCount @include(if: $count)
    }
  }
`);

const columns = ['Since', 'Kind', 'What is wrong', 'Agent', { hidden: 'What to do' }];

/** What needs a person, oldest first. The URL holds the filters. */
export default function AttentionPage() {
  const search = useSearch();
  const [, navigate] = useLocation();
  const { viewer } = useAccess();
  const [reassigning, setReassigning] = useState<string | null>(null);
  const view = useMemo(() => readAttentionView(new URLSearchParams(search)), [search]);
  const change = (part: Partial<AttentionView>) =>
    navigate(writeAttentionView({ ...view, ...part }), { replace: true });
  return (
    <Page
      title="Needs attention"
      intro="What is stuck and needs a person, the oldest first, with what to do."
      actions={viewer.agentId === null && <HeardSettings />}
    >
      <div className={styles.filters}>
        <label className={styles.filter}>
          <span className="hidden">Kind</span>
          <select
            className="select"
            value={view.kind ?? ''}
            onChange={({ target }) => change({ kind: attentionKinds.find((kind) => kind === target.value) ?? null })}
          >
            <option value="">Every kind</option>
            {attentionKinds.map((kind) => (
              <option key={kind} value={kind}>
                {attentionLooks[kind].word}
              </option>
            ))}
          </select>
        </label>
        {viewer.role !== 'AGENT' && (
          <AgentSelect label="Agent" none="Every agent" value={view.agent} onChange={(agent) => change({ agent })} />
        )}
        <div className={styles.filter}>
          <ProjectField value={view.project} onChange={(project) => change({ project })} />
        </div>
      </div>
      <AttentionList key={writeAttentionView(view)} filter={toAttentionFilter(view)} onReassign={setReassigning} />
      <Suspense>
        {reassigning !== null && <ReassignDialog sessionId={reassigning} onClose={() => setReassigning(null)} />}
      </Suspense>
    </Page>
  );
}

interface ListProps {
  filter: AttentionFilter;
  onReassign: (sessionId: string) => void;
}

function AttentionList(list: ListProps) {
  const [pages, setPages] = useState(1);
  // Each page is read again when anything changes, so that page borders fit each other.
  const [edition, setEdition] = useState(0);
  const again = () => setEdition((now) => now + 1);
  useRereadOn(() => true, again, rereadEveryMs);
  useSilence(again, minuteMs);
  return (
    <ListTable label="What needs attention" columns={columns} className={styles.table}>
      <ListPage
        {...list}
        after={null}
        before={0}
        pages={pages}
        total={undefined}
        edition={edition}
        onMore={() => setPages((count) => count + 1)}
        onDone={again}
      />
    </ListTable>
  );
}

interface ListPageProps extends ListProps {
  after: string | null;
  /** The number of rows above this page. */
  before: number;
  /** The number of pages to show, including this one. */
  pages: number;
  total: number | undefined;
  edition: number;
  onMore: () => void;
  onDone: () => void;
}

function ListPage({ after, before, total, ...list }: ListPageProps) {
  const { filter, pages, edition, onReassign, onMore, onDone } = list;
  const [{ data, error, fetching }, ask] = useQuery({
    query: AttentionQuery,
    variables: { where: filter, after, count: after === null },
    requestPolicy: 'cache-and-network',
  });
  useAgain(ask, edition);
  const keys = data?.attention.nodes.map(({ session, webhook }) => session?.id ?? webhook?.id ?? '');
  // What is done disappears with its focused button.
  useFocusKept(keys?.join());
  const pageInfo = data?.attention.pageInfo;
  const next = pages > 1 && pageInfo?.hasNextPage === true ? (pageInfo.endCursor ?? null) : null;
  return (
    <TablePage
      columns={columns.length}
      noun={['item', 'items']}
      page={data?.attention}
      error={error}
      fetching={fetching}
      skeletons={6}
      before={before}
      total={total}
      empty={<Empty isFiltered={Object.keys(filter).length > 0} />}
      row={(item) => (
        <AttentionRow
          key={item.session?.id ?? item.webhook?.id ?? ''}
          item={item}
          onReassign={onReassign}
          onDone={onDone}
        />
      )}
      next={
        next === null
          ? null
          : (shown, all) => <ListPage {...list} after={next} before={shown} pages={pages - 1} total={all} />
      }
      onRetry={() => ask({ requestPolicy: 'network-only' })}
      onMore={onMore}
    />
  );
}

function Empty({ isFiltered }: { isFiltered: boolean }) {
  const since = wellSince.use();
  if (isFiltered) return <EmptyState icon="check" title="Nothing that matches needs attention." />;
  return (
    <EmptyState icon="check" title="All is well.">
      {since === null ? (
        'Nothing needs a person.'
      ) : (
        <>
          This browser has seen nothing that needs a person since <Time at={since} />.
        </>
      )}
    </EmptyState>
  );
}
