import { graphql } from '../../gql/gql.ts';
import type { ReassignMutation, ReassignSessionInput } from '../../gql/graphql.ts';

export const ReassignDialogQuery = graphql(`
  query ReassignDialog($id: ID!) {
    session(id: $id) {
      id
      title
      status
      version
      agent {
        id
        ...AgentChip
      }
      openHandoff {
        id
        status
        sourceAgent {
          id
        }
      }
    }
  }
`);

export const ReassignMutationDocument = graphql(`
  mutation Reassign($input: ReassignSessionInput!) {
    answer: reassignSession(input: $input) {
      __typename
      ... on ReassignSessionPayload {
        message
        handoffCreated
        session {
          id
          title
          version
          openHandoff {
            id
          }
          ...SessionRow
        }
        handoff {
          id
          status
          sourceAgent {
            id
          }
          targetAgent {
            id
          }
          ...HandoffBadge
        }
        previousAgent {
          id
          currentLoad
          freePlaces
          status
        }
        assignedAgent {
          id
          currentLoad
          freePlaces
          status
        }
      }
      ... on AgentAtCapacityError {
        agentId
      }
      ... on BadUserInputError {
        path
      }
      ... on NotFoundError {
        id
      }
      ... on Error {
        code
        message
      }
    }
  }
`);

/** The dialog's input. */
export interface Draft {
  by: 'agent' | 'type';
  agentId: string;
  agentType: string;
  reason: string;
  summary: string;
  skipHandoff: boolean;
  /** By type: waits for a free place. */
  queue: boolean;
}

export const emptyDraft: Draft = {
  by: 'agent',
  agentId: '',
  agentType: '',
  reason: '',
  summary: '',
  skipHandoff: false,
  queue: false,
};

export const isComplete = ({ by, agentId, agentType }: Draft): boolean => (by === 'agent' ? agentId : agentType) !== '';

export const toInput = (
  draft: Draft,
  session: { id: string; version: number },
  idempotencyKey: string,
): ReassignSessionInput => ({ ...toInputOfMany(draft, session.id, idempotencyKey), expectedVersion: session.version });

/** Of many sessions nobody has looked at each version. */
export function toInputOfMany(draft: Draft, sessionId: string, idempotencyKey: string): ReassignSessionInput {
  return {
    sessionId,
    idempotencyKey,
    ...(draft.by === 'agent'
      ? { agentId: draft.agentId }
      : { agentType: draft.agentType, ...(draft.queue && { queue: true }) }),
    ...(draft.skipHandoff && { skipHandoff: true }),
    ...(draft.reason.trim() && { reason: draft.reason.trim() }),
    ...(draft.summary.trim() && !draft.skipHandoff && { summary: draft.summary.trim() }),
  };
}

export type Answer = ReassignMutation['answer'];
export type Payload = Extract<Answer, { __typename: 'ReassignSessionPayload' }>;
export type Refusal = Exclude<Answer, Payload>;

/** The part of the dialog that an error belongs to. */
export type Place = 'target' | 'reason' | 'summary' | 'session';

export function placeOf(refusal: Refusal, { agentId }: Draft): Place {
  switch (refusal.__typename) {
    case 'AgentAtCapacityError':
    case 'AgentUnavailableError':
    case 'AgentRoleMismatchError':
    case 'AgentTypeMismatchError':
    case 'AlreadyAssignedError':
    case 'NoAgentAvailableError':
      return 'target';
    case 'BadUserInputError': {
      const field = refusal.path.at(-1);
      if (field === 'reason' || field === 'summary') return field;
      return field === 'agentId' || field === 'agentType' ? 'target' : 'session';
    }
    case 'ConflictError':
    case 'IdempotencyMismatchError':
    case 'InvalidStateError':
      return 'session';
    case 'NotFoundError':
      return refusal.id === agentId ? 'target' : 'session';
  }
}
