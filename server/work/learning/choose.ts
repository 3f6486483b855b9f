import { rounded, type Scored } from './score.ts';

/** Why a Session was given to its first Agent. Pure: see *suggestions* in docs/rules.md. */
export interface Choice {
  agentId: string;
  /** By how much the score of the Agent was above that of the next one: 0 to 1. */
  confidence: number;
  explanation: string;
}

/** Chooses the first that has a place; null when none has. `ranked`: best first. */
export function choiceOf(ranked: readonly Scored[], hasPlace: (agentId: string) => boolean): Choice | null {
  const [best, next] = ranked.filter(({ agentId }) => hasPlace(agentId));
  if (best === undefined) return null;
  const reasons = best.factors.map(({ explanation }) => explanation).join('; ');
  const after = next === undefined ? 'no other agent has a free place' : `next is '${next.agentId}' with ${next.score}`;
  return {
    agentId: best.agentId,
    confidence: rounded(best.score - (next?.score ?? 0)),
    explanation: `Score ${best.score}, ${after}. ${reasons}`,
  };
}
