import { useQuery } from 'urql';
import { Link } from 'wouter';
import { graphql } from '../../gql/gql.ts';
import { readFragment } from '../../gql/index.ts';
import { PathFragment, wordsOfRates, type Edge } from '../../graph/outcomes.ts';
import { useRereadOn } from '../../live/events.ts';
import { RequestError } from '../../ui/ErrorNote.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import styles from './AgentPage.module.css';
import { bestAndWorst, closedOf } from './paths.ts';

const PathsQuery = graphql(`
  query AgentPaths($id: ID!) {
    handoffGraph(where: { agentId: $id }, first: 100) {
      edges {
        ...Path
      }
    }
  }
`);

/** To and from which agents its handoffs work best and worst. */
export function Paths({ id }: { id: string }) {
  const [{ data, error }, ask] = useQuery({ query: PathsQuery, variables: { id }, requestPolicy: 'cache-and-network' });
  useRereadOn(
    ({ handoff }) => [handoff?.sourceAgent?.id, handoff?.targetAgent.id].includes(id),
    () => ask({ requestPolicy: 'network-only' }),
  );
  const paths = data && bestAndWorst(readFragment(PathFragment, data.handoffGraph.edges));
  return (
    <section className={`card ${styles.part}`} aria-labelledby="paths">
      <h2 id="paths">Its paths</h2>
      <p className="soft small">
        How well handoffs from it and to it work: completed of closed ones. A path with few of them ranks lower.
      </p>
      {error && <RequestError error={error} onRetry={() => ask({ requestPolicy: 'network-only' })} />}
      {!paths && !error && <Skeleton height="6rem" />}
      {paths && paths.best.length + paths.worst.length === 0 && (
        <p className="soft">None of its handoffs is closed yet.</p>
      )}
      {paths && (
        <div className={styles.paths}>
          <Ranked title="Best" paths={paths.best} />
          <Ranked title="Worst" paths={paths.worst} />
        </div>
      )}
    </section>
  );
}

function Ranked({ title, paths }: { title: string; paths: readonly Edge[] }) {
  if (paths.length === 0) return null;
  const id = `paths-${title}`;
  return (
    <div>
      <h3 id={id}>{title}</h3>
      <ol className={styles.ranked} aria-labelledby={id}>
        {paths.map((path) => {
          const [source, target] = [path.source.id, path.target.id];
          return (
            <li key={`${source} ${target}`}>
              <Link href={`/handoffs?source=${encodeURIComponent(source)}&target=${encodeURIComponent(target)}`}>
                {source} to {target}
              </Link>
              <span className="soft small">
                {closedOf(path).toLocaleString()} closed: {wordsOfRates(path)}
              </span>
            </li>
          );
        })}
      </ol>
    </div>
  );
}
