import { useMemo, useRef, useState, type FormEvent } from 'react';
import { useClient, type CombinedError } from 'urql';
import { useLocation, useSearch } from 'wouter';
import { schemaOf } from '../../../server/work/tools/define.ts';
import { graphql } from '../../gql/gql.ts';
import type { SavedToolFragment as SavedTool, TryToolQuery as Answer } from '../../gql/graphql.ts';
import { ErrorNote, RequestError } from '../../ui/ErrorNote.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { ArgumentFields } from './ArgumentFields.tsx';
import { SessionChoice } from './SessionChoice.tsx';
import { Simulation } from './Simulation.tsx';
import styles from './TryIt.module.css';
import { fieldsOf, toArguments } from './arguments.ts';

const TryToolQuery = graphql(`
  query TryTool($sessionId: ID!, $toolName: String!, $arguments: JSON) {
    simulateHandoff(sessionId: $sessionId, toolName: $toolName, arguments: $arguments) {
      ...Simulation
    }
  }
`);

type State = 'idle' | 'running' | { simulation: Answer['simulateHandoff'] } | { error: CombinedError };

/** Calls the tool without doing anything: what each rule says, and what the target would read. The URL holds the session. */
export function TryIt({ tool }: { tool: SavedTool }) {
  const client = useClient();
  const [path, navigate] = useLocation();
  const sessionId = new URLSearchParams(useSearch()).get('session') ?? '';
  const [typed, setTyped] = useState<ReadonlyMap<string, string>>(new Map());
  const [faults, setFaults] = useState<ReadonlyMap<string, string>>(new Map());
  const [state, setState] = useState<State>('idle');
  const fields = useMemo(() => fieldsOf(schemaOf({ generated: tool.generated, variables: tool.variables })), [tool]);
  const latest = useRef(0);

  // Another input makes the last result old, also one that is on its way.
  const reset = () => {
    latest.current += 1;
    setState('idle');
  };
  const submit = async (event?: FormEvent) => {
    event?.preventDefault();
    const read = toArguments(fields, typed);
    setFaults(read.faults);
    if (read.faults.size > 0 || sessionId === '') return;
    const run = (latest.current += 1);
    setState('running');
    const { data, error } = await client.query(
      TryToolQuery,
      { sessionId, toolName: tool.name, arguments: read.values },
      { requestPolicy: 'network-only' },
    );
    if (run === latest.current) setState(error ? { error } : { simulation: data?.simulateHandoff ?? null });
  };

  return (
    <div className={styles.try}>
      <form className={styles.form} onSubmit={(event) => void submit(event)} noValidate>
        <SessionChoice
          agentIds={tool.agents.map(({ id }) => id)}
          value={sessionId}
          onChange={(id) => {
            navigate(id === '' ? path : `${path}?session=${encodeURIComponent(id)}`, { replace: true });
            reset();
          }}
        />
        <ArgumentFields
          fields={fields}
          typed={typed}
          faults={faults}
          onChange={(name, text) => {
            setTyped((now) => new Map(now).set(name, text));
            setFaults(new Map());
            reset();
          }}
        />
        <div>
          <button type="submit" className="button primary" aria-disabled={state === 'running' || sessionId === ''}>
            <Icon name="play" /> {state === 'running' ? 'Trying …' : 'Try it'}
          </button>
          <span className="hint"> Nothing is written.</span>
        </div>
      </form>
      <div className={styles.result} aria-live="polite">
        {typeof state === 'object' && 'error' in state && (
          <RequestError error={state.error} onRetry={() => void submit()} />
        )}
        {typeof state === 'object' &&
          'simulation' in state &&
          (state.simulation ? (
            <Simulation of={state.simulation} />
          ) : (
            <ErrorNote title="There is no such session, or you may not read it." />
          ))}
      </div>
    </div>
  );
}
