import { AgentChip } from '../agents/AgentChip.tsx';
import styles from '../handoffs/list/HandoffRow.module.css';
import { Time } from '../ui/Time.tsx';
import { MoveSaid } from './MoveSaid.tsx';
import type { Move } from './moves.ts';

/** A move without a handoff, as a row between the handoffs. */
export function MovedRow({ move }: { move: Move }) {
  return (
    <tbody className={styles.handoff} data-moved>
      <tr>
        <td className={styles.depth} />
        <td className={styles.route}>
          <span className="soft">to</span> <AgentChip agent={move.agent} plain />
        </td>
        <td className={styles.status}>
          <span className="soft small">Without a handoff</span>
        </td>
        <td className={styles.why}>
          <MoveSaid said={move.startedBy ?? {}} />
        </td>
        <td className={styles.when}>
          <Time at={move.startedAt} />
        </td>
        <td className={styles.more} />
      </tr>
    </tbody>
  );
}
