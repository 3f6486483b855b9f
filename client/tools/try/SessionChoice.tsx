import { useState } from 'react';
import { useQuery } from 'urql';
import { graphql } from '../../gql/gql.ts';
import { RequestError } from '../../ui/ErrorNote.tsx';
import { SelectField } from '../../ui/SelectField.tsx';
import { TextField } from '../../ui/TextField.tsx';
import styles from './TryIt.module.css';

const SessionsToTryQuery = graphql(`
  query SessionsToTry($agentId: ID!) {
    sessions(
      first: 50
      where: { agentId: $agentId, status: [RUNNING, PAUSED] }
      orderBy: { field: UPDATED_AT, direction: DESC }
    ) {
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
  const [agentId, setAgentId] = useState(agentIds[0] ?? '');
  const [{ data, error }, ask] = useQuery({
    query: SessionsToTryQuery,
    variables: { agentId },
    pause: agentId === '',
    requestPolicy: 'cache-and-network',
  });
  const sessions = data?.sessions.nodes ?? [];
  const isListed = sessions.some((session) => session.id === value);
  return (
    <div className={styles.session}>
      {agentIds.length > 1 && (
        <SelectField
          label="Called by"
          value={agentId}
          options={agentIds.map((id) => [id, id] as const)}
          onChange={(id) => {
            setAgentId(id);
            onChange('');
          }}
        />
      )}
      <SelectField
        label="Session"
        value={isListed ? value : ''}
        options={[
          ['', data && sessions.length === 0 ? `${agentId} holds none` : 'Choose one, or give its id'],
          ...sessions.map(({ id, title, status }) => [id, status === 'PAUSED' ? `${title} (paused)` : title] as const),
        ]}
        onChange={onChange}
      />
      {error && <RequestError error={error} onRetry={() => ask({ requestPolicy: 'network-only' })} />}
      {!isListed && (
        <TextField
          label="Id of the session"
          value={value}
          mono
          error={undefined}
          hint="Its holder is the agent that would call the tool."
          onChange={(text) => onChange(text.trim())}
        />
      )}
    </div>
  );
}
