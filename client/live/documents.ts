import { graphql } from '../gql/gql.ts';

/**
 * Everything that changes hands, and the agents. What it selects of a record is all that an event can change of it on
 * the pages: with it in the cache, nothing needs to be read again.
 */
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
        agent {
          id
          ...AgentCard
        }
        openHandoff {
          id
          status
          sourceAgent {
            id
          }
          ...HandoffBadge
        }
        ...SessionRow
      }
      handoff {
        id
        sourceAgent {
          id
          ...AgentCard
        }
        targetAgent {
          id
          ...AgentCard
        }
        ...HandoffBadge
      }
      agent {
        id
        ...AgentCard
      }
    }
  }
`);

/** That something was added to the log of one session: it has another moment then. */
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
