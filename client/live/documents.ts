import { graphql } from '../gql/gql.ts';

/** All handoffs, session changes and agents. It selects every field that an event can change on the pages, so the cache needs no further reads. */
export const LiveEventsSubscription = graphql(`
  subscription LiveEvents($after: String) {
    handoffEvents(after: $after) {
      cursor
      type
      at
      recovered
      sessionSequence
      inboxSequence
      session {
        id
        version
        updatedAt
        title
        status
        situation
        agent {
          id
          ...AgentRow
        }
        openHandoff {
          id
          status
          sourceAgent {
            id
          }
          ...HandoffBadge
        }
        workspace {
          id
        }
        ...SessionRow
      }
      handoff {
        id
        sourceAgent {
          id
          ...AgentRow
        }
        targetAgent {
          id
          ...AgentRow
        }
        ...HandoffBadge
      }
      agent {
        id
        ...AgentRow
      }
    }
  }
`);

/** Updates the session's time of change when its log grows. */
export const SessionLogSubscription = graphql(`
  subscription SessionLog($sessionIds: [ID!], $after: String) {
    sessionUpdated(sessionIds: $sessionIds, after: $after) {
      cursor
      type
      at
      recovered
      sessionSequence
      inboxSequence
      session {
        id
        version
        updatedAt
      }
    }
  }
`);
