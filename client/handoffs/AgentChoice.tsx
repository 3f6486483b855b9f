import { AgentChip } from '../agents/AgentChip.tsx';
import { LoadBar } from '../agents/LoadBar.tsx';
import { graphql } from '../gql/gql.ts';
import { readFragment, type FragmentType } from '../gql/index.ts';
import type { AgentChoiceFragment as AgentChoiceData } from '../gql/graphql.ts';
import styles from './AgentChoice.module.css';

export const AgentChoiceFragment = graphql(`
  fragment AgentChoice on Agent {
    id
    type
    role
    status
    currentLoad
    maxCapacity
    freePlaces
    ...AgentChip
  }
`);

export interface AgentChoiceProps {
  agents: readonly FragmentType<typeof AgentChoiceFragment>[];
  holderId: string | null;
  /** Who would get the session back, if it waits to be accepted. */
  giverId: string | null;
  value: string;
  onChange: (agentId: string) => void;
  describedBy: string | undefined;
}

/** Every agent, with its places; those that cannot take the session say why. */
export function AgentChoice({ agents, holderId, giverId, value, onChange, describedBy }: AgentChoiceProps) {
  return (
    <ul role="list" className={styles.agents} aria-describedby={describedBy}>
      {agents.map((masked) => {
        const agent = readFragment(AgentChoiceFragment, masked);
        const obstacle = obstacleOf(agent, holderId);
        const chosen = agent.id === value;
        return (
          <li key={agent.id}>
            <label className={styles.agent} data-chosen={chosen} data-off={obstacle !== null && !chosen}>
              {/* What was chosen stays so when it fills up meanwhile: the server has the last word. */}
              <input type="radio" name="agent" value={agent.id} checked={chosen} disabled={obstacle !== null && !chosen} onChange={() => onChange(agent.id)} />
              <AgentChip agent={agent} plain />
              <span className={styles.note}>{obstacle ?? (agent.id === giverId ? 'It came from here: goes back, with no new handoff' : (agent.role ?? ''))}</span>
              <LoadBar load={agent.currentLoad} capacity={agent.maxCapacity} />
            </label>
          </li>
        );
      })}
    </ul>
  );
}

/** Why an agent cannot take the session; null when it can. */
function obstacleOf({ id, status, currentLoad, maxCapacity, freePlaces }: AgentChoiceData, holderId: string | null): string | null {
  if (id === holderId) return 'Holds it now';
  if (status === 'OFFLINE') return 'Offline: takes no work';
  if (status === 'DRAINING') return 'Draining: finishes what it has';
  if (freePlaces === 0) return `Full: ${currentLoad} of ${maxCapacity}`;
  return null;
}
