import type { Custody } from '../custody/custody.ts';
import { refusalToMove, wayTo } from '../custody/mayChangeHands.ts';
import { record } from '../events/record.ts';
import { holdersCandidates } from './candidates.ts';

/** New reports about the window of an agent (rule: context pressure). */
export interface WindowReports {
  /** Tokens in the window, the oldest report first; 0 for a compaction. */
  tokens: readonly number[];
  /** Tokens that fit into the window, as the program says; the agent's own `contextWindow` goes first. */
  contextWindow: number | null;
  /** Whether the program is about to compact the window. */
  isFull: boolean;
}

interface Pressure extends WindowReports {
  /** Whether the proposal of an earlier crossing stands. */
  proposed: boolean;
  /** The limit in percent of the window; 0 proposes nothing. */
  percent: number;
}

/** What the reports do: PROPOSE at a crossing that still stands after them, RELIEVE when the usage fell to the limit or below it. */
export function pressureAfter({
  proposed,
  tokens,
  contextWindow,
  isFull,
  percent,
}: Pressure): 'PROPOSE' | 'RELIEVE' | null {
  if (percent === 0) return null;
  let [stands, isNew] = [proposed, false];
  const cross = (): void => {
    if (!stands) [stands, isNew] = [true, true];
  };
  for (const used of tokens) {
    if (contextWindow !== null && used * 100 > contextWindow * percent) cross();
    // Of a window of unknown size only the compaction says something.
    else if (contextWindow !== null || used === 0) stands = false;
  }
  if (isFull) cross();
  if (stands) return isNew ? 'PROPOSE' : null;
  return proposed ? 'RELIEVE' : null;
}

/**
 * Records a HANDOFF_PROPOSED in the holder's inbox when the usage of its window crosses the limit. It moves nothing and stores no
 * Context. The Session's lock makes it one for each crossing and tenure. Usage of another tenure than the ACTIVE one is ignored.
 */
export async function followWindow(
  custody: Custody,
  agentSessionId: string | null,
  reports: WindowReports,
  percent: number,
): Promise<void> {
  const { work, session, openTenure: tenure } = custody;
  if (tenure === null || tenure.id !== agentSessionId || tenure.state !== 'ACTIVE') return;
  const contextWindow = custody.contextWindow ?? reports.contextWindow;
  const act = pressureAfter({ ...reports, contextWindow, proposed: tenure.proposalEventId !== null, percent });
  if (act === null) return;
  if (act === 'RELIEVE') return work.change('agent_sessions', tenure, { proposalEventId: null });
  const holder = (await custody.lockHolder())!;
  const windowTokens = reports.tokens.findLast((used) => used > 0) ?? null;
  const proposalEventId = record(work, {
    type: 'HANDOFF_PROPOSED',
    session,
    holderId: holder.id,
    metadata: { windowTokens, contextWindow, compaction: reports.isFull, targets: await targetsOf(custody) },
    parts: { holder },
  });
  work.change('agent_sessions', tenure, { proposalEventId });
}

const mostTargets = 5;

interface ProposedTarget {
  agentId: string;
  freePlaces: number;
  /** As which outcome of the stage a handoff to it counts; null outside of pipelines. */
  outcome: string | null;
}

/** The agents to which the holder may hand off now, those with the lowest load ratio first. */
async function targetsOf(custody: Custody): Promise<ProposedTarget[]> {
  const { agents, move } = await holdersCandidates(custody);
  const { path } = move.started;
  return agents
    .filter((target) => refusalToMove({ ...move, target }) === null)
    .slice(0, mostTargets)
    .map((target) => {
      const way = path && wayTo(path, target);
      return {
        agentId: target.id,
        freePlaces: target.maxCapacity - target.currentLoad,
        outcome: way === null || way instanceof Error ? null : way.outcome,
      };
    });
}
