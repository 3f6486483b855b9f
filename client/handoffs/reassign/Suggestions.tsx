import { useId } from 'react';
import { useQuery } from 'urql';
import { graphql } from '../../gql/gql.ts';
import { RequestError } from '../../ui/ErrorNote.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import styles from './Suggestions.module.css';

const SuggestionsQuery = graphql(`
  query Suggestions($id: ID!) {
    suggestTargets(sessionId: $id, first: 3) {
      agent {
        id
        name
        role
      }
      score
      factors {
        name
        explanation
      }
    }
  }
`);

export interface SuggestionsProps {
  sessionId: string;
  value: string;
  onChange: (agentId: string) => void;
}

/** The agents that could take the session best, with the reasons. Pressing one chooses it. */
export function Suggestions({ sessionId, value, onChange }: SuggestionsProps) {
  const title = useId();
  const [{ data, error }, ask] = useQuery({
    query: SuggestionsQuery,
    variables: { id: sessionId },
    requestPolicy: 'network-only',
  });
  const found = data?.suggestTargets;
  if (error) return <RequestError error={error} onRetry={() => ask({ requestPolicy: 'network-only' })} />;
  return (
    <div className={styles.suggestions}>
      <span id={title} className="hint">
        {found?.length === 0 ? 'No agent is free to take it now.' : 'Suggested, best first'}
      </span>
      {!found && <Skeleton height="11rem" />}
      {found && found.length > 0 && (
        <ol role="list" aria-labelledby={title}>
          {found.map(({ agent, score, factors }) => (
            <li key={agent.id}>
              <button
                type="button"
                className={styles.suggestion}
                aria-pressed={agent.id === value}
                onClick={() => onChange(agent.id)}
              >
                <span className={styles.name}>
                  {agent.id}
                  {agent.role != null && <span className="soft">{agent.role}</span>}
                  <span className={styles.score}>{Math.round(score * 100)} of 100</span>
                </span>
                <span className={styles.reasons}>{factors.map(({ explanation }) => explanation).join('. ')}.</span>
              </button>
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}
