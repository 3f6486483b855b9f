import { estimateTokensOf } from '../../core/tokens.ts';
import type { Item } from './item.ts';
import { fitsIn, Packing, sizeOf, type Chosen, type Size } from './packing.ts';
import { fenceOf, layOut, piecesOf, type Move } from './sections.ts';
import { heading, leftOutNote, logNote, shortNote, titleOf, type Wording } from './words.ts';

export interface Budget {
  /** The limit in estimated tokens; null for none. */
  maxTokens: number | null;
  /** The limit in characters (UTF-16 units); null for none. */
  maxCharacters: number | null;
}

/** The smallest budget that callers may set: 200 estimated tokens, or the same in characters. */
export const smallestBudget = { maxTokens: 200, maxCharacters: 800 };

export interface Prompt {
  text: string;
  tokenEstimate: number;
  /** Most important first. */
  kept: (Item & { shortened: boolean })[];
  dropped: (Item & { reason: 'BUDGET' })[];
}

/** From this share of the room on, a prompt without earlier steps has no room for some of them. */
const fullShare = 0.9;

/** From this size on, full sentences surround the items. */
const fullFrom = 1_500;

/**
 * Returns the items as a text for the next agent, within a budget. Adds the most important first, shortened where
 * necessary; when an item of one stage does not fit, no item of a later stage is added. The text counts what is left
 * out or shortened. Deterministic.
 */
export function pack(items: readonly Item[], move: Move, budget: Budget): Prompt {
  const room: Size = { characters: budget.maxCharacters ?? Infinity, bytes: (budget.maxTokens ?? Infinity) * 4 };
  const fence = fenceOf(piecesOf(items, move), titleOf(move));
  const wordings: Wording[] =
    Math.min(room.characters, room.bytes) >= fullFrom ? ['full', 'brief', 'bare'] : ['brief', 'bare'];
  const whole = wholeText(items, items, move, room, fence, wordings[0]!);
  if (whole !== null) return whole;
  // A note of what was left out would take room from what matters more; the note of the log counts calls too.
  const main = items.filter(({ id }) => !id.startsWith('step-'));
  const told = main.length < items.length ? wholeText(main, items, move, room, fence, wordings[0]!) : null;
  const isFull = told !== null && !fitsIn(sizeOf(told.text), sizesOf(room, fullShare));
  return isFull ? told : cutText(items, move, room, fence, wordings);
}

const sizesOf = ({ characters, bytes }: Size, share: number): Size => ({
  characters: characters * share,
  bytes: bytes * share,
});

/** The text of some of the items, each whole. */
function wholeText(
  some: readonly Item[],
  items: readonly Item[],
  move: Move,
  room: Size,
  fence: string,
  wording: Wording,
): Prompt | null {
  const everything = piecesOf(some, move).map((piece) => ({ piece, form: piece.full }));
  const note = leftOutNote([], some.filter(isShortened).length, hasItems(move));
  const text = `${heading(move, items, fence, wording)}${layOut(everything, fence)}${note}${logNote(move.leftOut)}`;
  return fitsIn(sizeOf(text), room) ? promptOf(text, items, everything) : null;
}

/** Uses shorter wordings until the essential items fit. */
function cutText(items: readonly Item[], move: Move, room: Size, fence: string, wordings: readonly Wording[]): Prompt {
  for (const wording of wordings) {
    const head = heading(move, items, fence, wording);
    const log = wording === 'full' ? logNote(move.leftOut) : '';
    const overhead = sizeOf(
      `${head}${wording === 'full' ? leftOutNote(items, items.length, hasItems(move)) : shortNote(items.length, items.length)}${log}`,
    );
    const pieces = piecesOf(items, move, wording === 'full');
    const packing = new Packing(pieces, fence, {
      characters: room.characters - overhead.characters,
      bytes: room.bytes - overhead.bytes,
    });
    packing.fill();
    if (!packing.hasEssentials) continue;
    const { chosen } = packing;
    const { kept, dropped } = promptOf('', items, chosen);
    const notes = [
      leftOutNote(dropped, kept.filter(({ shortened }) => shortened).length, hasItems(move)),
      shortNote(dropped.length, items.length),
    ];
    const text = notes
      .map((note) => `${head}${layOut(chosen, fence)}${note}${log}`)
      .find((form) => fitsIn(sizeOf(form), room));
    if (text !== undefined) return promptOf(text, items, chosen);
  }
  throw new Error(`no prompt of ${items.length} items fits ${room.characters} characters and ${room.bytes} bytes`);
}

/** False for a preview: it has no Handoff whose items `contextItem` could read. */
const hasItems = (move: Move): boolean => move.targetAgentId !== null;

/** Whether the Context already carries it shortened. */
const isShortened = (item: Item): boolean => item.origin !== undefined;

function promptOf(text: string, items: readonly Item[], chosen: readonly Chosen[]): Prompt {
  const forms = new Map(chosen.map(({ piece, form }) => [piece.item, form !== piece.full || isShortened(piece.item)]));
  return {
    text,
    tokenEstimate: estimateTokensOf(text),
    kept: items.filter((item) => forms.has(item)).map((item) => ({ ...item, shortened: forms.get(item)! })),
    dropped: items.filter((item) => !forms.has(item)).map((item) => ({ ...item, reason: 'BUDGET' })),
  };
}
