import { useId, useState } from 'react';
import { useQuery } from 'urql';
import { graphql } from '../../gql/gql.ts';
import { RequestError } from '../../ui/ErrorNote.tsx';
import { TextField } from '../../ui/TextField.tsx';
import styles from './TryIt.module.css';

const SessionsToTryQuery = graphql(`
  query SessionsToTry($agentId: ID!) {
    sessions(first: 50, where: { agentId: $agentId, status: [RUNNING, PAUSED] }, orderBy: { field: UPDATED_AT, direction: DESC }) {
      nodes {
        id
        title
        status
      }
    }
  }
`);

interface SessionChoiceProps {
  /** The agents to which the tool is offered. */
  agentIds: readonly string[];
  value: string;
  onChange: (sessionId: string) => void;
}

/** Chooses a session whose holder may call the tool, or any by its id. */
export function SessionChoice({ agentIds, value, onChange }: SessionChoiceProps) {
  const id = useId();
  const [agentId, setAgentId] = useState(agentIds[0] ?? '');
  const [{ data, error }, ask] = useQuery({ query: SessionsToTryQuery, variables: { agentId }, pause: agentId === '', requestPolicy: 'cache-and-network' });
  const sessions = data?.sessions.nodes ?? [];
  const isListed = sessions.some((session) => session.id === value);
  return (
    <div className={styles.session}>
      {agentIds.length > 1 && (
        <div className="field">
          <label htmlFor={`${id}-agent`}>Called by</label>
          <select
            id={`${id}-agent`}
            className="select"
            value={agentId}
            onChange={({ target }) => {
              setAgentId(target.value);
              onChange('');
            }}
          >
            {agentIds.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </div>
      )}
      <div className="field">
        <label htmlFor={`${id}-session`}>Session</label>
        <select id={`${id}-session`} className="select" value={isListed ? value : ''} onChange={({ target }) => onChange(target.value)}>
          <option value="">{data && sessions.length === 0 ? `${agentId} holds none` : 'Choose one, or give its id'}</option>
          {sessions.map((session) => (
            <option key={session.id} value={session.id}>
              {session.title}
              {session.status === 'PAUSED' && ' (paused)'}
            </option>
          ))}
        </select>
        {error && <RequestError error={error} onRetry={() => ask({ requestPolicy: 'network-only' })} />}
      </div>
      {!isListed && <TextField label="Id of the session" value={value} mono error={undefined} hint="Its holder is the agent that would call the tool." onChange={(text) => onChange(text.trim())} />}
    </div>
  );
}
