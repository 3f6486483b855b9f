import { shorten } from '../shorten.ts';
import { inFolder, patchOf, type Action, type Actions } from './actions.ts';
import { isTrivial, programOf } from './commands.ts';
import { fieldsOf } from './log.ts';
import { ticksOf, type Tick } from './ticks.ts';

/** Tasks in a file that the agent wrote and did not tick. */
export interface OpenBoxes {
  file: string;
  open: number;
  /** Whether the log does not have all that was written. */
  orMore: boolean;
  first: string[];
  /** Of the list of others in whose place it was written: how many were done that are not there any more, at least. */
  doneBefore?: number;
}

export const maxFirst = 10;
export const maxBoxFiles = 5;
const boxCharacters = 150;

const box = /^\s*(?:[-*+]|\d+[.)])\s+\[([ xX])\]\s+(\S.*)$/;
/** A text of a call that is read up to a length, of which the rest is not known. */
const longestRead = 4_000;
/** Of one file, and parts of lines of one edit: no log makes the reading of it take long. */
const maxLines = 500;
const maxParts = 20;

interface Boxes {
  /** Each by its text. */
  lines: Map<string, Box>;
  /** Whether the file may have others. */
  orMore: boolean;
  /** Whether the agent wrote some of them. */
  isOwn: boolean;
  doneBefore: number;
}

interface Box {
  isOpen: boolean;
  line: string;
  /** Number of its line; null when it is not known. */
  number: number | null;
}

const nothing = (): Boxes => ({ lines: new Map(), orMore: true, isOwn: false, doneBefore: 0 });

/**
 * The newest files with open boxes among those that stand, oldest first: as they were written, changed or seen last. After a change that does not show its
 * lines a file is not known until it is seen again.
 */
export function openBoxesOf({ list, root }: Actions, stands: (file: string) => boolean): OpenBoxes[] {
  const known = new Map<string, Boxes>();
  const newest = (file: string, boxes: Boxes): void => {
    known.delete(file);
    known.set(file, boxes);
  };
  for (const action of list) {
    if (action.ending !== 'PASSED') continue;
    const texts = writtenTexts(action, root);
    const ticked = tickedBy(action);
    for (const file of action.files) {
      const boxes = known.get(file);
      if (boxes === undefined || texts.some((text) => text.file === file)) continue;
      const ticks = ticked.filter((one) => one.file === file).map((one) => one.ticks);
      const all = ticks.flatMap((found) => found ?? []);
      const hasNumbers = [...boxes.lines.values()].every(({ number }) => number !== null);
      if (ticks.length === 0 || ticks.includes(null) || (!hasNumbers && all.some(({ ofLines }) => ofLines)))
        known.set(file, { ...nothing(), isOwn: boxes.isOwn });
      else for (const tick of all) applyTick(boxes, tick);
    }
    for (const { file, isWhole, isCut, edits } of texts) {
      const before = known.get(file) ?? nothing();
      const boxes = isWhole ? { ...nothing(), orMore: isCut, isOwn: before.isOwn } : before;
      for (const edit of edits) applyEdit(boxes, edit, isWhole);
      boxes.isOwn ||= edits.some(({ after }) => boxesIn(after).length > 0);
      boxes.orMore ||= isCut;
      if (isWhole && !before.isOwn)
        boxes.doneBefore = [...before.lines].filter(([text, { isOpen }]) => !isOpen && !boxes.lines.has(text)).length;
      newest(file, boxes);
    }
    const seen = seenText(action);
    if (seen === null) continue;
    const before = known.get(seen.file) ?? nothing();
    const boxes = seen.isWhole ? { ...before, lines: new Map<string, Box>(), orMore: false } : before;
    addAll(boxes, boxesIn(seen.text, seen.from));
    known.set(seen.file, boxes);
  }
  return [...known]
    .filter(([file, { isOwn }]) => isOwn && stands(file))
    .map(([file, { lines, orMore, doneBefore }]) => {
      const left = [...lines].flatMap(([text, { isOpen }]) => (isOpen ? [text] : []));
      const first = left.slice(0, maxFirst).map((text) => shorten(text, boxCharacters));
      return { file, open: left.length, orMore, first, ...(doneBefore > 0 && { doneBefore }) };
    })
    .filter(({ open }) => open > 0)
    .slice(-maxBoxFiles);
}

/** `from`: number of the first line; null when it is not known. */
const boxesIn = (text: string, from: number | null = null): [text: string, box: Box][] =>
  text.split(/\r?\n/).flatMap((line, index): [string, Box][] => {
    const read = boxOf(line);
    return read === null
      ? []
      : [[read.text, { isOpen: read.isOpen, line, number: from === null ? null : from + index }]];
  });

function boxOf(line: string): { text: string; isOpen: boolean } | null {
  const found = line.length < longestRead ? box.exec(line) : null;
  return found === null ? null : { text: found[2]!.trim(), isOpen: found[1] === ' ' };
}

interface TextEdit {
  /** What it took away: whole lines, or a part of one. */
  before: string;
  /** What is there now. */
  after: string;
  everywhere: boolean;
}

function applyEdit(boxes: Boxes, { before, after, everywhere }: TextEdit, isWhole: boolean): void {
  const { lines } = boxes;
  const [taken, put] = [before.split(/\r?\n/), after.split(/\r?\n/)];
  const isInPlace = taken.length === put.length;
  if (!isInPlace) for (const box of lines.values()) box.number = null;
  const fresh = boxesIn(after, isWhole ? 1 : null);
  const byText = new Map(fresh);
  let parts = 0;
  for (const [index, part] of taken.entries()) {
    const whole = boxOf(part);
    const found = lines.get(whole?.text ?? '');
    if (whole === null && isInPlace && /\[[ xX]\]/.test(part) && (parts += 1) <= maxParts)
      replacePart(lines, part, put[index]!, everywhere);
    if (found === undefined || !isInPlace) continue;
    const now = byText.get(boxOf(put[index]!)?.text ?? '');
    if (now !== undefined) now.number = found.number;
  }
  for (const [text] of boxesIn(before)) lines.delete(text);
  addAll(boxes, fresh);
}

function addAll(boxes: Boxes, found: readonly [text: string, box: Box][]): void {
  for (const [text, each] of found)
    if (boxes.lines.size < maxLines || boxes.lines.has(text)) boxes.lines.set(text, each);
    else boxes.orMore = true;
}

/** A part of a line, as in an edit from `[ ] one` to `[x] one`. */
function replacePart(lines: Boxes['lines'], part: string, by: string, everywhere: boolean): void {
  for (const [text, found] of [...lines]) {
    if (!found.line.includes(part)) continue;
    const line = found.line.replace(part, () => by);
    const now = boxOf(line);
    if (now?.text !== text) lines.delete(text);
    if (now !== null) lines.set(now.text, { ...found, line, isOpen: now.isOpen });
    if (!everywhere) return;
  }
}

function applyTick({ lines }: Boxes, { isOpen, matches }: Tick): void {
  for (const found of lines.values()) {
    if (!matches(found.line, found.number)) continue;
    found.isOpen = isOpen;
    found.line = found.line.replace(/\[[ xX]\]/, isOpen ? '[ ]' : '[x]');
  }
}

/** What commands that change files in place tick; null for one of which that is not known. */
const tickedBy = ({ parts }: Action): { file: string; ticks: Tick[] | null }[] =>
  parts.flatMap((part) => {
    const found = ticksOf(programOf(part));
    return found === null ? [] : found.files.map((file) => ({ file: inFolder(part.folder, file), ticks: found.ticks }));
  });

interface SeenText {
  file: string;
  text: string;
  isWhole: boolean;
  /** Number of the first line. */
  from: number | null;
}

/** The text of a file that a command showed: `cat`, `sed -n '1,80p'`, `grep -n '\[ \]'`. */
function seenText({ parts, output, files }: Action): SeenText | null {
  const works = parts.filter((part) => !isTrivial(part));
  const [part] = works;
  if (part === undefined || works.length > 1 || files.length > 0 || !output.includes('[')) return null;
  const { program, args } = programOf(part);
  if (!/^(?:cat|nl|head|tail|sed|grep|rg|less|bat)$/.test(program)) return null;
  const file = args.at(-1);
  if (file === undefined || !/\.\w+$/.test(file)) return null;
  const isCut = output.length >= longestRead;
  const numbered = /^\s*\d+(?:\t|:|→)/.test(output);
  const text = numbered ? output.replace(/^\s*\d+(?:\t|:|→)/gm, '') : output;
  const isWhole = !isCut && /^(?:cat|nl|bat)$/.test(program) && args.filter((arg) => !arg.startsWith('-')).length === 1;
  return { file: inFolder(part.folder, file), text, isWhole, from: isWhole ? 1 : null };
}

interface WrittenText {
  file: string;
  edits: TextEdit[];
  isWhole: boolean;
  isCut: boolean;
}

const inserted = (after: string): TextEdit[] => [{ before: '', after, everywhere: false }];

function writtenTexts(action: Action, root: string): WrittenText[] {
  const patch = patchOf(action);
  if (patch.includes('*** Begin Patch')) return patchedTexts(patch, root);
  if (action.command !== null)
    return action.parts.flatMap((part) => {
      const file = part.writes[0];
      if (file === undefined || part.input === '' || !/^(?:cat|tee)$/.test(programOf(part).program)) return [];
      const isCut = action.command!.length >= longestRead;
      return [
        { file: inFolder(part.folder, file), edits: inserted(part.input), isWhole: part.appends.length === 0, isCut },
      ];
    });
  const [file] = action.files;
  if (file === undefined) return [];
  const args = fieldsOf(action.call.arguments);
  const whole = textIn(args, 'content', 'contents', 'file_text');
  const each = Array.isArray(args['edits']) ? args['edits'].map(fieldsOf) : [args];
  const edits = each.flatMap((fields): TextEdit[] => {
    const after = textIn(fields, 'new_string', 'new_str', 'newString');
    if (after === undefined) return [];
    const before = textIn(fields, 'old_string', 'old_str', 'oldString') ?? '';
    return [{ before, after, everywhere: fields['replace_all'] === true || fields['replaceAll'] === true }];
  });
  if (edits.length === each.length)
    return [{ file, edits, isWhole: false, isCut: edits.some(({ after }) => after.length >= longestRead) }];
  return whole === undefined
    ? []
    : [{ file, edits: inserted(whole), isWhole: true, isCut: whole.length >= longestRead }];
}

const textIn = (fields: Record<string, unknown>, ...names: string[]): string | undefined =>
  names.map((name) => fields[name]).find((value): value is string => typeof value === 'string');

const section = /^\*\*\* (?:Add|Update) File: (.+)$/gm;
function patchedTexts(patch: string, root: string): WrittenText[] {
  const starts = [...patch.matchAll(section)];
  return starts.map((found, index) => {
    const lines = patch.slice(found.index, starts[index + 1]?.index).split('\n');
    const of = (mark: RegExp): string =>
      lines
        .filter((line) => mark.test(line))
        .map((line) => line.slice(1))
        .join('\n');
    const isWhole = found[0].includes('Add File');
    return {
      file: inFolder(root, found[1]!.trim()),
      edits: [{ before: of(/^-/), after: of(/^[+ ]/), everywhere: false }],
      isWhole,
      isCut: patch.length >= longestRead,
    };
  });
}
