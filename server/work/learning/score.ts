import { cjk, wordsIn } from '../search/words.ts';
import type { Outcomes } from './rules.ts';

/** Scores an agent as the next target of a Session. Pure: see *suggestions* in docs/rules.md. */

export type FactorName = 'PATH_SUCCESS' | 'SHARED_WORDS' | 'LOAD' | 'COST_TIER';

/** How much each factor weighs; those that say nothing are left out, and the others share their weight. */
const weights: Record<FactorName, number> = { PATH_SUCCESS: 0.4, SHARED_WORDS: 0.3, LOAD: 0.2, COST_TIER: 0.1 };

/** Number of closed handoffs, none of them completed, from which only the path counts, with value 0. */
const enoughFailed = 3;
const failingWeight = 10;
/** Of an agent that was not tried. */
const untried = 0.5;

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
  /** Of the Handoffs on the path to it. */
  outcomes: Outcomes;
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
  candidates.map((candidate) => scored(candidate, occasion)).sort(bestFirst);

export const bestFirst = (a: Scored, b: Scored): number => b.score - a.score || (a.agentId < b.agentId ? -1 : 1);

function scored(candidate: Candidate, { sourceAgentId, words }: Occasion): Scored {
  const told = [
    pathSuccess(candidate, sourceAgentId),
    words && sharedWords(candidate, words),
    load(candidate),
    costTier(candidate),
  ].filter((factor) => factor !== null);
  const weightOf = (name: FactorName): number =>
    name === 'PATH_SUCCESS' && isFailing(candidate.outcomes) ? failingWeight : weights[name];
  const total = told.reduce((sum, { name }) => sum + weightOf(name), 0);
  const factors = told.map((factor): Factor => ({
    ...factor,
    value: rounded(factor.value),
    weight: rounded(weightOf(factor.name) / total),
  }));
  return {
    agentId: candidate.id,
    score: rounded(factors.reduce((sum, { value, weight }) => sum + value * weight, 0)),
    factors,
  };
}

type Told = Omit<Factor, 'weight'>;

const failures = { REJECTED: 'rejected', TIMED_OUT: 'timed out', FAILED: 'failed' } as const;

/** The Handoffs that the target could have completed: a cancelled one says nothing about it. */
function triedOf(outcomes: Outcomes): { completed: number; tried: number; failed: string[] } {
  const kinds = Object.entries(failures).map(([status, word]) => ({ word, count: outcomes[status as 'FAILED'] ?? 0 }));
  const completed = outcomes.COMPLETED ?? 0;
  return {
    completed,
    tried: kinds.reduce((sum, { count }) => sum + count, completed),
    failed: kinds.filter(({ count }) => count > 0).map(({ word, count }) => `${count} ${word}`),
  };
}

const isFailing = (outcomes: Outcomes): boolean => {
  const { completed, tried } = triedOf(outcomes);
  return completed === 0 && tried >= enoughFailed;
};

function pathSuccess({ id, outcomes }: Candidate, source: string | null): Told {
  const { completed, tried, failed } = triedOf(outcomes);
  const path = `${source === null ? 'any agent' : source} to ${id}`;
  const name = 'PATH_SUCCESS';
  if (tried === 0) return { name, value: untried, explanation: `No handoff from ${path} has an outcome yet` };
  const explanation = [`${completed} of ${tried} handoffs from ${path} completed`, ...failed].join(', ');
  if (isFailing(outcomes)) return { name, value: 0, explanation: `${explanation}: it ranks behind agents not tried` };
  return { name, value: (completed + 1) / (tried + 2), explanation };
}

const shownWords = 5;

function sharedWords({ texts }: Candidate, { from, in: wanted }: NonNullable<Occasion['words']>): Told {
  const own = wordsOf(texts);
  // Of both sets this is the one with a limit: tasks may have 100,000 words.
  const shared = [...own].filter((word) => wanted.has(word)).sort();
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
  value: Math.max(0, 1 - currentLoad / maxCapacity),
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

export const rounded = (value: number): number => Math.round(value * 10_000) / 10_000;
