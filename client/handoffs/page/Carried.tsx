import { roleWords } from '../../log/looks.ts';
import { graphql } from '../../gql/gql.ts';
import { readFragment, type FragmentType } from '../../gql/index.ts';
import { Fold } from '../../ui/Fold.tsx';
import styles from './HandoffPayload.module.css';
import { Part } from './Part.tsx';

export const CarriedFragment = graphql(`
  fragment Carried on Handoff {
    id
    originalRequest {
      content
      shortened
      sequence
    }
    latestRequest {
      content
      shortened
      sequence
    }
    lastMessage {
      content
      shortened
      sequence
      agentId
    }
    lastToolCalls {
      toolName
      arguments
      outcome
      failed
      shortened
    }
    recentMessages {
      role
      content
    }
  }
`);

/** The request, the last words, and the last messages and tool calls. */
export function Carried({ handoff: masked }: { handoff: FragmentType<typeof CarriedFragment> }) {
  const { originalRequest, latestRequest, lastMessage, lastToolCalls, recentMessages } = readFragment(
    CarriedFragment,
    masked,
  );
  return (
    <>
      {originalRequest && (
        <Part icon="user" title="Original request">
          <Fold text={originalRequest.content} lines={8} />
        </Part>
      )}
      {latestRequest && (
        <Part icon="user" title="Latest request" note={`message ${latestRequest.sequence}`}>
          <Fold text={latestRequest.content} lines={8} />
        </Part>
      )}
      {lastMessage && (
        <Part
          icon="bot"
          title="Last message"
          note={
            lastMessage.agentId == null ? undefined : `from ${lastMessage.agentId}, message ${lastMessage.sequence}`
          }
        >
          <Fold text={lastMessage.content} lines={10} />
        </Part>
      )}
      {recentMessages.length > 0 && (
        <details className={styles.more}>
          <summary>Recent messages ({recentMessages.length})</summary>
          <ol role="list" className={styles.messages}>
            {recentMessages.map(({ role, content }, index) => (
              <li key={index} data-role={role}>
                <span className={styles.speaker}>{roleWords[role]}</span>
                <Fold text={content} lines={6} characters={600} />
              </li>
            ))}
          </ol>
        </details>
      )}
      {lastToolCalls && lastToolCalls.length > 0 && (
        <details className={styles.more}>
          <summary>Last tool calls ({lastToolCalls.length})</summary>
          <ol role="list" className={styles.messages}>
            {lastToolCalls.map(({ toolName, arguments: given, outcome, failed }, index) => (
              <li key={index}>
                <span className={styles.tool}>
                  <strong className="mono">{toolName}</strong>
                  {failed && <span className={styles.failed}>failed</span>}
                </span>
                <Fold text={given} mono lines={3} characters={240} />
                <Fold text={outcome} mono lines={4} characters={400} />
              </li>
            ))}
          </ol>
        </details>
      )}
    </>
  );
}
