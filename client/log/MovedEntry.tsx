import { AgentChip, type AgentChipFragment } from '../agents/AgentChip.tsx';
import type { FragmentType } from '../gql/index.ts';
import { MoveSaid, type Said } from '../sessions/MoveSaid.tsx';
import { Icon } from '../ui/Icon.tsx';
import { Time } from '../ui/Time.tsx';
import styles from './RoutedEntry.module.css';

interface MovedEntryProps {
  agent: FragmentType<typeof AgentChipFragment>;
  at: string;
  said: Said;
}

/** A move without a handoff: its target and notes. */
export function MovedEntry({ agent, at, said }: MovedEntryProps) {
  return (
    <article className={styles.routed} data-moved>
      <header className={styles.head}>
        <span className={styles.arrow}>
          <Icon name="arrow" size={16} />
        </span>
        <span className={styles.words}>
          <strong>Moved to</strong> <AgentChip agent={agent} plain />
          <span className="soft small">without a handoff</span>
        </span>
        <span className={styles.when}>
          <Time at={at} />
        </span>
      </header>
      <div className={styles.line}>
        <MoveSaid said={said} />
      </div>
    </article>
  );
}
