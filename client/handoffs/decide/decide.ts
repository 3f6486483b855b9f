import { graphql } from '../../gql/gql.ts';
import type { HandoffStatus } from '../../gql/graphql.ts';

/** The result of a decision: the handoff, the session's holder and the changed loads. */
graphql(`
  fragment Decided on Handoff {
    id
    ...HandoffBadge
    acceptedAt
    completedAt
    sourceAgent {
      id
      currentLoad
      freePlaces
      status
    }
    targetAgent {
      id
      currentLoad
      freePlaces
      status
    }
    session {
      id
      version
      updatedAt
      status
      agent {
        id
        ...AgentChip
      }
      agentSession {
        id
        state
      }
      openHandoff {
        id
      }
    }
  }
`);

export const AcceptMutation = graphql(`
  mutation Accept($handoffId: ID!) {
    acceptHandoff(input: { handoffId: $handoffId }) {
      __typename
      ... on AcceptHandoffPayload {
        handoff {
          id
          ...Decided
        }
      }
      ... on Error {
        code
        message
      }
    }
  }
`);

export const CompleteMutation = graphql(`
  mutation Complete($handoffId: ID!) {
    completeHandoff(input: { handoffId: $handoffId }) {
      __typename
      ... on CompleteHandoffPayload {
        handoff {
          id
          ...Decided
        }
      }
      ... on Error {
        code
        message
      }
    }
  }
`);

export const RejectMutation = graphql(`
  mutation Reject($handoffId: ID!, $reason: String!) {
    rejectHandoff(input: { handoffId: $handoffId, reason: $reason }) {
      __typename
      ... on RejectHandoffPayload {
        handoff {
          id
          ...Decided
        }
      }
      ... on BadUserInputError {
        path
      }
      ... on Error {
        code
        message
      }
    }
  }
`);

export const isOpenHandoff = (status: HandoffStatus): boolean => status === 'INITIATED' || status === 'ACCEPTED';
