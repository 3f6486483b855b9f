import type { LeftOut } from './context.ts';
import type { Item } from './items.ts';
import { kindOf, readingOrder, type ItemKind } from './kinds.ts';
import { fenceFor, inline, neutralise } from './neutralise.ts';
import { abridge, ends, shorten } from './shorten.ts';

/** An item with its section and its text in a prompt. */
export interface Piece {
  item: Item;
  section: Section;
  full: string;
  /** The text in at most that many characters. */
  short(characters: number): string;
}

export interface Section {
  title: string;
  /** False for a single text. */
  list: boolean;
  /** Number of its items, including those that the Context does not carry. */
  total: number;
  /** Line before the list; null for none. */
  intro: string | null;
}

/** Facts of a handoff or a preview, for the words around the items. */
export interface Move {
  title: string;
  /** Null for an unassigned Session. */
  sourceAgentId: string | null;
  /** Null in a preview. */
  targetAgentId: string | null;
  /** Author of the last message; null when unknown. */
  lastSpeaker: string | null;
  /** Agents that took the Session over before the target, in order. */
  chain: readonly string[];
  leftOut: LeftOut | null;
}

const second: Record<string, string> = { 'request-2': 'Latest request', 'last-message-2': 'Last longer message' };
function notCarried(kind: ItemKind, leftOut: LeftOut | null): number {
  const name = kindOf(kind).leftOut;
  return name === undefined || leftOut === null ? 0 : leftOut[name];
}

/** Items as pieces of a prompt, in their order. `compact` names the common folder of files only once; without `named`, titles name no agents. */
export function piecesOf(
  items: readonly Item[],
  { lastSpeaker, leftOut }: Pick<Move, 'lastSpeaker' | 'leftOut'>,
  compact: boolean,
  named = true,
): Piece[] {
  const sections = new Map<string, Section>();
  const folder = compact
    ? commonFolder(items.filter(({ kind }) => kind === 'FILE').map(({ content }) => inline(content)))
    : null;
  return items.map((item) => {
    const { kind } = item;
    const author = kind === 'LAST_MESSAGE' && lastSpeaker !== null && named ? ` of ${lastSpeaker}` : '';
    const title = titleOf(item, named) + author;
    const section = sections.get(title) ?? {
      title,
      list: kindOf(kind).text !== true,
      total: items.filter((other) => other.kind === kind).length + notCarried(kind, leftOut),
      intro: kind === 'FILE' && folder !== null ? `in ${folder}` : null,
    };
    sections.set(title, section);
    return { item, section, ...writing(item, folder) };
  });
}

function titleOf({ id, kind, recordedBy }: Item, named: boolean): string {
  const title = second[id] ?? kindOf(kind).title;
  if (recordedBy === undefined) return title;
  // The smallest budgets have no room for the full title.
  return named ? `${title} (recorded by agent ${recordedBy})` : `${title.split(' ')[0]!} by an agent`;
}

function writing(item: Item, folder: string | null): Pick<Piece, 'full' | 'short'> {
  if (item.kind === 'FILE') {
    const path = inline(item.content);
    const full = `- ${folder !== null && path.startsWith(folder) ? path.slice(folder.length) : path}`;
    return { full, short: (characters) => shorten(full, characters) };
  }
  if (item.call !== undefined) {
    const [made, gist, outcome, line] = [
      inline(item.call.made),
      inline(item.call.gist),
      indented(item.call.outcome),
      inline(item.call.outcome),
    ];
    const full = `- ${made} -> ${outcome}`;
    return {
      full,
      short: (characters) => {
        if (full.length <= characters) return full;
        const call = shorten(`- ${gist}`, Math.max(Math.ceil(characters * 0.4), characters - 4 - line.length));
        return `${call} -> ${ends(line, Math.max(characters - call.length - 4, 1))}`;
      },
    };
  }
  if (item.brief !== undefined) {
    const [full, brief] = [`- ${inline(item.content)}`, `- ${inline(item.brief)}`];
    const short = (characters: number): string =>
      characters < brief.length + 20 ? shorten(brief, characters) : shorten(full, characters);
    return { full, short: (characters) => (characters < full.length ? short(characters) : full) };
  }
  if (item.kind === 'COMPACTION') {
    const full = neutralise(item.content);
    const gist = gistOfSummary(full);
    return { full, short: (characters) => (characters < full.length ? abridge(gist, characters) : full) };
  }
  const full = kindOf(item.kind).text === true ? neutralise(item.content) : `- ${indented(item.content)}`;
  return { full, short: (characters) => abridge(full, characters) };
}

/** Claude Code writes an analysis before its summary and instructions after it. */
const gistOfSummary = (text: string): string =>
  /^Summary:\n[^]*/m.exec(text)?.[0].replace(/\n+If you need specific details from before compaction[^]*$/, '') ?? text;

/** Indents every line but the first, so that no content looks like the next item. */
const indented = (text: string): string => neutralise(text).replaceAll('\n', '\n  ');

/** The folder whose removal from the paths saves most characters; null when it saves fewer than 20. */
export function commonFolder(paths: readonly string[]): string | null {
  const saves = new Map<string, number>();
  for (const path of paths) {
    for (let end = path.indexOf('/', 1); end !== -1; end = path.indexOf('/', end + 1)) {
      const folder = path.slice(0, end + 1);
      saves.set(folder, (saves.get(folder) ?? -folder.length - 5) + folder.length);
    }
  }
  const [best] = [...saves].sort(([a, savesA], [b, savesB]) => savesB - savesA || (a < b ? -1 : 1));
  return best !== undefined && best[1] >= 20 ? best[0] : null;
}

/** Heading of a section, and the fence that opens its recorded text. */
export function opening({ title, list, total, intro }: Section, shown: number, fence: string): string {
  const counted = list ? (shown < total ? ` (${shown} of ${total})` : ` (${total})`) : '';
  return `\n\n## ${title}${counted}\n${fence}${intro === null ? '' : `\n${intro}`}`;
}

export function layOut(pieces: readonly { piece: Piece; form: string }[], fence: string): string {
  const sections = new Map<Section, { piece: Piece; form: string }[]>();
  for (const chosen of pieces)
    sections.set(chosen.piece.section, [...(sections.get(chosen.piece.section) ?? []), chosen]);
  return [...sections]
    .sort(([, [a]], [, [b]]) => placeOf(a!.piece.item) - placeOf(b!.piece.item))
    .map(
      ([section, chosen]) =>
        `${opening(section, chosen.length, fence)}\n${chosen
          .sort(inList)
          .map(({ form }) => form)
          .join('\n')}\n${fence}`,
    )
    .join('');
}

/** A longer message precedes the last one; the latest request follows the summary of earlier work. */
const placeOf = ({ id, kind }: Item): number =>
  id === 'request-2'
    ? readingOrder.indexOf('COMPACTION') + 0.5
    : readingOrder.indexOf(kind) - (id === 'last-message-2' ? 0.5 : 0);
const numberOf = ({ piece }: { piece: Piece }): number => Number(piece.item.id.split('-').at(-1));
const inList = (a: { piece: Piece }, b: { piece: Piece }): number => numberOf(a) - numberOf(b);

export const fenceOf = (pieces: readonly Piece[], title: string): string =>
  fenceFor([...pieces.map(({ full }) => full), title]);
