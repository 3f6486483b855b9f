import { useId } from 'react';
import { useQuery } from 'urql';
import { graphql } from '../gql/gql.ts';
import styles from './AgentSelect.module.css';

const AgentNamesQuery = graphql(`
  query AgentNames {
    agents(first: 100, orderBy: { field: ID, direction: ASC }) {
      nodes {
        id
        type
      }
    }
  }
`);

export interface AgentSelectProps {
  label: string;
  /** The first choice, which is the empty value. */
  none: string;
  value: string;
  onChange: (agentId: string) => void;
}

/** One of the first 100 agents, or none. */
export function AgentSelect({ label, none, value, onChange }: AgentSelectProps) {
  const [{ data }] = useQuery({ query: AgentNamesQuery });
  const id = useId();
  const agents = data?.agents.nodes ?? [];
  // One that the address names, and that is not among them.
  const unlisted = value !== '' && !agents.some((agent) => agent.id === value);
  return (
    <div className={styles.agent}>
      <label htmlFor={id} className="hidden">
        {label}
      </label>
      <select id={id} className="select" value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">{none}</option>
        {unlisted && <option value={value}>{value}</option>}
        {agents.map((agent) => (
          <option key={agent.id} value={agent.id}>
            {agent.id} ({agent.type})
          </option>
        ))}
      </select>
    </div>
  );
}
