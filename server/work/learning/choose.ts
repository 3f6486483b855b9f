import { rounded, type Scored } from './score.ts';

/** Chooses the Agent that begins with a request. Pure (rule: choose). */

/** Why a Session was given to its first Agent. */
export interface Choice {
  agentId: string;
  /** By how much the score of the Agent was above that of the next one: 0 to 1. */
  confidence: number;
  explanation: string;
}

export interface Beginner {
  agentId: string;
  score: number;
  reasons: string;
}

/**
 * Best first: by all factors but the earlier handoffs, which say who goes on well and not who begins; of equals the one to
 * which the fewest of the others hand off. `sources`: their number, by agent.
 */
export const beginners = (suggested: readonly Scored[], sources: ReadonlyMap<string, number>): Beginner[] =>
  suggested
    .map(({ agentId, factors }) => {
      const counted = factors.filter(({ name }) => name !== 'PATH_SUCCESS');
      return {
        agentId,
        score: rounded(counted.reduce((sum, { value, weight }) => sum + value * weight, 0)),
        // Agents read it too: what the metadata of others says is not theirs.
        reasons: counted
          .filter(({ name }) => name !== 'COST_TIER')
          .map(({ explanation }) => explanation)
          .join('; '),
      };
    })
    .sort(
      (a, b) =>
        b.score - a.score ||
        (sources.get(a.agentId) ?? 0) - (sources.get(b.agentId) ?? 0) ||
        (a.agentId < b.agentId ? -1 : 1),
    );

/** Chooses the first that has a place; null when none has. `ranking`: best first. */
export function choiceOf(ranking: readonly Beginner[], hasPlace: (agentId: string) => boolean): Choice | null {
  const [best, next] = ranking.filter(({ agentId }) => hasPlace(agentId));
  if (best === undefined) return null;
  const after = next === undefined ? 'no other agent has a free place' : `next is '${next.agentId}' with ${next.score}`;
  return {
    agentId: best.agentId,
    confidence: rounded(best.score - (next?.score ?? 0)),
    explanation: `Score ${best.score}, ${after}. ${best.reasons}`,
  };
}
