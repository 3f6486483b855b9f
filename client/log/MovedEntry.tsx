import { AgentChip } from '../agents/AgentChip.tsx';
import { MoveSaid } from '../sessions/MoveSaid.tsx';
import type { Move } from '../sessions/moves.ts';
import { Icon } from '../ui/Icon.tsx';
import { Time } from '../ui/Time.tsx';
import styles from './RoutedEntry.module.css';

/** A move without a handoff: its target and notes. */
export function MovedEntry({ move }: { move: Move }) {
  return (
    <article className={styles.routed} data-moved>
      <header className={styles.head}>
        <span className={styles.arrow}>
          <Icon name="arrow" size={16} />
        </span>
        <span className={styles.words}>
          <strong>Moved to</strong> <AgentChip agent={move.agent} plain />
          <span className="soft small">without a handoff</span>
        </span>
        <span className={styles.when}>
          <Time at={move.startedAt} />
        </span>
      </header>
      <div className={styles.line}>
        <MoveSaid move={move} />
      </div>
    </article>
  );
}
