import { useId } from 'react';
import { useMutation } from 'urql';
import { Link } from 'wouter';
import { useMay } from '../access/viewer.ts';
import { AgentChip } from '../agents/AgentChip.tsx';
import { graphql } from '../gql/gql.ts';
import type { QueueRowFragment as Entry, SessionPriority } from '../gql/graphql.ts';
import { readFragment, type FragmentType } from '../gql/index.ts';
import { Badge } from '../ui/Badge.tsx';
import { useNow } from '../ui/clock.ts';
import { ErrorNote, RequestError } from '../ui/ErrorNote.tsx';
import { Time } from '../ui/Time.tsx';
import styles from './QueuePage.module.css';
import { priorityWords, raisedText, wantedText, withoutPlace } from './words.ts';

const QueueRowFragment = graphql(`
  fragment QueueRow on QueueEntry {
    agentType
    role
    queuedSince
    position
    suspended
    escalated
    returned
    reason
    sourceAgent {
      id
      ...AgentChip
    }
    session {
      id
      title
      priority
      pipeline {
        stage
        pipeline {
          id
          slug
          name
        }
      }
    }
  }
`);

/** A waiting session: its place, what it waits for and why, its priority and age. */
export function QueueRow({ entry: masked }: { entry: FragmentType<typeof QueueRowFragment> }) {
  const entry = readFragment(QueueRowFragment, masked);
  const { session, position, queuedSince } = entry;
  const look = withoutPlace(entry);
  const raised = raisedText(entry, useNow());
  return (
    <tr data-waiting={session.id}>
      <td className={styles.place}>{look ? <Badge {...look} /> : (position ?? '…')}</td>
      <td>
        <Link href={`/sessions/${session.id}`} className={styles.title} title={session.title}>
          {session.title}
        </Link>
        <Why entry={entry} />
      </td>
      <td className={styles.wanted}>{wantedText(entry)}</td>
      <td>
        <Priority sessionId={session.id} title={session.title} priority={session.priority} />
        {raised !== null && <span className={`soft small ${styles.raised}`}>{raised}</span>}
      </td>
      <td className={styles.since}>
        <Time at={queuedSince} />
      </td>
    </tr>
  );
}

function Why({ entry: { session, reason, sourceAgent } }: { entry: Entry }) {
  const { pipeline } = session;
  return (
    <p className={`soft small ${styles.why}`}>
      {pipeline?.stage != null ? (
        <span>
          Stage {pipeline.stage} of <Link href={`/pipelines/${pipeline.pipeline.slug}`}>{pipeline.pipeline.name}</Link>
        </span>
      ) : (
        <span>Without a pipeline</span>
      )}
      {sourceAgent && (
        <span className={styles.left}>
          left by <AgentChip agent={sourceAgent} />
        </span>
      )}
      {reason != null && (
        <span className={styles.reason} title={reason}>
          {reason}
        </span>
      )}
    </p>
  );
}

const SetPriorityMutation = graphql(`
  mutation SetPriority($sessionId: ID!, $priority: SessionPriority!) {
    updateSession(input: { sessionId: $sessionId, priority: $priority }) {
      __typename
      ... on UpdateSessionPayload {
        session {
          id
          version
          priority
        }
      }
      ... on Error {
        message
      }
    }
  }
`);

const priorities = Object.entries(priorityWords) as [SessionPriority, string][];

/** Shows the priority; operators change it. */
function Priority({ sessionId, title, priority }: { sessionId: string; title: string; priority: SessionPriority }) {
  const id = useId();
  const mayChange = useMay('reassign');
  const [{ data, error, fetching }, set] = useMutation(SetPriorityMutation);
  const refusal = data && data.updateSession.__typename !== 'UpdateSessionPayload' ? data.updateSession.message : null;
  if (!mayChange) return <span>{priorityWords[priority]}</span>;
  return (
    <>
      <label htmlFor={id} className="hidden">
        Priority of {title}
      </label>
      <select
        id={id}
        className={`select ${styles.priority}`}
        value={priority}
        aria-busy={fetching}
        onChange={({ target }) =>
          void set({ sessionId, priority: priorities.find(([value]) => value === target.value)?.[0] ?? priority })
        }
      >
        {priorities.map(([value, word]) => (
          <option key={value} value={value}>
            {word}
          </option>
        ))}
      </select>
      {error && <RequestError error={error} />}
      {refusal !== null && <ErrorNote>{refusal}</ErrorNote>}
    </>
  );
}
