import type { Role } from '../gql/graphql.ts';

export interface Viewer {
  role: Role | null;
  /** The agent that the key is bound to; null for people. */
  agentId: string | null;
  /** The key's name; null without one. */
  keyName: string | null;
}

export type Act =
  | 'reassign'
  | 'manageAgents'
  /** Cancelling sessions, and acting on many at once. */
  | 'manageSessions'
  /** By an agent only what it holds itself. */
  | 'createSession'
  /** Pausing, resuming, completing and failing a session: by its holder. */
  | 'steerSession'
  /** By the target. */
  | 'decideHandoff'
  /** By the source. */
  | 'cancelHandoff'
  /** By admins. */
  | 'manageWebhooks';

/** What an agent may do with what is its own. */
const agentsOwn: Act[] = ['decideHandoff', 'cancelHandoff', 'steerSession', 'createSession'];

/**
 * Whether the dashboard shows an action; `ownerId` is the agent it belongs to. The server checks again: this only hides
 * buttons that it would reject.
 */
export function may({ role, agentId }: Viewer, act: Act, ownerId?: string | null): boolean {
  if (act === 'manageWebhooks') return role === 'ADMIN';
  if (role === 'ADMIN' || role === 'OPERATOR') return true;
  return role === 'AGENT' && agentId !== null && agentsOwn.includes(act) && agentId === ownerId;
}
