import { AgentChip, type AgentChipFragment } from '../agents/AgentChip.tsx';
import type { FragmentType } from '../gql/index.ts';
import { Icon } from '../ui/Icon.tsx';
import styles from './Route.module.css';

type Agent = FragmentType<typeof AgentChipFragment>;

export function Route({
  source,
  target,
  plain = false,
}: {
  source: Agent | null | undefined;
  target: Agent;
  plain?: boolean;
}) {
  return (
    <span className={styles.route}>
      {source ? <AgentChip agent={source} plain={plain} /> : <span className={styles.nobody}>unassigned</span>}
      <span className="hidden">to</span>
      <span className={styles.arrow}>
        <Icon name="arrow" />
      </span>
      <AgentChip agent={target} plain={plain} />
    </span>
  );
}
