import { estimateTokensOf } from '../core/tokens.ts';
import { shorten } from './build.ts';
import type { Context } from './context.ts';

export type ItemKind = 'INSTRUCTIONS' | 'SUMMARY' | 'TASK' | 'DECISION' | 'FILE' | 'TOOL' | 'MESSAGE' | 'VARIABLE';

/** One piece of a Context that a prompt keeps or drops. Its id is stable for a Handoff. */
export interface Item {
  id: string;
  kind: ItemKind;
  content: string;
}

const headings: Record<ItemKind, string> = {
  INSTRUCTIONS: 'Instructions',
  SUMMARY: 'Summary',
  TASK: 'Tasks left',
  DECISION: 'Decisions',
  FILE: 'Files changed',
  TOOL: 'Tools used',
  MESSAGE: 'Recent messages',
  VARIABLE: 'Context variables',
};

/** Every item of a Context, what matters most first. */
export function itemsOf(context: Context): Item[] {
  const numbered = (kind: ItemKind, contents: string[]): Item[] =>
    contents.map((content, index) => ({ id: `${kind.toLowerCase()}-${index + 1}`, kind, content }));
  return [
    ...numbered('INSTRUCTIONS', context.instructions === null ? [] : [context.instructions]),
    ...numbered('SUMMARY', [context.summary]),
    ...numbered('TASK', context.pendingTasks),
    ...numbered('DECISION', context.decisions),
    ...numbered('VARIABLE', context.contextVariables.map(({ name, value, setBy }) => `${name} = ${JSON.stringify(value)} (set by ${setBy})`)),
    ...numbered('FILE', context.filesModified),
    ...numbered(
      'TOOL',
      context.toolSummaries.map(({ toolName, callCount, errorCount, lastResult }) => {
        const failed = errorCount === 0 ? '' : `, ${errorCount} failed`;
        return `${toolName}: ${callCount} ${callCount === 1 ? 'call' : 'calls'}${failed}${lastResult === null ? '' : `; last: ${lastResult}`}`;
      }),
    ),
    ...numbered('MESSAGE', context.recentMessages.map(({ role, content }) => `${role.toLowerCase()}: ${content}`)),
  ];
}

const isParagraph = (kind: ItemKind): boolean => kind === 'SUMMARY' || kind === 'INSTRUCTIONS';

const lineOf = ({ kind, content }: Item): string => (isParagraph(kind) ? content : `- ${content.replaceAll('\n', '\n  ')}`);

function layOut(items: readonly Item[]): string {
  const kinds = [...new Set(items.map((item) => item.kind))];
  return kinds
    .map((kind) => `## ${headings[kind]}\n\n${items.filter((item) => item.kind === kind).map(lineOf).join('\n')}`)
    .join('\n\n');
}

export interface Budget {
  /** At most so many estimated tokens; null for no such bound. */
  maxTokens: number | null;
  /** At most so many characters (UTF-16 units); null for no such bound. */
  maxCharacters: number | null;
}

export interface Prompt {
  text: string;
  tokenEstimate: number;
  kept: Item[];
  dropped: (Item & { reason: 'BUDGET' })[];
}

/** The smallest budget that a prompt can be asked for: 200 estimated tokens, or as many characters as those are. */
export const smallestBudget = { maxTokens: 200, maxCharacters: 800 };

/**
 * A Context as text for the next agent, cut plainly: items go in, most important first, until one does not fit;
 * what is left out is listed in `dropped`, and the text says how many. A cut is never silent.
 */
export function renderPrompt(context: Context, budget: Budget): Prompt {
  const items = itemsOf(context);
  const fits = (text: string): boolean =>
    (budget.maxCharacters === null || text.length <= budget.maxCharacters) &&
    (budget.maxTokens === null || estimateTokensOf(text) <= budget.maxTokens);
  const withNote = (kept: readonly Item[]): string => {
    const dropped = items.length - kept.length;
    const note = dropped === 0 ? '' : `\n\n(Cut to the budget: ${dropped} of ${items.length} items are left out.)`;
    return `${layOut(kept)}${note}`;
  };
  // The longest run of items that fits: by halves, since a text only grows with its items (the note aside).
  const whole = layOut(items);
  if (fits(whole)) return { text: whole, tokenEstimate: estimateTokensOf(whole), kept: items, dropped: [] };
  let low = 0;
  let high = items.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(withNote(items.slice(0, middle)))) low = middle;
    else high = middle - 1;
  }
  let kept = items.slice(0, low);
  const next = items[low];
  if (next !== undefined) {
    const shortened = shortenToFit(next, (item) => fits(withNote([...kept, item])));
    if (shortened !== null) kept = [...kept, shortened];
  }
  const keptIds = new Set(kept.map((item) => item.id));
  const text = withNote(kept);
  return {
    text,
    tokenEstimate: estimateTokensOf(text),
    kept,
    dropped: items.filter((item) => !keptIds.has(item.id)).map((item) => ({ ...item, reason: 'BUDGET' })),
  };
}

function shortenToFit(item: Item, fits: (item: Item) => boolean): Item | null {
  let low = 40;
  let high = item.content.length - 1;
  let best: Item | null = null;
  while (low <= high) {
    const middle = Math.floor((low + high) / 2);
    const candidate = { ...item, content: shorten(item.content, middle) };
    if (fits(candidate)) {
      best = candidate;
      low = middle + 1;
    } else high = middle - 1;
  }
  return best;
}

export interface HandoffFacts {
  /** Public id. */
  id: string;
  title: string;
  status: string;
  depth: number;
  reason: string | null;
  /** Null when nobody held the Session. */
  sourceAgentId: string | null;
  targetAgentId: string;
  initiatedAt: Date;
  acceptedAt: Date | null;
  closedAt: Date | null;
  deadlineAt: Date;
  /** Rejection, failure or cancellation reason, whichever there is. */
  closedBecause: string | null;
  actor: string;
}

/** A Handoff as Markdown for a person. */
export function renderMarkdown(facts: HandoffFacts, context: Context): string {
  const rows = [
    ['Handoff', `\`${facts.id}\` (number ${facts.depth} of its session)`],
    ['From', facts.sourceAgentId ?? 'nobody'],
    ['To', facts.targetAgentId],
    ['Status', facts.closedBecause === null ? facts.status : `${facts.status}: ${facts.closedBecause}`],
    ['Reason', facts.reason ?? 'none given'],
    ['Started', `${facts.initiatedAt.toISOString()} by ${facts.actor}`],
    ...(facts.acceptedAt === null ? [] : [['Accepted', facts.acceptedAt.toISOString()]]),
    ...(facts.closedAt === null
      ? facts.acceptedAt === null
        ? [['Deadline', facts.deadlineAt.toISOString()]]
        : []
      : [['Closed', facts.closedAt.toISOString()]]),
  ];
  const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ');
  const table = ['| | |', '|---|---|', ...rows.map(([name, value]) => `| ${name!} | ${cell(value!)} |`)].join('\n');
  return `# ${facts.title.replaceAll('\n', ' ')}\n\n${table}\n\n${layOut(itemsOf(context))}\n`;
}
