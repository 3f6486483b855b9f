import { AgentChip } from '../agents/AgentChip.tsx';
import { graphql } from '../gql/gql.ts';
import { readFragment, type FragmentType } from '../gql/index.ts';
import { Fold } from '../ui/Fold.tsx';
import { Icon } from '../ui/Icon.tsx';
import { Time } from '../ui/Time.tsx';
import { changeOf } from './eventWords.ts';
import styles from './LogEvents.module.css';
import { MovedEntry } from './MovedEntry.tsx';

export const LogEventFragment = graphql(`
  fragment LogEvent on Event {
    id
    type
    at
    sessionStatus
    reason
    summary
    metadata
    actor {
      role
      name
    }
    agent {
      id
      ...AgentChip
    }
    handoff {
      id
      status
      targetAgent {
        id
      }
      approval {
        id
        decision
      }
    }
  }
`);

/** What became of the session between two messages: pauses, its end, returns, and moves without a handoff. */
export function LogEvents({ events }: { events: readonly FragmentType<typeof LogEventFragment>[] }) {
  return readFragment(LogEventFragment, events).map((event) => {
    const { id, agent, at, reason } = event;
    if (event.type === 'SESSION_REASSIGNED') return agent && <MovedEntry key={id} agent={agent} at={at} said={event} />;
    const { tone, icon, word, by, names } = changeOf(event);
    return (
      <div key={id} className={styles.change} data-tone={tone} data-change={event.type}>
        <Icon name={icon} size={14} />
        <span>
          <strong>{word}</strong>
          {names && agent && (
            <>
              {' '}
              <AgentChip agent={agent} plain />
            </>
          )}
          {by !== null && <span className="soft"> {by}</span>}
        </span>
        <span className={styles.when}>
          <Time at={at} />
        </span>
        {reason != null && (
          <div className={styles.reason}>
            <Fold text={reason} lines={3} characters={300} />
          </div>
        )}
      </div>
    );
  });
}
