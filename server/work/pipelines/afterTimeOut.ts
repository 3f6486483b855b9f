import { fitsStage, leastLoadedOf } from '../custody/mayChangeHands.ts';
import type { Stage } from '../custody/pipeline.ts';
import type { LockedAgent } from '../custody/read.ts';
import type { Wanted } from '../queue/entry.ts';
import { queueOf } from './chooseOrQueue.ts';

/** Where a Session goes after a time-out. */
export interface AfterTimeOut {
  /** Null: the Session waits in the queue. */
  target: LockedAgent | null;
  wants: Wanted;
  escalated: boolean;
  /** An operator has to choose the agent. */
  forOperators: boolean;
}

/** Why a stage escalates, and what happens then, for people. */
export function reasonOfEscalation({ name }: Stage, { target, wants, forOperators }: AfterTimeOut): string {
  const then = forOperators
    ? 'an operator has to choose an agent (reassignSession)'
    : target === null
      ? `it waits for an agent with the role '${wants.role}'`
      : `'${target.id}' gets the session`;
  return `No agent of stage '${name}' accepted in time: ${then}`;
}

/**
 * Chooses among the agents that did not have the Session in this stay (rules: next agent, escalation). The Session does not
 * wait for an agent that is not AVAILABLE. Null: back to the source.
 */
export function afterTimeOut(
  agents: readonly LockedAgent[],
  stage: Stage,
  tried: readonly (string | null)[],
): AfterTimeOut | null {
  const untried = agents.filter(
    ({ id, administrativeStatus, archivedAt }) =>
      administrativeStatus === 'AVAILABLE' && archivedAt === null && !tried.includes(id),
  );
  const inStage = untried.filter((agent) => fitsStage(agent, stage));
  if (inStage.length > 0)
    return { target: leastLoadedOf(inStage), wants: queueOf(stage), escalated: false, forOperators: false };
  if (stage.escalateTo === null) return null;
  const { agentId, role, operators } = stage.escalateTo;
  if (operators) return { target: null, wants: queueOf(stage), escalated: true, forOperators: true };
  const above = untried.filter((agent) => agent.id === agentId || (role !== null && agent.role === role));
  const target = leastLoadedOf(above);
  // No Session waits for one named agent: the queue knows types and roles.
  if (target === null && (role === null || above.length === 0)) return null;
  return { target, wants: { agentType: null, role }, escalated: true, forOperators: false };
}
