import { useState } from 'react';
import { Link } from 'wouter';
import { AgentChip, type AgentChipFragment } from '../agents/AgentChip.tsx';
import type { FragmentType } from '../gql/index.ts';
import { handoffLooks } from '../handoffs/looks.ts';
import { Badge } from '../ui/Badge.tsx';
import { LoadMore } from '../ui/LoadMore.tsx';
import { formatDuration } from '../ui/time.ts';
import { listOf, type GraphView } from './filters.ts';
import styles from './GraphPage.module.css';
import { successText, type Edge } from './outcomes.ts';

type Agent = FragmentType<typeof AgentChipFragment> & { id: string };

const pageSize = 25;

export interface GraphTableProps {
  graph: { nodes: readonly { agent: Agent }[]; edges: readonly Edge[]; pairCount: number };
  view: GraphView;
  /** Called with the number of pairs to show; they may have to be read. */
  onMore: (wanted: number) => void;
}

/** The whole graph as a table, page by page. Needs a new key for a new view. */
export function GraphTable({ graph: { nodes, edges, pairCount }, view, onMore }: GraphTableProps) {
  const [wanted, setWanted] = useState(pageSize);
  const agents = new Map(nodes.map(({ agent }) => [agent.id, agent]));
  const rows = edges.slice(0, wanted);
  return (
    <div className={`card ${styles.scroll}`} role="region" aria-label="Handoffs between agents" tabIndex={0}>
      <table className={styles.table}>
        <caption className="hidden">Handoffs between agents, the most frequent pair first</caption>
        <thead>
          <tr>
            <th scope="col">From</th>
            <th scope="col">To</th>
            <th scope="col" className={styles.number}>
              Handoffs
            </th>
            <th scope="col">Outcomes</th>
            <th scope="col" className={styles.number}>
              Success
            </th>
            <th scope="col" className={styles.number}>
              Soon back
            </th>
            <th scope="col" className={styles.number}>
              Accepted after
            </th>
            <th scope="col" className={styles.number}>
              Completed after
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((edge) => (
            <tr key={`${edge.source.id} ${edge.target.id}`}>
              <td>
                <AgentChip agent={agents.get(edge.source.id)!} plain />
              </td>
              <td>
                <AgentChip agent={agents.get(edge.target.id)!} plain />
              </td>
              <td className={styles.number}>
                <Link
                  href={listOf({ source: edge.source.id, target: edge.target.id }, view)}
                  aria-label={`${edge.count} from ${edge.source.id} to ${edge.target.id}`}
                >
                  {edge.count.toLocaleString()}
                </Link>
              </td>
              <td>
                <span className={styles.badges}>
                  {edge.byStatus.map(({ status, count }) => (
                    <Badge key={status} {...handoffLooks[status]}>
                      <span>{count.toLocaleString()}</span>
                    </Badge>
                  ))}
                </span>
              </td>
              <td className={styles.number}>
                {successText(edge.successRate) ?? <span className="soft">none closed</span>}
              </td>
              <td className={styles.number}>{edge.bouncedBack.toLocaleString()}</td>
              <td className={styles.number}>
                {edge.medianAcceptMs == null ? (
                  <span className="soft">never</span>
                ) : (
                  formatDuration(edge.medianAcceptMs)
                )}
                {edge.p90AcceptMs != null && (
                  <span className={`soft small ${styles.most}`}>9 of 10: {formatDuration(edge.p90AcceptMs)}</span>
                )}
              </td>
              <td className={styles.number}>
                {edge.medianCompleteMs == null ? (
                  <span className="soft">never</span>
                ) : (
                  formatDuration(edge.medianCompleteMs)
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className={`soft small ${styles.note}`}>
        Success: completed of closed handoffs. Soon back: the source held the session again as one of the next two.
        Times: medians of the newest 10,000 handoffs of the pair.
      </p>
      <LoadMore
        shown={rows.length}
        total={pairCount}
        hasMore={rows.length < pairCount}
        loading={rows.length < Math.min(wanted, pairCount)}
        noun="pairs"
        onMore={() => {
          setWanted(wanted + pageSize);
          onMore(wanted + pageSize);
        }}
      />
    </div>
  );
}
