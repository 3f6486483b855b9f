import { AgentChip } from './AgentChip.tsx';
import { AgentCombobox, type AgentComboboxProps } from './AgentCombobox.tsx';
import styles from './AgentSelect.module.css';

export interface AgentSelectProps extends Pick<AgentComboboxProps, 'label' | 'value' | 'onChange'> {
  /** Label of the first choice, the empty value. */
  none: string;
}

/** Selects an agent or none, for filters. */
export function AgentSelect(props: AgentSelectProps) {
  return (
    <div className={styles.agent}>
      <AgentCombobox {...props}>
        {(agent) => (
          <span className={styles.option}>
            <AgentChip agent={agent} plain />
            <span className="soft small">{agent.type}</span>
          </span>
        )}
      </AgentCombobox>
    </div>
  );
}
