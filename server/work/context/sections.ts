import type { LeftOut } from './context.ts';
import type { Item } from './item.ts';
import { kindOf, readingOrder, type ItemKind } from './kinds.ts';
import { fenceFor, inline, neutralise } from './neutralise.ts';
import { abridge, abridgeAtWord, ends, shorten, shortenAtWord } from './shorten.ts';

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

const second: Record<string, string> = {
  'request-2': 'Latest request',
  'last-message-2': 'Last longer message',
  'reason-2': 'Reasons of earlier handoffs',
  'reason-3': 'Edited by an operator',
  'reason-4': 'What the operator replaced',
};
/** Said in the heading. */
const orders = {
  BEFORE: ', from before what people said last',
  UNANSWERED: ': the agent said nothing since',
  AFTER: ' after the latest request',
  OLDER: ', from before the last message',
};
function notCarried(kind: ItemKind, leftOut: LeftOut | null): number {
  const name = kindOf(kind).leftOut;
  return name === undefined || leftOut === null ? 0 : leftOut[name];
}

/** Items as pieces of a prompt, in their order, with files by folder. Without `named`, titles name no agents. */
export function piecesOf(
  items: readonly Item[],
  { lastSpeaker, leftOut }: Pick<Move, 'lastSpeaker' | 'leftOut'>,
  named = true,
): Piece[] {
  const sections = new Map<string, Section>();
  const isLater = items.some(({ id }) => id === 'request-2');
  const files = fileLines(items.filter(({ kind }) => kind === 'FILE'));
  return byFolder(items).map((item) => {
    const { kind } = item;
    const author = kind === 'LAST_MESSAGE' && lastSpeaker !== null && named ? ` of ${lastSpeaker}` : '';
    const title =
      titleOf(item, named, isLater) + author + (item.order === undefined || !named ? '' : orders[item.order]);
    const section = sections.get(title) ?? {
      title,
      list: kindOf(kind).text !== true,
      total:
        items.filter((other) => other.kind === kind && groupOf(other) === groupOf(item) && other.order === item.order)
          .length + (groupOf(item) === undefined ? notCarried(kind, leftOut) : 0),
    };
    sections.set(title, section);
    const line = files.get(item);
    return line === undefined
      ? { item, section, ...writing(item) }
      : { item, section, full: line, short: (characters) => shorten(line, characters) };
  });
}

const isNote = ({ stage }: Item): boolean => stage === 'notes';
const isOfPeople = ({ stage }: Item): boolean => stage === 'people';
/** By the first word of their ids. */
const groups: Record<string, string> = {
  open: 'Open in files that the agent wrote',
  report: 'Reports of sub-agents',
  look: 'Last steps',
  step: 'Earlier steps',
  solved: 'Failed, and what worked instead',
};
/** The title of items that stand apart from others of their kind. */
const groupOf = (item: Item): string | undefined =>
  isOfPeople(item)
    ? 'Messages of people'
    : isNote(item)
      ? 'Found on the way, from before the last message'
      : groups[item.id.split('-', 1)[0]!];

/** Files of one folder stand in one line; the folders are in the order of their first files. */
function byFolder(items: readonly Item[]): Item[] {
  const folders = new Map<string, Item[]>();
  for (const item of items)
    if (item.kind === 'FILE') folders.set(folderOf(item), [...(folders.get(folderOf(item)) ?? []), item]);
  const files = [...folders.values()].flat();
  const first = items.findIndex(({ kind }) => kind === 'FILE');
  return [
    ...items.slice(0, Math.max(first, 0)),
    ...files,
    ...items.slice(Math.max(first, 0)).filter(({ kind }) => kind !== 'FILE'),
  ];
}

const folderOf = ({ content }: Item): string => inline(content).replace(/[^/]*$/, '');
const nameOf = (item: Item): string => inline(item.content).slice(folderOf(item).length);

/** The first file of a folder begins its line; the others follow it. */
function fileLines(files: readonly Item[]): Map<Item, string> {
  const counts = new Map<string, number>();
  for (const file of files) counts.set(folderOf(file), (counts.get(folderOf(file)) ?? 0) + 1);
  const begun = new Set<string>();
  return new Map(
    files.map((file) => {
      const folder = folderOf(file);
      if (begun.has(folder)) return [file, `, ${nameOf(file)}`];
      begun.add(folder);
      const count = counts.get(folder)!;
      return [
        file,
        count === 1 || folder === '' ? `- ${inline(file.content)}` : `- ${folder} (${count}): ${nameOf(file)}`,
      ];
    }),
  );
}

/** `isLater`: whether there is a later request. */
function titleOf(item: Item, named: boolean, isLater: boolean): string {
  const { id, kind, recordedBy } = item;
  const title = groupOf(item) ?? (id === 'request-1' && isLater ? 'First request' : (second[id] ?? kindOf(kind).title));
  if (recordedBy === undefined) return title;
  // The smallest budgets have no room for the full title.
  return named ? `${title} (recorded by agent ${recordedBy})` : `${title.split(' ')[0]!} by an agent`;
}

function writing(item: Item): Pick<Piece, 'full' | 'short'> {
  const place = item.place === undefined ? '' : ` ${inline(item.place)}`;
  if (item.call !== undefined) {
    const [made, gist, outcome, line] = [
      inline(item.call.made),
      inline(item.call.gist),
      indented(item.call.outcome),
      inline(item.call.outcome),
    ];
    const worked = item.call.worked === undefined ? '' : `; worked: ${inline(item.call.worked)}`;
    const full = `- ${made}${place} -> ${outcome}${worked}`;
    return {
      full,
      short: (characters) => {
        if (full.length <= characters) return full;
        // What worked is worth more than the whole of what did not, and both are worth more than where it is.
        const told = `- ${made} -> ${outcome}${worked}`;
        if (told.length <= characters) return told;
        const kept = worked === '' ? '' : shortenAtWord(worked, Math.floor(characters / 2));
        const room = characters - kept.length;
        const call = shortenAtWord(`- ${gist}`, Math.max(Math.ceil(room * 0.4), room - 4 - line.length));
        return `${call} -> ${ends(line, Math.max(characters - kept.length - call.length - 4, 1))}${kept}`;
      },
    };
  }
  if (item.brief !== undefined) {
    const content = item.content.slice(0, item.content.length - (item.place?.length ?? 0));
    const [whole, brief] = [`- ${inline(content)}`, `- ${inline(item.brief)}`];
    const full = whole + place;
    // Where it is goes first.
    const short = (characters: number): string =>
      shortenAtWord(characters < brief.length + 20 ? brief : whole, characters);
    return { full, short: (characters) => (characters < full.length ? short(characters) : full) };
  }
  const full = kindOf(item.kind).text === true ? neutralise(item.content) : `- ${indented(item.content)}`;
  // As documented, a request keeps its first 200 characters.
  const cut = item.kind === 'REQUEST' ? abridge : abridgeAtWord;
  return { full, short: (characters) => cut(full, characters) };
}

/** Indents every line but the first, so that no content looks like the next item. */
const indented = (text: string): string => neutralise(text).replaceAll('\n', '\n  ');

/** Heading of a section, and the fence that opens its recorded text. */
export function opening({ title, list, total }: Section, shown: number, fence: string): string {
  const counted = list ? (shown < total ? ` (${shown} of ${total})` : ` (${total})`) : '';
  return `\n\n## ${title}${counted}\n${fence}`;
}

export function layOut(pieces: readonly { piece: Piece; form: string }[], fence: string): string {
  const sections = new Map<Section, { piece: Piece; form: string }[]>();
  for (const chosen of pieces)
    sections.set(chosen.piece.section, [...(sections.get(chosen.piece.section) ?? []), chosen]);
  return [...sections]
    .sort(([, [a]], [, [b]]) => placeOf(a!.piece.item) - placeOf(b!.piece.item))
    .map(
      ([section, chosen]) =>
        `${opening(section, chosen.length, fence)}${chosen
          .sort(inList)
          .map(({ piece, form }) => (piece.item.kind === 'FILE' && form.startsWith(', ') ? form : `\n${form}`))
          .join('')}\n${fence}`,
    )
    .join('');
}

/** A request without an answer comes first. What people said stands together, in its order; a longer message precedes the last one, and a last one that is older than their words these. */
const placeOf = (item: Item): number =>
  isOfPeople(item)
    ? item.order === 'AFTER'
      ? 0.7
      : 0.5
    : item.order === 'BEFORE'
      ? item.id === 'last-message-2'
        ? 0.39
        : 0.4
      : item.id === 'request-2'
        ? item.order === 'UNANSWERED'
          ? -1
          : 0.6
        : readingOrder.indexOf(item.kind) - (item.id === 'last-message-2' ? 0.5 : isNote(item) ? -0.1 : 0);
const numberOf = ({ piece }: { piece: Piece }): number => Number(piece.item.id.split('-').at(-1));
/** Files keep their order by folder. */
const inList = (a: { piece: Piece }, b: { piece: Piece }): number =>
  a.piece.item.kind === 'FILE' ? 0 : numberOf(a) - numberOf(b);

export const fenceOf = (pieces: readonly Piece[], title: string): string =>
  fenceFor([...pieces.map(({ full }) => full), title]);
