import { AgentChip } from './AgentChip.tsx';
import { AgentCombobox, type AgentComboboxProps } from './AgentCombobox.tsx';
import type { AgentToChoose } from './agentPages.ts';
import styles from './AgentSelect.module.css';

export interface AgentSelectProps extends Pick<AgentComboboxProps, 'label' | 'value' | 'onChange'> {
  /** Label of the first choice, the empty value. */
  none: string;
}

/** Selects an agent or none, for filters. */
export function AgentSelect(props: AgentSelectProps) {
  return (
    <div className={styles.agent}>
      <AgentCombobox {...props}>{(agent) => <AgentOption agent={agent} />}</AgentCombobox>
    </div>
  );
}

/** An agent in a list of choices, with its type or a note. */
export function AgentOption({ agent, note = agent.type }: { agent: AgentToChoose; note?: string | undefined }) {
  return (
    <span className={styles.option}>
      <AgentChip agent={agent} plain />
      <span className="soft small">{note}</span>
    </span>
  );
}
