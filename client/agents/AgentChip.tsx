import { Link } from 'wouter';
import { graphql } from '../gql/gql.ts';
import { readFragment, type FragmentType } from '../gql/index.ts';
import styles from './AgentChip.module.css';

export const AgentChipFragment = graphql(`
  fragment AgentChip on Agent {
    id
    type
  }
`);

/** An agent's slug and short type. Links to its page. */
export function AgentChip({
  agent: masked,
  plain = false,
  className = '',
}: {
  agent: FragmentType<typeof AgentChipFragment>;
  plain?: boolean;
  className?: string;
}) {
  const { id, type } = readFragment(AgentChipFragment, masked);
  const inside = (
    <>
      <span className={styles.mark} aria-hidden="true">
        {type.slice(0, 2)}
      </span>
      <span className={styles.name}>{id}</span>
    </>
  );
  const classes = `${styles.chip} ${className}`;
  if (plain) {
    return (
      <span className={classes} title={id}>
        {inside}
      </span>
    );
  }
  return (
    <Link href={`/agents/${encodeURIComponent(id)}`} className={classes} title={`${id} (${type})`}>
      {inside}
    </Link>
  );
}
