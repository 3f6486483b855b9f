import type { Role } from '../gql/graphql.ts';

/** Who looks at the dashboard. */
export interface Viewer {
  role: Role | null;
  /** The agent that the key is bound to; null for people. */
  agentId: string | null;
  /** What the key is called; null without one. */
  keyName: string | null;
}

export type Act = 'reassign' | 'manageAgents' | 'decideHandoff';

/** Acts that an agent may do on what is its own: a handoff to it. */
const agentsOwn: Act[] = ['decideHandoff'];

/**
 * Whether the dashboard offers an act. The server decides; this keeps away buttons that it would refuse.
 * `ownerId` is the agent whose act it would be.
 */
export function may({ role, agentId }: Viewer, act: Act, ownerId?: string | null): boolean {
  if (role === 'ADMIN' || role === 'OPERATOR') return true;
  return role === 'AGENT' && agentId !== null && agentsOwn.includes(act) && agentId === ownerId;
}
