import { lazy, Suspense, useMemo, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { useAccess } from '../access/viewer.ts';
import { AgentSelect } from '../agents/AgentSelect.tsx';
import { Page } from '../app/Page.tsx';
import { graphql } from '../gql/gql.ts';
import type { AttentionFilter, AttentionQuery as Data } from '../gql/graphql.ts';
import { useRereadOn } from '../live/events.ts';
import { useSilence } from '../sessions/silence.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { ListTable, TableRows } from '../ui/ListTable.tsx';
import { Time } from '../ui/Time.tsx';
import { useFocusKept } from '../ui/useFocusKept.ts';
import { useLivePages } from '../ui/useLivePages.ts';
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

type Item = Data['attention']['nodes'][number];

interface ListProps {
  filter: AttentionFilter;
  onReassign: (sessionId: string) => void;
}

function AttentionList({ filter, onReassign }: ListProps) {
  const { again, more, ...read } = useLivePages(AttentionQuery, { where: filter }, ({ attention }) => attention);
  useRereadOn(() => true, again, rereadEveryMs);
  useSilence(again, minuteMs);
  const keyOf = ({ session, webhook }: Item): string => session?.id ?? webhook?.id ?? '';
  // What is done disappears with its focused button.
  useFocusKept(read.list?.nodes.map(keyOf).join());
  return (
    <ListTable label="What needs attention" columns={columns} className={styles.table}>
      <TableRows
        {...read}
        columns={columns.length}
        noun={['item', 'items']}
        skeletons={6}
        empty={<Empty isFiltered={Object.keys(filter).length > 0} />}
        row={(item) => <AttentionRow key={keyOf(item)} item={item} onReassign={onReassign} onDone={again} />}
        onRetry={again}
        onMore={more}
      />
    </ListTable>
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
