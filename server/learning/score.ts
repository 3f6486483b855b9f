import { cjk, wordsIn } from '../search/words.ts';
import { wilson } from './wilson.ts';

/** Scores an agent as the next target of a Session. Pure: see *suggestions* in docs/rules.md. */

export type FactorName = 'PATH_SUCCESS' | 'SHARED_WORDS' | 'LOAD' | 'COST_TIER';

/** How much each factor weighs; those that say nothing are left out, and the others share their weight. */
const weights: Record<FactorName, number> = { PATH_SUCCESS: 0.4, SHARED_WORDS: 0.3, LOAD: 0.2, COST_TIER: 0.1 };

export interface Factor {
  name: FactorName;
  /** 0 to 1, 1 is best. */
  value: number;
  /** Of all factors together 1. */
  weight: number;
  explanation: string;
}

export interface Candidate {
  id: string;
  currentLoad: number;
  maxCapacity: number;
  /** Texts that say what the agent is for. */
  texts: readonly (string | null)[];
  /** The closed Handoffs of the path to it. */
  closed: number;
  completed: number;
  /** As in its metadata; undefined when the reader may not know it. */
  costTier: unknown;
}

export interface Occasion {
  /** The agent that hands off; null for an unassigned Session. */
  sourceAgentId: string | null;
  /** What the work is about; null when nothing says it. */
  words: { from: string; in: ReadonlySet<string> } | null;
}

export interface Scored {
  agentId: string;
  score: number;
  factors: Factor[];
}

/** Best first; equal scores in the order of ids. */
export const ranked = (candidates: readonly Candidate[], occasion: Occasion): Scored[] =>
  candidates
    .map((candidate) => scored(candidate, occasion))
    .sort((a, b) => b.score - a.score || (a.agentId < b.agentId ? -1 : 1));

function scored(candidate: Candidate, { sourceAgentId, words }: Occasion): Scored {
  const told = [
    sourceAgentId === null ? null : pathSuccess(candidate, sourceAgentId),
    words && sharedWords(candidate, words),
    load(candidate),
    costTier(candidate),
  ].filter((factor) => factor !== null);
  const total = told.reduce((sum, { name }) => sum + weights[name], 0);
  const factors = told.map((factor): Factor => ({
    ...factor,
    value: rounded(factor.value),
    weight: rounded(weights[factor.name] / total),
  }));
  return {
    agentId: candidate.id,
    score: rounded(factors.reduce((sum, { value, weight }) => sum + value * weight, 0)),
    factors,
  };
}

type Told = Omit<Factor, 'weight'>;

function pathSuccess({ id, closed, completed }: Candidate, source: string): Told {
  const explanation =
    closed === 0
      ? `No handoff from ${source} to ${id} is closed yet`
      : `${completed} of ${closed} closed handoffs from ${source} to ${id} completed`;
  return { name: 'PATH_SUCCESS', value: wilson(completed, closed), explanation };
}

const shownWords = 5;

function sharedWords({ texts }: Candidate, { from, in: wanted }: NonNullable<Occasion['words']>): Told {
  const own = wordsOf(texts);
  const shared = [...wanted].filter((word) => own.has(word)).sort();
  const more = shared.length > shownWords ? ` and ${shared.length - shownWords} more` : '';
  const explanation =
    shared.length === 0
      ? `Its description shares no word with ${from}`
      : `Its description shares with ${from}: ${shared.slice(0, shownWords).join(', ')}${more}`;
  // Each further word says less.
  return { name: 'SHARED_WORDS', value: shared.length / (shared.length + 2), explanation };
}

const load = ({ currentLoad, maxCapacity }: Candidate): Told => ({
  name: 'LOAD',
  value: 1 - currentLoad / maxCapacity,
  explanation: `${currentLoad} of ${maxCapacity} places taken`,
});

const tiers: Record<string, number> = { low: 1, medium: 0.5, high: 0, 1: 1, 2: 0.5, 3: 0 };

function costTier({ costTier: given }: Candidate): Told | null {
  if (given === undefined) return null;
  const name = typeof given === 'string' || typeof given === 'number' ? String(given).toLowerCase() : '';
  const value = Object.hasOwn(tiers, name) ? tiers[name]! : null;
  return {
    name: 'COST_TIER',
    value: value ?? 0.5,
    explanation: value === null ? 'No cost tier is known' : `Its cost tier is ${name}`,
  };
}

// Words that say nothing about the work.
const common = new Set(
  'about after all also and any are but can for from has have into its more not now only other our out over should some than that the their them then there these this use was what when where which will with work you your'.split(
    ' ',
  ),
);

/** The distinct words of texts that tell what they are about: of three characters and more, in singular, without those that all texts have. */
export function wordsOf(texts: readonly (string | null)[]): Set<string> {
  const words = texts.flatMap((text) => (text === null ? [] : wordsIn(text)));
  return new Set(
    words
      .filter((word) => (word.length >= 3 && !common.has(word)) || word.match(cjk) !== null)
      .map((word) => (/[^s]s$/.test(word) && word.length > 3 ? word.slice(0, -1) : word)),
  );
}

const rounded = (value: number): number => Math.round(value * 10_000) / 10_000;
