import { useContext, useMemo } from 'react';
import { useQuery } from 'urql';
import { graphql } from '../gql/gql.ts';
import { RequestError } from '../ui/ErrorNote.tsx';
import { Fold } from '../ui/Fold.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { changesOf, linesOfDiff } from './changes.ts';
import { FileChange } from './FileChange.tsx';
import { FoundContext } from './marks.ts';
import styles from './ToolCalls.module.css';

const ToolCallQuery = graphql(`
  query ToolCall($id: ID!) {
    node(id: $id) {
      __typename
      id
      ... on ToolCall {
        arguments
        result
        error
        filesModified
      }
    }
  }
`);

/** A call's arguments and outcome, with changes of files as differences. */
export default function WholeCall({ id, name }: { id: string; name: string }) {
  const [{ data, error }, ask] = useQuery({ query: ToolCallQuery, variables: { id } });
  const call = data?.node?.__typename === 'ToolCall' ? data.node : undefined;
  const find = useContext(FoundContext);
  const given: unknown = call?.arguments;
  const text = useMemo(() => (typeof given === 'string' ? given : JSON.stringify(given, null, 2)), [given]);
  const changes = useMemo(() => changesOf(given), [given]);
  if (error) return <RequestError error={error} onRetry={() => ask({ requestPolicy: 'network-only' })} />;
  if (!call) return <Skeleton height="6rem" />;
  const isFound = (text: string): boolean => find !== null && find(text).length > 0;
  const outcome = call.error ?? call.result;
  const diff = outcome == null ? null : linesOfDiff(outcome);
  return (
    <dl className={styles.whole} aria-label={`Call of ${name}`}>
      {changes.length > 0 ? (
        <>
          <dt>Changes</dt>
          <dd>
            {changes.map((change, index) => (
              <FileChange key={index} change={change} />
            ))}
          </dd>
          <dt>Arguments</dt>
          <dd>
            <Fold text={text} mono lines={3} characters={300} isOpen={isFound(text)} />
          </dd>
        </>
      ) : (
        <>
          <dt>Arguments</dt>
          <dd>
            {given == null ? <span className="soft">none</span> : <Fold text={text} mono isOpen={isFound(text)} />}
          </dd>
        </>
      )}
      {call.filesModified.length > 0 && (
        <>
          <dt>Files modified</dt>
          <dd className="mono small">{call.filesModified.join('\n')}</dd>
        </>
      )}
      <dt>{call.error == null ? 'Result' : 'Error'}</dt>
      <dd data-failed={call.error != null}>
        {outcome == null ? (
          <span className="soft">none yet</span>
        ) : diff === null ? (
          <Fold text={outcome} mono isOpen={isFound(outcome)} />
        ) : (
          <FileChange change={{ path: null, kind: 'CHANGED', lines: diff }} />
        )}
      </dd>
    </dl>
  );
}
