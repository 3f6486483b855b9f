import { useMemo } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { useMay } from '../access/viewer.ts';
import { AgentSelect } from '../agents/AgentSelect.tsx';
import { Page } from '../app/Page.tsx';
import { ListSettings } from '../density/ListSettings.tsx';
import { Icon } from '../ui/Icon.tsx';
import { readToolsView, toToolFilter, writeToolsView, type ToolsView } from './filters.ts';
import { toolColumns, ToolList } from './ToolList.tsx';
import styles from './ToolsPage.module.css';

/** The list of handoff tools. The URL holds the filters. */
export default function ToolsPage() {
  const search = useSearch();
  const [, navigate] = useLocation();
  const view = useMemo(() => readToolsView(new URLSearchParams(search)), [search]);
  const change = (part: Partial<ToolsView>) => navigate(writeToolsView({ ...view, ...part }), { replace: true });
  const mayDefine = useMay('manageAgents');
  return (
    <Page
      title="Tools"
      intro="Functions that a model calls to hand off. One is generated for each collaboration of an agent; people define others."
      actions={
        <>
          <ListSettings columns={toolColumns} />
          {mayDefine && (
            <Link href="/tools/new" className="button primary">
              <Icon name="tool" /> New tool
            </Link>
          )}
        </>
      }
    >
      <div className={styles.filters}>
        <AgentSelect
          label="Offered to"
          none="Offered to anybody"
          value={view.agent}
          onChange={(agent) => change({ agent })}
        />
        <AgentSelect label="Target" none="To anybody" value={view.target} onChange={(target) => change({ target })} />
        <label className={styles.kind}>
          <span className="hidden">Kind</span>
          <select
            className="select"
            value={view.kind ?? ''}
            onChange={({ target }) => change({ kind: readToolsView(new URLSearchParams({ kind: target.value })).kind })}
          >
            <option value="">Any kind</option>
            <option value="generated">Generated</option>
            <option value="defined">Defined</option>
          </select>
        </label>
        <label className={styles.archived}>
          <input
            type="checkbox"
            checked={view.archived}
            onChange={({ target }) => change({ archived: target.checked })}
          />{' '}
          With archived ones
        </label>
      </div>
      <ToolList
        key={writeToolsView(view)}
        filter={toToolFilter(view)}
        isFiltered={writeToolsView({ ...view, archived: false }) !== '/tools'}
      />
    </Page>
  );
}
