import { useState, type FormEvent } from 'react';
import { useQuery } from 'urql';
import { graphql } from '../../gql/gql.ts';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { RequestError } from '../../ui/ErrorNote.tsx';
import { SelectField } from '../../ui/SelectField.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { TextField } from '../../ui/TextField.tsx';
import styles from './AgentPage.module.css';
import { marked } from './marked.ts';

const AgentPromptQuery = graphql(`
  query AgentPrompt($id: ID!, $variables: JSON!, $sessionId: ID) {
    agent(id: $id) {
      id
      instructions
      prompt(variables: $variables, sessionId: $sessionId) {
        text
        missing
        unused
      }
    }
  }
`);

interface AgentPromptProps {
  id: string;
  /** Sessions whose id and branch may be filled in. */
  sessions: readonly { id: string; title: string }[];
}

/** The instructions with the values of their variables. */
export function AgentPrompt({ id, sessions }: AgentPromptProps) {
  const [rows, setRows] = useState<{ name: string; value: string }[]>([]);
  const [sessionId, setSessionId] = useState<string | null>(null);
  const [asked, setAsked] = useState<{ variables: Record<string, string>; sessionId: string | null }>({
    variables: {},
    sessionId: null,
  });
  const [{ data, error, stale }, ask] = useQuery({
    query: AgentPromptQuery,
    variables: { id, ...asked },
    requestPolicy: 'cache-and-network',
  });
  const agent = data?.agent;
  const prompt = agent?.prompt;
  const isEmpty = agent !== undefined && (agent?.instructions ?? '') === '';
  // A missing variable has its field without being asked for.
  const names = [
    ...rows.map(({ name }) => name),
    ...(prompt?.missing ?? []).filter((name) => rows.every((row) => row.name !== name)),
  ];
  const valueOf = (name: string) => rows.find((row) => row.name === name)?.value ?? '';
  const set = (name: string, value: string) =>
    setRows((now) =>
      now.some((row) => row.name === name)
        ? now.map((row) => (row.name === name ? { name, value } : row))
        : [...now, { name, value }],
    );
  const fill = (event: FormEvent) => {
    event.preventDefault();
    setAsked({
      variables: Object.fromEntries(rows.filter(({ value }) => value !== '').map(({ name, value }) => [name, value])),
      sessionId,
    });
  };
  return (
    <section className={`card ${styles.part}`} aria-labelledby="prompt">
      <h2 id="prompt">Prompt</h2>
      {error && <RequestError error={error} onRetry={() => ask({ requestPolicy: 'network-only' })} />}
      {!data && !error && <Skeleton height="10rem" />}
      {isEmpty && <p className="soft">It has no instructions.</p>}
      {prompt && !isEmpty && (
        <div className={styles.prompt}>
          <form className={styles.values} onSubmit={fill} aria-label="Values of the prompt">
            <SelectField
              label="Session"
              value={sessionId ?? ''}
              options={[['', 'None'], ...sessions.map((session) => [session.id, session.title] as const)]}
              hint="Gives SESSION_ID and BRANCH. AGENT_ID and BATON_URL are known."
              onChange={(chosen) => setSessionId(chosen || null)}
            />
            {names.map((name) => (
              <TextField
                key={name}
                label={name}
                mono
                value={valueOf(name)}
                error={undefined}
                onChange={(value) => set(name, value)}
              />
            ))}
            <AddVariable onAdd={(name) => !names.includes(name) && set(name, '')} />
            <div>
              <button type="submit" className="button">
                Fill in
              </button>
            </div>
          </form>
          <div className={styles.filled} data-stale={stale}>
            <p className="hint" role="status">
              {prompt.missing.length === 0 ? 'No variable is missing.' : `Missing: ${prompt.missing.join(', ')}.`}
              {prompt.unused.length > 0 && ` Not in the text: ${prompt.unused.join(', ')}.`}
            </p>
            <pre className={styles.text} tabIndex={0} role="region" aria-label="The prompt">
              {marked(prompt.text, prompt.missing).map((part, index) =>
                part.isMissing ? <mark key={index}>{part.text}</mark> : part.text,
              )}
            </pre>
            <div>
              <CopyButton text={prompt.text}>Copy the prompt</CopyButton>
            </div>
          </div>
        </div>
      )}
    </section>
  );
}

/** Another variable, also one that the text does not mention. */
function AddVariable({ onAdd }: { onAdd: (name: string) => void }) {
  const [name, setName] = useState('');
  const add = () => {
    if (name.trim() === '') return;
    onAdd(name.trim());
    setName('');
  };
  return (
    <div className={styles.add}>
      <TextField label="Another variable" mono value={name} error={undefined} onChange={setName} />
      <button type="button" className="button" onClick={add} aria-disabled={name.trim() === ''}>
        Add
      </button>
    </div>
  );
}
