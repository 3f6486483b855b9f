import { Link } from 'wouter';
import { AgentChip, type AgentChipFragment } from '../agents/AgentChip.tsx';
import type { FragmentType } from '../gql/index.ts';
import { handoffLooks } from '../handoffs/looks.ts';
import { Badge } from '../ui/Badge.tsx';
import { formatDuration } from '../ui/time.ts';
import { listOf, type GraphView } from './filters.ts';
import styles from './GraphPage.module.css';
import type { Edge } from './outcomes.ts';

type Agent = FragmentType<typeof AgentChipFragment> & { id: string };

/** The graph's content as a table. */
export function GraphTable({ edges, view }: { edges: readonly (Edge & { source: Agent; target: Agent })[]; view: GraphView }) {
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
            <th scope="col">What became of them</th>
            <th scope="col" className={styles.number}>
              Accepted after (median)
            </th>
          </tr>
        </thead>
        <tbody>
          {edges.map((edge) => (
            <tr key={`${edge.source.id} ${edge.target.id}`}>
              <td>
                <AgentChip agent={edge.source} plain />
              </td>
              <td>
                <AgentChip agent={edge.target} plain />
              </td>
              <td className={styles.number}>
                <Link href={listOf({ source: edge.source.id, target: edge.target.id }, view)} aria-label={`${edge.count} from ${edge.source.id} to ${edge.target.id}`}>
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
              <td className={styles.number}>{edge.medianAcceptMs == null ? <span className="soft">never</span> : formatDuration(edge.medianAcceptMs)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
