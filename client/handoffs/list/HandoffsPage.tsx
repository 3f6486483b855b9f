import { useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';
import { AgentSelect } from '../../agents/AgentSelect.tsx';
import { Page } from '../../app/Page.tsx';
import { ProjectField } from '../../attention/ProjectField.tsx';
import { ListSettings } from '../../density/ListSettings.tsx';
import type { HandoffStatus } from '../../gql/graphql.ts';
import { formatExact } from '../../ui/time.ts';
import { SavedViews } from '../../views/SavedViews.tsx';
import { readView, toFilter, writeView, type View } from './filters.ts';
import { handoffColumns, HandoffList } from './HandoffList.tsx';
import styles from './HandoffsPage.module.css';
import { handoffLooks } from '../looks.ts';

/** The list of handoffs. The URL holds the filters. */
export default function HandoffsPage() {
  const search = useSearch();
  const [, navigate] = useLocation();
  const view = useMemo(() => readView(new URLSearchParams(search)), [search]);
  const change = (part: Partial<View>) => navigate(writeView({ ...view, ...part }), { replace: true });
  return (
    <Page title="Handoffs" intro="All handoffs, newest first." actions={<ListSettings columns={handoffColumns} />}>
      <div className={styles.filters}>
        <AgentSelect label="From" none="From any agent" value={view.source} onChange={(source) => change({ source })} />
        <AgentSelect label="To" none="To any agent" value={view.target} onChange={(target) => change({ target })} />
        <ProjectField value={view.project} onChange={(project) => change({ project })} />
        <StatusSelect value={view.status} onChange={(status) => change({ status })} />
        {(view.after ?? view.before) && (
          <button type="button" className="button" onClick={() => change({ after: null, before: null })}>
            {view.after && `since ${formatExact(view.after)} `}
            {view.before && `until ${formatExact(view.before)} `}×
            <span className="hidden">: remove the filter by time</span>
          </button>
        )}
      </div>
      <SavedViews list="handoffs" href={writeView(view)} />
      <HandoffList key={writeView(view)} filter={toFilter(view)} />
    </Page>
  );
}

const names = Object.keys(handoffLooks) as HandoffStatus[];

function StatusSelect({
  value,
  onChange,
}: {
  value: HandoffStatus | null;
  onChange: (status: HandoffStatus | null) => void;
}) {
  return (
    <label className={styles.status}>
      <span className="hidden">Status</span>
      <select
        className="select"
        value={value ?? ''}
        onChange={(event) => onChange(names.find((name) => name === event.target.value) ?? null)}
      >
        <option value="">Any status</option>
        {names.map((name) => (
          <option key={name} value={name}>
            {handoffLooks[name].word}
          </option>
        ))}
      </select>
    </label>
  );
}
