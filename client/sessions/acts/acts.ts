import type { Client } from 'urql';
import { outcomeOf, type Outcome } from '../../acts/outcome.ts';
import { graphql } from '../../gql/gql.ts';
import type { IconName } from '../../ui/Icon.tsx';
import type { SessionAct } from './offered.ts';

/** What an act on a session changes on the pages. */
graphql(`
  fragment ActedSession on Session {
    id
    version
    updatedAt
    status
    situation
    summary
    endReason
    pauseReason
    agent {
      id
      currentLoad
      freePlaces
      status
    }
    agentSession {
      id
      state
    }
    openHandoff {
      id
    }
    lastHandoff {
      id
      ...HandoffBadge
    }
    queueEntry {
      suspended
    }
  }
`);

const PauseSession = graphql(`
  mutation PauseSession($sessionId: ID!) {
    answer: pauseSession(input: { sessionId: $sessionId }) {
      __typename
      ... on PauseSessionPayload {
        session {
          id
          ...ActedSession
        }
      }
      ... on Error {
        code
        message
      }
    }
  }
`);

const ResumeSession = graphql(`
  mutation ResumeSession($sessionId: ID!) {
    answer: resumeSession(input: { sessionId: $sessionId }) {
      __typename
      ... on ResumeSessionPayload {
        session {
          id
          ...ActedSession
        }
      }
      ... on Error {
        code
        message
      }
    }
  }
`);

const CompleteSession = graphql(`
  mutation CompleteSession($sessionId: ID!, $summary: String) {
    answer: completeSession(input: { sessionId: $sessionId, summary: $summary }) {
      __typename
      ... on CompleteSessionPayload {
        session {
          id
          ...ActedSession
        }
      }
      ... on Error {
        code
        message
      }
    }
  }
`);

const FailSession = graphql(`
  mutation FailSession($sessionId: ID!, $reason: String!) {
    answer: failSession(input: { sessionId: $sessionId, reason: $reason }) {
      __typename
      ... on FailSessionPayload {
        session {
          id
          ...ActedSession
        }
      }
      ... on Error {
        code
        message
      }
    }
  }
`);

const CancelSession = graphql(`
  mutation CancelSession($sessionId: ID!, $reason: String) {
    answer: cancelSession(input: { sessionId: $sessionId, reason: $reason }) {
      __typename
      ... on CancelSessionPayload {
        session {
          id
          ...ActedSession
        }
      }
      ... on Error {
        code
        message
      }
    }
  }
`);

const RaiseBudget = graphql(`
  mutation RaiseBudget($sessionId: ID!, $tokenBudget: Int!) {
    answer: updateSession(input: { sessionId: $sessionId, tokenBudget: $tokenBudget }) {
      __typename
      ... on UpdateSessionPayload {
        session {
          id
          version
          tokenBudget
        }
      }
      ... on Error {
        code
        message
      }
    }
  }
`);

export const raiseBudget = async (client: Client, sessionId: string, tokenBudget: number): Promise<Outcome> =>
  outcomeOf(await client.mutation(RaiseBudget, { sessionId, tokenBudget }));

/** `text` is the summary or the reason; empty when none was typed. */
export async function actOnSession(client: Client, act: SessionAct, sessionId: string, text = ''): Promise<Outcome> {
  const given = text.trim() || null;
  switch (act) {
    case 'pause':
      return outcomeOf(await client.mutation(PauseSession, { sessionId }));
    case 'resume':
      return outcomeOf(await client.mutation(ResumeSession, { sessionId }));
    case 'complete':
      return outcomeOf(await client.mutation(CompleteSession, { sessionId, summary: given }));
    case 'fail':
      return outcomeOf(await client.mutation(FailSession, { sessionId, reason: given ?? '' }));
    case 'cancel':
      return outcomeOf(await client.mutation(CancelSession, { sessionId, reason: given }));
  }
}

interface ActLook {
  word: string;
  busy: string;
  /** What it did to the session: "was paused". */
  did: string;
  icon: IconName;
  danger?: boolean;
  /** The act that takes it back. The others are final. */
  back?: SessionAct;
  /** The text that it takes; undefined when it needs none and begins at once. */
  text?: { label: string; hint: string; required: boolean };
}

export const actLooks: Record<SessionAct, ActLook> = {
  pause: { word: 'Pause', busy: 'Pausing …', did: 'paused', icon: 'pause', back: 'resume' },
  resume: { word: 'Resume', busy: 'Resuming …', did: 'resumed', icon: 'play', back: 'pause' },
  complete: {
    word: 'Complete',
    busy: 'Completing …',
    did: 'completed',
    icon: 'check',
    text: { label: 'Summary', hint: 'Optional. What was achieved: the history shows it.', required: false },
  },
  fail: {
    word: 'Fail',
    busy: 'Failing …',
    did: 'marked as failed',
    icon: 'alert',
    danger: true,
    text: { label: 'Reason', hint: 'Say what went wrong. The history shows it.', required: true },
  },
  cancel: {
    word: 'Cancel',
    busy: 'Cancelling …',
    did: 'cancelled',
    icon: 'ban',
    danger: true,
    text: { label: 'Reason', hint: 'Optional. The history shows it.', required: false },
  },
};
