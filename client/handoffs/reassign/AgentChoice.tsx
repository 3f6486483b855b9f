import { AgentChip } from '../../agents/AgentChip.tsx';
import { AgentCombobox } from '../../agents/AgentCombobox.tsx';
import type { AgentToChoose } from '../../agents/agentPages.ts';
import { LoadBar } from '../../agents/LoadBar.tsx';
import styles from './AgentChoice.module.css';

export interface AgentChoiceProps {
  holderId: string | null;
  /** The source of the waiting handoff, which would get the session back. */
  giverId: string | null;
  value: string;
  onChange: (agentId: string) => void;
  describedBy: string | undefined;
}

/** All agents with their free places; unavailable ones show the reason. A chosen agent stays chosen when it fills up: the server decides. */
export function AgentChoice({ holderId, giverId, value, onChange, describedBy }: AgentChoiceProps) {
  return (
    <AgentCombobox
      label="Agent"
      inline
      value={value}
      onChange={onChange}
      describedBy={describedBy}
      obstacleOf={(agent) => obstacleOf(agent, holderId)}
    >
      {(agent) => {
        const obstacle = obstacleOf(agent, holderId);
        return (
          <span className={styles.agent} data-off={obstacle !== null}>
            <span className={styles.mark} data-chosen={agent.id === value} aria-hidden="true" />
            <AgentChip agent={agent} plain />
            <span className={styles.note}>
              {obstacle ??
                (agent.id === giverId
                  ? 'Source of the waiting handoff: the session returns without a new one'
                  : (agent.role ?? agent.type))}
            </span>
            <LoadBar load={agent.currentLoad} capacity={agent.maxCapacity} />
          </span>
        );
      }}
    </AgentCombobox>
  );
}

/** Why an agent cannot take the session; null when it can. */
function obstacleOf(
  { id, status, currentLoad, maxCapacity, freePlaces }: AgentToChoose,
  holderId: string | null,
): string | null {
  if (id === holderId) return 'Holds it now';
  if (status === 'OFFLINE') return 'Offline: takes no sessions';
  if (status === 'DRAINING') return 'Draining: takes no new sessions';
  if (freePlaces === 0) return `Full: ${currentLoad} of ${maxCapacity}`;
  return null;
}
