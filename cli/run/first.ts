import type { Api } from '../../client/api/request.ts';
import { StartError } from '../../server/core/startError.ts';

/** Chooses the agent that begins with a request, of those that somebody works for. */

export interface Choice {
  agentId: string;
  /** The margin of its score over that of the second, 0 to 1. */
  confidence: number;
  explanation: string;
}

export interface Suggestion {
  agent: { id: string; collaborators: { id: string }[] };
  factors: { name: string; value: number; weight: number; explanation: string }[];
}

const suggestionsQuery = `query AskSuggestions($text: String!) { suggestTargets(first: 50, text: $text) {
  agent { id collaborators { id } } factors { name value weight explanation } } }`;

/** @throws StartError when there is none */
export async function chooseFirst(ask: Api, text: string, servedIds: readonly string[]): Promise<Choice> {
  if (servedIds.length === 0)
    throw new StartError(
      'No agent has a model that is known here: give a definition one, such as anthropic/claude-sonnet-4-5, and import it with --agents',
    );
  const { suggestTargets } = await ask<{ suggestTargets: Suggestion[] | null }>(suggestionsQuery, { text });
  const choice = firstOf((suggestTargets ?? []).filter(({ agent }) => servedIds.includes(agent.id)));
  if (choice !== null) return choice;
  throw new StartError(
    `None of ${servedIds.join(', ')} is AVAILABLE with a free place: finish a session of one, or name another with --agent`,
  );
}

/**
 * The best by all factors but earlier handoffs, which say who goes on well and not who begins; of equals the one to which the fewest of them
 * hand off. Null: there is none.
 */
export function firstOf(suggestions: readonly Suggestion[]): Choice | null {
  const ranked = suggestions
    .map(({ agent: { id }, factors }) => {
      const counted = factors.filter(({ name }) => name !== 'PATH_SUCCESS');
      return {
        id,
        score: counted.reduce((sum, { value, weight }) => sum + value * weight, 0),
        sources: suggestions.filter(({ agent }) => agent.collaborators.some((other) => other.id === id)).length,
        reasons: counted.map(({ explanation }) => explanation).join('; '),
      };
    })
    .sort((a, b) => b.score - a.score || a.sources - b.sources || a.id.localeCompare(b.id));
  const [best, second] = ranked;
  if (best === undefined) return null;
  return {
    agentId: best.id,
    confidence: Math.round((best.score - (second?.score ?? 0)) * 100) / 100,
    explanation: best.reasons,
  };
}
