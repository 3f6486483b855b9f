import { fitsStage, leastLoadedOf, takesSessions } from '../custody/mayChangeHands.ts';
import type { Stage, Stay } from '../custody/pipeline.ts';
import type { LockedAgent } from '../custody/read.ts';

interface Choice {
  /** Agents that may not get the Session: the holder, and the source of a Handoff. */
  without?: readonly (string | null)[];
  /** The newest stay in the stage; null when the Session was not in it. */
  before?: Stay | null;
}

/**
 * The locked agent that gets a Session for a stage: the one that had it there last, else the least loaded one. Null when
 * none has a place: the caller queues the Session as `queueOf` says.
 */
export function chooseOrQueue(
  agents: readonly LockedAgent[],
  stage: Stage,
  { without = [], before = null }: Choice = {},
): LockedAgent | null {
  const fitting = agents.filter((agent) => fitsStage(agent, stage) && !without.includes(agent.id));
  const last = fitting.find(({ id }) => id === before?.agentId);
  return last != null && takesSessions(last) ? last : leastLoadedOf(fitting);
}

/** What a Session waits for when no agent of the stage has a place. */
export const queueOf = ({ agentType, role }: Stage): { agentType: string | null; role: string | null } => ({
  agentType,
  role,
});
