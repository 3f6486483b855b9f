import type { Client } from 'urql';
import { may, type Viewer } from '../../access/may.ts';
import { outcomeOf, type Outcome } from '../../acts/outcome.ts';
import { graphql } from '../../gql/gql.ts';
import type { HandoffStatus } from '../../gql/graphql.ts';
import type { IconName } from '../../ui/Icon.tsx';

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
      situation
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

const AcceptMutation = graphql(`
  mutation Accept($handoffId: ID!) {
    answer: acceptHandoff(input: { handoffId: $handoffId }) {
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

const CompleteMutation = graphql(`
  mutation Complete($handoffId: ID!) {
    answer: completeHandoff(input: { handoffId: $handoffId }) {
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

const RejectMutation = graphql(`
  mutation Reject($handoffId: ID!, $reason: String!) {
    answer: rejectHandoff(input: { handoffId: $handoffId, reason: $reason }) {
      __typename
      ... on RejectHandoffPayload {
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

/** Also takes a reassign back. `session` says where the session went. */
export const CancelHandoffMutation = graphql(`
  mutation CancelHandoff($handoffId: ID!, $reason: String) {
    answer: cancelHandoff(input: { handoffId: $handoffId, reason: $reason }) {
      __typename
      ... on CancelHandoffPayload {
        handoff {
          id
          ...Decided
        }
        session {
          id
          agent {
            id
          }
        }
      }
      ... on Error {
        code
        message
      }
    }
  }
`);

export type HandoffAct = 'accept' | 'complete' | 'reject' | 'cancel';

/** `text` is the reason; empty when none was typed. */
export async function actOnHandoff(client: Client, act: HandoffAct, handoffId: string, text = ''): Promise<Outcome> {
  switch (act) {
    case 'accept':
      return outcomeOf(await client.mutation(AcceptMutation, { handoffId }));
    case 'complete':
      return outcomeOf(await client.mutation(CompleteMutation, { handoffId }));
    case 'reject':
      return outcomeOf(await client.mutation(RejectMutation, { handoffId, reason: text.trim() }));
    case 'cancel':
      return outcomeOf(await client.mutation(CancelHandoffMutation, { handoffId, reason: text.trim() || null }));
  }
}

interface HandoffActLook {
  word: string;
  busy: string;
  did: string;
  icon: IconName;
  /** The class of its button. */
  look: 'primary' | 'danger' | '';
  text?: { label: string; hint: string; required: boolean };
}

export const handoffActLooks: Record<HandoffAct, HandoffActLook> = {
  accept: { word: 'Accept', busy: 'Accepting …', did: 'accepted', icon: 'check', look: 'primary' },
  complete: { word: 'Complete', busy: 'Completing …', did: 'completed', icon: 'doubleCheck', look: 'primary' },
  reject: {
    word: 'Reject',
    busy: 'Rejecting …',
    did: 'rejected',
    icon: 'back',
    look: 'danger',
    text: { label: 'Reason', hint: 'Say what is missing or wrong. The history shows it.', required: true },
  },
  cancel: {
    word: 'Cancel',
    busy: 'Cancelling …',
    did: 'cancelled',
    icon: 'ban',
    look: '',
    text: { label: 'Reason', hint: 'Optional. The history shows it.', required: false },
  },
};

interface Facts {
  status: HandoffStatus;
  sourceAgent?: { id: string } | null | undefined;
  targetAgent: { id: string };
}

/** The acts that the viewer may take on a handoff in this state: as its target, as its source, or as an operator. */
export function offeredHandoffActs(viewer: Viewer, { status, sourceAgent, targetAgent }: Facts): HandoffAct[] {
  const isTarget = may(viewer, 'decideHandoff', targetAgent.id);
  if (status === 'ACCEPTED') return isTarget ? ['complete'] : [];
  if (status !== 'INITIATED') return [];
  return [
    ...(isTarget ? (['accept', 'reject'] as const) : []),
    ...(may(viewer, 'cancelHandoff', sourceAgent?.id) ? (['cancel'] as const) : []),
  ];
}

export const isOpenHandoff = (status: HandoffStatus): boolean => status === 'INITIATED' || status === 'ACCEPTED';
