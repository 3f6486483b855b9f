import { AgentChip } from '../agents/AgentChip.tsx';
import { Decision } from '../approvals/Decision.tsx';
import { Edits } from '../approvals/Edits.tsx';
import { graphql } from '../gql/gql.ts';
import { readFragment, type FragmentType } from '../gql/index.ts';
import { endedBecause } from '../handoffs/ended.ts';
import { HandoffBadge, HandoffBadgeFragment } from '../handoffs/HandoffBadge.tsx';
import { Variables } from '../handoffs/Variables.tsx';
import { Fold } from '../ui/Fold.tsx';
import { Icon } from '../ui/Icon.tsx';
import { Time } from '../ui/Time.tsx';
import { NumberLink } from './NumberLink.tsx';
import styles from './RoutedEntry.module.css';

export const RoutedEntryFragment = graphql(`
  fragment RoutedEntry on Message {
    id
    sequence
    content
    createdAt
    handoff {
      id
      reason
      contextVariables {
        name
        value
        setBy
      }
      sentBack
      sourceAgent {
        id
      }
      targetAgent {
        id
        ...AgentChip
      }
      ...HandoffBadge
      ...Decision
      ...Edits
    }
  }
`);

/** A handoff in the log: its target, reason, variables and outcome. */
export function RoutedEntry({ message: masked }: { message: FragmentType<typeof RoutedEntryFragment> }) {
  const { sequence, content, createdAt, handoff } = readFragment(RoutedEntryFragment, masked);
  const outcome = handoff && endedBecause(readFragment(HandoffBadgeFragment, handoff));
  return (
    <article className={styles.routed} data-routed>
      <header className={styles.head}>
        <span className={styles.arrow}>
          <Icon name="arrow" size={16} />
        </span>
        <span className={styles.words}>
          {handoff ? (
            <>
              <strong>Routed to</strong> <AgentChip agent={handoff.targetAgent} plain />
              <span className="soft small">
                from {handoff.sourceAgent?.id ?? 'nobody'}
                {handoff.sentBack && ', sent back'}
              </span>
            </>
          ) : (
            <strong>{content}</strong>
          )}
        </span>
        {handoff && <HandoffBadge handoff={handoff} />}
        <span className={styles.when}>
          <Time at={createdAt} />
          <NumberLink number={sequence} />
        </span>
      </header>
      {handoff?.reason != null && (
        <div className={styles.line}>
          <Fold text={handoff.reason} lines={4} characters={500} />
        </div>
      )}
      {handoff && (
        <div className={`${styles.line} soft small`}>
          <Decision handoff={handoff} />
          <Edits handoff={handoff} />
        </div>
      )}
      {outcome != null && (
        <div className={`${styles.line} ${styles.outcome}`}>
          <Icon name="back" size={14} />
          <Fold text={outcome} lines={4} characters={500} />
        </div>
      )}
      {handoff && <Passed variables={handoff.contextVariables} />}
    </article>
  );
}

type Passed = readonly { name: string; value?: unknown; setBy: string }[];

/** The variables of a handoff; Baton's own are folded. */
function Passed({ variables }: { variables: Passed }) {
  const [own, given] = [variables.filter(isOwn), variables.filter((variable) => !isOwn(variable))];
  return (
    <>
      {given.length > 0 && (
        <div className={styles.passed}>
          <span className={styles.label}>{given.length === 1 ? 'Variable passed' : 'Variables passed'}</span>
          <Variables variables={given} />
        </div>
      )}
      {own.length > 0 && (
        <details className={styles.passed}>
          <summary>{own.length === 1 ? '1 variable set by Baton' : `${own.length} variables set by Baton`}</summary>
          <Variables variables={own} />
        </details>
      )}
    </>
  );
}

const isOwn = ({ name }: { name: string }): boolean => name.startsWith('_');
