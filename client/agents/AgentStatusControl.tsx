import { useMutation } from 'urql';
import { graphql } from '../gql/gql.ts';
import type { AdministrativeStatus } from '../gql/graphql.ts';
import { ErrorNote, RequestError } from '../ui/ErrorNote.tsx';
import segments from '../ui/Segments.module.css';
import styles from './AgentStatusControl.module.css';

const SetAgentStatusDocument = graphql(`
  mutation SetAgentStatus($input: SetAgentStatusInput!) {
    setAgentStatus(input: $input) {
      __typename
      ... on SetAgentStatusPayload {
        agent {
          id
          status
          administrativeStatus
        }
      }
      ... on Error {
        code
        message
      }
    }
  }
`);

const choices: { status: AdministrativeStatus; word: string; means: string }[] = [
  { status: 'AVAILABLE', word: 'Available', means: 'Takes sessions while it has free places' },
  { status: 'DRAINING', word: 'Draining', means: 'Keeps its sessions, takes no new ones' },
  { status: 'OFFLINE', word: 'Offline', means: 'Takes no sessions; keeps those it holds' },
];

/** Opens or closes an agent for new work. The change shows at once and is undone if the server rejects it. */
export function AgentStatusControl({ id, status }: { id: string; status: AdministrativeStatus }) {
  const [{ data, error }, set] = useMutation(SetAgentStatusDocument);
  const answer = data?.setAgentStatus;
  return (
    <>
      <div className={`${segments.segments} ${styles.control}`} role="group" aria-label={`Status of ${id}`}>
        {choices.map((choice) => (
          <button
            key={choice.status}
            type="button"
            title={choice.means}
            aria-pressed={status === choice.status}
            onClick={() => void set({ input: { id, status: choice.status } })}
          >
            {choice.word}
          </button>
        ))}
      </div>
      {error && <RequestError error={error} />}
      {answer && answer.__typename !== 'SetAgentStatusPayload' && <ErrorNote>{answer.message}</ErrorNote>}
    </>
  );
}
