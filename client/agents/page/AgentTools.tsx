import { useState } from 'react';
import { useQuery } from 'urql';
import { Link } from 'wouter';
import { useMay } from '../../access/viewer.ts';
import { graphql } from '../../gql/gql.ts';
import type { ToolFormat } from '../../gql/graphql.ts';
import { useRereadOn } from '../../live/events.ts';
import { FormatChoice, Json } from '../../tools/Definition.tsx';
import { formatWords } from '../../tools/looks.ts';
import { RequestError } from '../../ui/ErrorNote.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import styles from './AgentPage.module.css';

const AgentDefinitionsQuery = graphql(`
  query AgentDefinitions($id: ID!, $format: ToolFormat!, $onlyAvailable: Boolean!) {
    agent(id: $id) {
      id
      handoffToolDefinitions(format: $format, onlyAvailable: $onlyAvailable)
    }
  }
`);

/** The definitions that the agent's model gets. */
export function AgentTools({ id }: { id: string }) {
  const [format, setFormat] = useState<ToolFormat>('ANTHROPIC');
  const [onlyAvailable, setOnlyAvailable] = useState(false);
  const [{ data, error }, ask] = useQuery({
    query: AgentDefinitionsQuery,
    variables: { id, format, onlyAvailable },
    requestPolicy: 'cache-and-network',
  });
  useRereadOn(
    ({ agent, handoff }) => agent !== null || handoff !== null,
    () => ask({ requestPolicy: 'network-only' }),
  );
  const mayDefine = useMay('manageAgents');
  const definitions = data?.agent?.handoffToolDefinitions as unknown[] | undefined;
  return (
    <section className={`card ${styles.part}`} aria-labelledby="tools">
      <div className={styles.line}>
        <h2 id="tools">Tools</h2>
        <Link href={`/tools?agent=${encodeURIComponent(id)}`}>All of its tools</Link>
        {mayDefine && <Link href={`/tools/new?agent=${encodeURIComponent(id)}`}>New tool</Link>}
      </div>
      <div className={styles.line}>
        <FormatChoice value={format} onChange={setFormat} />
        <label className={styles.check}>
          <input type="checkbox" checked={onlyAvailable} onChange={({ target }) => setOnlyAvailable(target.checked)} />{' '}
          Only targets with a free place
        </label>
      </div>
      {error && <RequestError error={error} onRetry={() => ask({ requestPolicy: 'network-only' })} />}
      {!data && !error && <Skeleton height="12rem" />}
      {definitions?.length === 0 && <p className="soft">Its model gets no handoff tool{onlyAvailable && ' now'}.</p>}
      {definitions && definitions.length > 0 && (
        <Json value={definitions} label={`Definitions for ${formatWords[format]}`} />
      )}
    </section>
  );
}
