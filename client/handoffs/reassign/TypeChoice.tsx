import { useId } from 'react';
import { useAgentPages } from '../../agents/agentPages.ts';
import { RequestError } from '../../ui/ErrorNote.tsx';

export interface TypeChoiceProps {
  /** Not counted as free: it already holds the session. */
  holderId: string | null;
  value: string;
  onChange: (agentType: string) => void;
  describedBy: string | undefined;
}

const everyOne = () => true;

/** The agent types with the free places of their available agents. Reads all agents for that. */
export function TypeChoice({ holderId, value, onChange, describedBy }: TypeChoiceProps) {
  const id = useId();
  const { agents, hasMore, error, retry } = useAgentPages(everyOne);
  const free = new Map<string, number>();
  for (const agent of agents) {
    if (agent.id !== holderId)
      free.set(agent.type, (free.get(agent.type) ?? 0) + (agent.status === 'AVAILABLE' ? agent.freePlaces : 0));
  }
  return (
    <div className="field">
      <label htmlFor={id}>Type</label>
      <select
        id={id}
        className="select"
        value={value}
        aria-describedby={describedBy}
        onChange={(event) => onChange(event.target.value)}
      >
        <option value="">{hasMore && !error ? 'Loading the types …' : 'Choose a type'}</option>
        {[...free].sort().map(([type, places]) => (
          <option key={type} value={type}>
            {type} ({places === 0 ? 'no free place' : places === 1 ? '1 free place' : `${places} free places`})
          </option>
        ))}
      </select>
      {error && <RequestError error={error} onRetry={retry} />}
      <span className="hint">Baton takes the available agent of this type with the lowest load.</span>
    </div>
  );
}
