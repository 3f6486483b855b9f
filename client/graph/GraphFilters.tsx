import { useId } from 'react';
import { AgentSelect } from '../agents/AgentSelect.tsx';
import { ProjectField } from '../attention/ProjectField.tsx';
import { useNow } from '../ui/clock.ts';
import { localZone } from '../ui/time.ts';
import { fromLocal, toLocal, type GraphView } from './filters.ts';
import styles from './GraphPage.module.css';

const spans: [word: string, ms: number][] = [
  ['Last hour', 3_600_000],
  ['24 hours', 86_400_000],
  ['7 days', 7 * 86_400_000],
  ['30 days', 30 * 86_400_000],
];

/** Filters by agent, by project and by start time. */
export function GraphFilters({ view, onChange }: { view: GraphView; onChange: (view: GraphView) => void }) {
  const id = useId();
  const now = useNow();
  return (
    <div className={styles.filters}>
      <AgentSelect
        label="Agent"
        none="Every agent"
        value={view.agent}
        onChange={(agent) => onChange({ ...view, agent })}
      />
      <ProjectField value={view.project} onChange={(project) => onChange({ ...view, project })} />
      <div className={styles.spans} role="group" aria-label="Started in">
        <button
          type="button"
          className="button"
          aria-pressed={view.after === '' && view.before === ''}
          onClick={() => onChange({ ...view, after: '', before: '' })}
        >
          All
        </button>
        {spans.map(([word, ms]) => (
          <button
            key={word}
            type="button"
            className="button"
            onClick={() => onChange({ ...view, after: new Date(Date.now() - ms).toISOString(), before: '' })}
          >
            {word}
          </button>
        ))}
      </div>
      <div className={styles.range}>
        <span className={styles.bound}>
          <label htmlFor={`${id}-after`}>After</label>
          <input
            id={`${id}-after`}
            className="input"
            type="datetime-local"
            value={toLocal(view.after)}
            onChange={(event) => onChange({ ...view, after: fromLocal(event.target.value) })}
          />
        </span>
        <span className={styles.bound}>
          <label htmlFor={`${id}-before`}>Before</label>
          <input
            id={`${id}-before`}
            className="input"
            type="datetime-local"
            value={toLocal(view.before)}
            onChange={(event) => onChange({ ...view, before: fromLocal(event.target.value) })}
          />
        </span>
        <span className="soft">local time, {localZone(new Date(view.before || view.after || now))}</span>
      </div>
    </div>
  );
}
