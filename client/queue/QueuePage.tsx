import { useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';
import { Page } from '../app/Page.tsx';
import { ListSettings } from '../density/ListSettings.tsx';
import { readQueueView, toQueueFilter, writeQueueView, type QueueView } from './filters.ts';
import { QueueList, queueColumns } from './QueueList.tsx';
import styles from './QueuePage.module.css';
import { orderText } from './words.ts';

/** The sessions that wait for an agent. The URL holds the filters. */
export default function QueuePage() {
  const search = useSearch();
  const [, navigate] = useLocation();
  const view = useMemo(() => readQueueView(new URLSearchParams(search)), [search]);
  const change = (part: Partial<QueueView>) => navigate(writeQueueView({ ...view, ...part }), { replace: true });
  return (
    <Page
      title="Queue"
      intro={`Sessions that wait for an agent. ${orderText}`}
      actions={<ListSettings columns={queueColumns} />}
    >
      <div className={styles.filters}>
        <Filter key={`role ${view.role}`} label="Role" value={view.role} onChange={(role) => change({ role })} />
        <Filter
          key={`type ${view.type}`}
          label="Type"
          value={view.type}
          onChange={(type) => change({ type: type.toUpperCase() })}
        />
        <label className={styles.check}>
          <input
            type="checkbox"
            checked={view.escalated}
            onChange={({ target }) => change({ escalated: target.checked })}
          />{' '}
          Waiting for an operator only
        </label>
      </div>
      <QueueList key={writeQueueView(view)} filter={toQueueFilter(view)} />
    </Page>
  );
}

/** Applies on Enter, and when the field loses the focus. */
function Filter({ label, value, onChange }: { label: string; value: string; onChange: (value: string) => void }) {
  const apply = (typed: string) => typed.trim() !== value && onChange(typed.trim());
  return (
    <label className={styles.filter}>
      <span className="hidden">{label}</span>
      <input
        type="search"
        className="input"
        placeholder={`Any ${label.toLowerCase()}`}
        defaultValue={value}
        onBlur={({ target }) => apply(target.value)}
        onKeyDown={({ key, currentTarget }) => key === 'Enter' && apply(currentTarget.value)}
      />
    </label>
  );
}
