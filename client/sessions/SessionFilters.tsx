import { AgentSelect } from '../agents/AgentSelect.tsx';
import { Icon } from '../ui/Icon.tsx';
import { SearchField } from '../ui/SearchField.tsx';
import { Count, Tab, Tabs } from '../ui/Tabs.tsx';
import { writeView, type View } from './filters.ts';
import { situationLooks, situations } from './looks.ts';
import styles from './SessionFilters.module.css';
import type { SessionCounts } from './counts.ts';

const orders = ['Newest first', 'Last activity first'] as const;

export interface SessionFiltersProps {
  view: View;
  /** Undefined until counted. */
  counts: SessionCounts | undefined;
  onChange: (view: View) => void;
}

/** Filters by situation with counts, and by agent, handoff and text. */
export function SessionFilters({ view, counts, onChange }: SessionFiltersProps) {
  return (
    <div className={styles.filters}>
      <Tabs label="By status">
        <Tab
          href={writeView({ ...view, situation: null })}
          isCurrent={view.situation === null}
          word="All"
          count={counts?.all}
        />
        {situations.map((situation) => (
          <Tab
            key={situation}
            href={writeView({ ...view, situation })}
            isCurrent={view.situation === situation}
            word={situationLooks[situation].word}
            count={counts?.[situation]}
          />
        ))}
      </Tabs>
      <div className={styles.row}>
        <SearchField label="Search the titles" text={view.text} onText={(text) => onChange({ ...view, text })} />
        <AgentSelect
          label="Agent"
          none="Any agent"
          value={view.agent}
          onChange={(agent) => onChange({ ...view, agent })}
        />
        <Toggle
          on={view.unassigned}
          count={counts?.unassigned}
          onChange={(unassigned) => onChange({ ...view, unassigned })}
        >
          Unassigned
        </Toggle>
        <Toggle on={view.open} count={counts?.open} onChange={(open) => onChange({ ...view, open })}>
          Open handoff
        </Toggle>
        {view.folder !== '' && (
          <Toggle on count={undefined} onChange={() => onChange({ ...view, folder: '' })}>
            One folder
          </Toggle>
        )}
        <button
          type="button"
          className="button"
          aria-label={`Order: ${orders[+view.byActivity]}. Change to ${orders[+!view.byActivity]}`}
          onClick={() => onChange({ ...view, byActivity: !view.byActivity })}
        >
          <Icon name="clock" size={14} /> {orders[+view.byActivity]}
        </button>
      </div>
    </div>
  );
}

interface ToggleProps {
  on: boolean;
  count: number | undefined;
  onChange: (on: boolean) => void;
  children: string;
}

function Toggle({ on, count, onChange, children }: ToggleProps) {
  return (
    <button type="button" className={`button ${styles.toggle}`} aria-pressed={on} onClick={() => onChange(!on)}>
      {children}
      <Count of={count} />
    </button>
  );
}
