import { useState } from 'react';
import { useQuery } from 'urql';
import { graphql } from '../gql/gql.ts';
import { RequestError } from '../ui/ErrorNote.tsx';
import { Fold } from '../ui/Fold.tsx';
import { Icon } from '../ui/Icon.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import styles from './ToolCalls.module.css';

export interface Call {
  id: string;
  sequence: number;
  name: string;
  filesModified: readonly string[];
  error?: string | null;
}

/** A message's tool calls: a summary line, then each with its arguments and result. */
export function ToolCalls({ calls }: { calls: readonly Call[] }) {
  const [open, setOpen] = useState(false);
  const failed = calls.filter(({ error }) => error != null).length;
  return (
    <details className={styles.calls} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Icon name="tool" size={14} />
        <span className={styles.count}>{calls.length === 1 ? '1 tool call' : `${calls.length} tool calls`}</span>
        <span className={styles.names}>{namesOf(calls)}</span>
        {failed > 0 && (
          <span className={styles.failed}>
            <Icon name="cross" size={12} /> {failed} failed
          </span>
        )}
      </summary>
      {open && (
        <ol role="list">
          {calls.map((call) => (
            <li key={call.id}>
              <OneCall call={call} />
            </li>
          ))}
        </ol>
      )}
    </details>
  );
}

/** "Bash 3, Read". */
function namesOf(calls: readonly Call[]): string {
  const counts = new Map<string, number>();
  for (const { name } of calls) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => (count === 1 ? name : `${name} ×${count}`)).join(', ');
}

function OneCall({ call }: { call: Call }) {
  const [open, setOpen] = useState(false);
  return (
    <details className={styles.call} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span className="mono">{call.name}</span>
        <span className={styles.files}>{call.filesModified.map((file) => file.slice(file.lastIndexOf('/') + 1)).join(', ')}</span>
        {call.error != null && (
          <span className={styles.failed}>
            <Icon name="cross" size={12} /> failed
          </span>
        )}
      </summary>
      {open && <Whole id={call.id} />}
    </details>
  );
}

const ToolCallQuery = graphql(`
  query ToolCall($id: ID!) {
    node(id: $id) {
      __typename
      id
      ... on ToolCall {
        callId
        arguments
        result
        error
        filesModified
      }
    }
  }
`);

function Whole({ id }: { id: string }) {
  const [{ data, error }, ask] = useQuery({ query: ToolCallQuery, variables: { id } });
  if (error) return <RequestError error={error} onRetry={() => ask({ requestPolicy: 'network-only' })} />;
  const call = data?.node?.__typename === 'ToolCall' ? data.node : undefined;
  if (!call) return <Skeleton height="6rem" />;
  const outcome = call.error ?? call.result;
  return (
    <dl className={styles.whole}>
      <dt>Arguments</dt>
      <dd>{call.arguments == null ? <span className="soft">none</span> : <Fold text={JSON.stringify(call.arguments, null, 2)} mono />}</dd>
      {call.filesModified.length > 0 && (
        <>
          <dt>Files modified</dt>
          <dd className="mono small">{call.filesModified.join('\n')}</dd>
        </>
      )}
      <dt>{call.error == null ? 'Result' : 'Error'}</dt>
      <dd data-failed={call.error != null}>{outcome == null ? <span className="soft">none yet</span> : <Fold text={outcome} mono />}</dd>
    </dl>
  );
}
