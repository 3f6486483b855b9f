import { may, type Viewer } from '../../access/may.ts';
import type { AgentSessionState, SessionStatus } from '../../gql/graphql.ts';

export const sessionActs = ['pause', 'resume', 'complete', 'fail', 'cancel'] as const;
export type SessionAct = (typeof sessionActs)[number];

interface Facts {
  status: SessionStatus;
  agent?: { id: string } | null | undefined;
  agentSession?: { state: AgentSessionState } | null | undefined;
  queueEntry?: { suspended: boolean } | null | undefined;
}

/** The acts that the viewer may take on a session in this state. The server checks again. */
export function offeredActs(viewer: Viewer, session: Facts): SessionAct[] {
  if (session.status !== 'RUNNING' && session.status !== 'PAUSED') return [];
  if (!may(viewer, 'steerSession', session.agent?.id)) return [];
  // An agent accepts first.
  if (viewer.role === 'AGENT' && session.agentSession?.state === 'PENDING') return [];
  const turn = turnOf(session);
  return [
    ...(turn === null ? [] : [turn]),
    'complete',
    'fail',
    ...(may(viewer, 'manageSessions') ? (['cancel'] as const) : []),
  ];
}

/** A queued session is paused, and keeps or gives up its place; an unassigned one that waits for nobody cannot run. */
function turnOf({ status, agent, queueEntry }: Facts): 'pause' | 'resume' | null {
  if (queueEntry) return queueEntry.suspended ? 'resume' : 'pause';
  if (status === 'RUNNING') return 'pause';
  return agent == null ? null : 'resume';
}
