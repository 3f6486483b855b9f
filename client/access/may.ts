import type { Role } from '../gql/graphql.ts';

export interface Viewer {
  role: Role | null;
  /** The agent that the key is bound to; null for people. */
  agentId: string | null;
  /** The key's name; null without one. */
  keyName: string | null;
}

export type Act = 'reassign' | 'manageAgents' | 'decideHandoff' | 'manageWebhooks';

/** What an agent may do with a handoff to it. */
const agentsOwn: Act[] = ['decideHandoff'];

/**
 * Whether the dashboard shows an action; `ownerId` is the agent it belongs to. The server checks again: this only hides
 * buttons that it would reject.
 */
export function may({ role, agentId }: Viewer, act: Act, ownerId?: string | null): boolean {
  if (act === 'manageWebhooks') return role === 'ADMIN';
  if (role === 'ADMIN' || role === 'OPERATOR') return true;
  return role === 'AGENT' && agentId !== null && agentsOwn.includes(act) && agentId === ownerId;
}
