import { AgentChip } from '../agents/AgentChip.tsx';
import { graphql } from '../gql/gql.ts';
import { readFragment, type FragmentType } from '../gql/index.ts';
import { Time } from '../ui/Time.tsx';
import styles from './LogNow.module.css';

export const LogNowFragment = graphql(`
  fragment LogNow on Session {
    id
    status
    lastActivityAt
    updatedAt
    agent {
      id
      ...AgentChip
    }
    agentSession {
      id
      state
      startedAt
    }
    queueEntry {
      position
      queuedSince
    }
  }
`);

/** Who works on the session now, at the end of its log. */
export function LogNow({ session: masked }: { session: FragmentType<typeof LogNowFragment> }) {
  const { status, agent, agentSession, queueEntry, lastActivityAt, updatedAt } = readFragment(LogNowFragment, masked);
  const works = status === 'RUNNING' && agentSession?.state === 'ACTIVE';
  return (
    <p className={styles.now} data-works={works} role="status" aria-label="Now">
      <span className={styles.dot} aria-hidden="true" />
      {agent && agentSession && status === 'RUNNING' ? (
        <>
          <AgentChip agent={agent} plain />
          {works ? (
            <span>
              works on it; last activity <Time at={lastActivityAt} />
            </span>
          ) : (
            <span>
              has not accepted it yet; given <Time at={agentSession.startedAt} />
            </span>
          )}
        </>
      ) : queueEntry ? (
        <span>
          Waits in the queue{queueEntry.position != null && `, at place ${queueEntry.position}`}, since{' '}
          <Time at={queueEntry.queuedSince} />
        </span>
      ) : status === 'PAUSED' || status === 'RUNNING' ? (
        <span>{agent ? 'Paused' : 'No agent has it'}: nobody works on it</span>
      ) : (
        <span>
          Ended <Time at={updatedAt} />
        </span>
      )}
    </p>
  );
}
