import { useCallback, useMemo, useState } from 'react';
import { useQuery } from 'urql';
import { useLocation, useSearch } from 'wouter';
import { Page } from '../app/Page.tsx';
import { graphql } from '../gql/gql.ts';
import { readFragment } from '../gql/index.ts';
import { useRereadOn } from '../live/events.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { RequestError } from '../ui/ErrorNote.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { readGraphView, toGraphFilter, writeGraphView, type GraphView } from './filters.ts';
import { pairsToRead } from './choices.ts';
import { GraphDrawing } from './GraphDrawing.tsx';
import { GraphFilters } from './GraphFilters.tsx';
import styles from './GraphPage.module.css';
import { GraphTable } from './GraphTable.tsx';
import { countText, PathFragment } from './outcomes.ts';

const GraphQuery = graphql(`
  query Graph($where: HandoffGraphFilter!, $list: HandoffFilter!, $first: Int!) {
    handoffs(where: $list, first: 0) {
      totalCount
    }
    handoffGraph(where: $where, first: $first) {
      pairCount
      agentCount
      handoffCount
      nodes {
        agent {
          id
          type
          status
          currentLoad
          maxCapacity
          ...AgentChip
        }
        received
        given
      }
      edges {
        ...Path
      }
    }
  }
`);

/** The pairs to read at once, at least; the drawing chooses among them. */
const pairsAtOnce = 250;
// To count many pairs takes longer, and so does drawing them.
const largeGraph = 500;
const rereadLargeMs = 10_000;
const rereadManyMs = 30_000;

/** The handoffs between agents, as a graph and as a table. The URL holds the view. */
export default function GraphPage() {
  const search = useSearch();
  const [, navigate] = useLocation();
  const view = useMemo(() => readGraphView(new URLSearchParams(search)), [search]);
  const where = useMemo(() => toGraphFilter(view), [view]);
  const change = useCallback((next: GraphView) => navigate(writeGraphView(next), { replace: true }), [navigate]);
  const [listed, setListed] = useState(pairsAtOnce);
  const first = pairsToRead(view.pairs, listed);
  const [{ data, error, stale }, ask] = useQuery({
    query: GraphQuery,
    variables: { where, list: where, first },
    requestPolicy: 'cache-and-network',
  });
  const graph = data?.handoffGraph;
  const found = graph && { ...graph, edges: readFragment(PathFragment, graph.edges) };
  useRereadOn(
    ({ handoff }) => handoff !== null,
    () => ask({ requestPolicy: 'network-only' }),
    found && found.pairCount > largeGraph ? (found.edges.length > 1_000 ? rereadManyMs : rereadLargeMs) : undefined,
  );
  const drawn = found?.handoffCount ?? 0;
  // The two counts are read one after the other: a handoff may start in between.
  const total = Math.max(drawn, data?.handoffs.totalCount ?? 0);
  return (
    <Page
      title="Graph"
      intro="The handoffs between agents. A thicker line has more handoffs; its colour shows their most frequent outcome. A line leads to the list of its handoffs."
    >
      <GraphFilters view={view} onChange={change} />
      {error && <RequestError error={error} onRetry={() => ask({ requestPolicy: 'network-only' })} />}
      {!found && !error && <Skeleton height="28rem" />}
      {found && found.edges.length === 0 && (
        <div className="card">
          {total > 0 ? (
            <EmptyState icon="graph" title={totalText(total, 0, 0)} />
          ) : (
            <EmptyState icon="graph" title="No handoff matches.">
              {Object.keys(where).length > 0
                ? 'Remove a filter to see more.'
                : 'The graph grows with every handoff between two agents.'}
            </EmptyState>
          )}
        </div>
      )}
      {found && found.edges.length > 0 && (
        <div className={styles.found} data-stale={stale}>
          <p className="soft small" role="status">
            {totalText(total, drawn, found.agentCount)}
          </p>
          <GraphDrawing graph={found} view={view} onChange={change} />
          <GraphTable
            key={JSON.stringify(where)}
            graph={found}
            view={view}
            onMore={(wanted) => wanted > first && setListed(first + pairsAtOnce)}
          />
        </div>
      )}
    </Page>
  );
}

/** A handoff of a session that was unassigned has no source agent, and so no line. */
function totalText(total: number, drawn: number, agents: number): string {
  if (drawn === total) return `${countText(total)} between ${agents} agents`;
  const rest = `${(total - drawn).toLocaleString()} from no agent, because the session was unassigned`;
  return drawn === 0
    ? `${countText(total)}: ${rest}`
    : `${countText(total)}: ${drawn.toLocaleString()} between ${agents} agents, ${rest}`;
}
