import type { Client } from 'urql';
import { outcomeOf, type Outcome, type PayloadOf } from '../acts/outcome.ts';
import { graphql } from '../gql/gql.ts';
import type { ApproveHandoffInput, ApproveMutation as Approved } from '../gql/graphql.ts';

export const WaitingDocument = graphql(`
  fragment Waiting on Approval {
    id
    kind
    demandedBy
    text
    options
    deadlineAt
    contextVariables
    agent {
      id
    }
    session {
      id
      title
      status
      pauseReason
      ...Paused
    }
    handoff {
      id
      reason
      summary
      targetAgent {
        id
      }
      contextVariables {
        name
        value
      }
      carry {
        messages
        lastMessages
        toolCalls
        files
        tasks
        decisions
        variables
        maxTokens
      }
    }
  }
`);

export const DecideQuery = graphql(`
  query Decide($after: String, $count: Boolean!) {
    approvals(first: 50, after: $after) {
      nodes {
        id
        session {
          id
        }
        ...Waiting
      }
      pageInfo {
        hasNextPage
        endCursor
      }
      totalCount @include(if: $count)
    }
  }
`);

export const SessionApprovalQuery = graphql(`
  query SessionApproval($id: ID!) {
    session(id: $id) {
      id
      title
      approval {
        id
        ...Waiting
      }
    }
  }
`);

/** How a proposed handoff ended. */
export const WhatBecameQuery = graphql(`
  query WhatBecame($handoffId: ID!) {
    handoff(id: $handoffId) {
      id
      status
      targetAgent {
        id
      }
      ...Decision
    }
  }
`);

/** How a question ended. */
export const WhatWasAnsweredQuery = graphql(`
  query WhatWasAnswered($sessionId: ID!) {
    events(first: 1, where: { sessionId: $sessionId, type: [QUESTION_ANSWERED] }) {
      nodes {
        id
        reason
        metadata
        actor {
          role
          name
        }
      }
    }
  }
`);

/** What an approval would give now, and what the target would read. */
export const PassedOnQuery = graphql(`
  query PassedOn($handoffId: ID!, $edits: HandoffEditsInput) {
    simulateApproval(handoffId: $handoffId, edits: $edits) {
      wouldSucceed
      contentHash
      verdicts {
        rule
        passed
        message
      }
      context {
        text
        tokenEstimate
      }
    }
  }
`);

/** What the target would have read when the agent proposed it. */
export const ProposedQuery = graphql(`
  query Proposed($handoffId: ID!) {
    handoff(id: $handoffId) {
      id
      contextPrompt {
        text
        tokenEstimate
      }
    }
  }
`);

const ApproveMutation = graphql(`
  mutation Approve($input: ApproveHandoffInput!) {
    answer: approveHandoff(input: $input) {
      __typename
      ... on ApproveHandoffPayload {
        handoff {
          id
          status
          sourceAgent {
            id
          }
          targetAgent {
            id
          }
          session {
            id
            title
          }
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

const DeclineMutation = graphql(`
  mutation Decline($input: DeclineHandoffInput!) {
    answer: declineHandoff(input: $input) {
      __typename
      ... on DeclineHandoffPayload {
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

const AnswerMutation = graphql(`
  mutation Answer($input: AnswerQuestionInput!) {
    answer: answerQuestion(input: $input) {
      __typename
      ... on AnswerQuestionPayload {
        session {
          id
          status
          situation
        }
      }
      ... on Error {
        code
        message
      }
    }
  }
`);

/** Approves what was seen: `expectedContentHash` is that of the preview. */
export const approve = async (
  client: Client,
  handoffId: string,
  decided: Pick<ApproveHandoffInput, 'expectedContentHash' | 'edits' | 'note'>,
): Promise<Outcome<PayloadOf<Approved['answer']>>> =>
  outcomeOf(await client.mutation(ApproveMutation, { input: { handoffId, ...decided } }));

export const decline = async (client: Client, handoffId: string, reason: string): Promise<Outcome> =>
  outcomeOf(await client.mutation(DeclineMutation, { input: { handoffId, reason } }));

export const answerQuestion = async (client: Client, questionId: string, answer: string): Promise<Outcome> =>
  outcomeOf(await client.mutation(AnswerMutation, { input: { questionId, answer } }));
