import { useId } from 'react';
import type { AgentStatus } from '../gql/graphql.ts';

export interface TypeChoiceProps {
  /** Who may be chosen: not the holder. */
  agents: readonly { type: string; freePlaces: number; status: AgentStatus }[];
  value: string;
  onChange: (agentType: string) => void;
}

/** The types that there are, with the free places of those who take work. */
export function TypeChoice({ agents, value, onChange }: TypeChoiceProps) {
  const id = useId();
  const free = new Map<string, number>();
  for (const { type, freePlaces, status } of agents) {
    free.set(type, (free.get(type) ?? 0) + (status === 'AVAILABLE' ? freePlaces : 0));
  }
  return (
    <div className="field">
      <label htmlFor={id}>Type</label>
      <select id={id} className="select" value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">Choose a type</option>
        {[...free].sort().map(([type, places]) => (
          <option key={type} value={type}>
            {type} ({places === 0 ? 'no free place' : places === 1 ? '1 free place' : `${places} free places`})
          </option>
        ))}
      </select>
      <span className="hint">Baton takes the available agent of this type with the lowest load.</span>
    </div>
  );
}
