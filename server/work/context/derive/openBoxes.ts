import { shorten } from '../shorten.ts';
import { inFolder, patchOf, type Action, type Actions } from './actions.ts';
import { programOf } from './commands.ts';
import { fieldsOf } from './log.ts';

/** Tasks in a file that the agent wrote and did not tick. */
export interface OpenBoxes {
  file: string;
  open: number;
  /** Whether the log does not have all that was written. */
  orMore: boolean;
  first: string[];
}

export const maxFirst = 10;
export const maxBoxFiles = 5;
const boxCharacters = 150;

const box = /^\s*(?:[-*+]|\d+[.)])\s+\[([ xX])\]\s+(\S.*)$/;
/** A text of a call that is read up to a length, of which the rest is not known. */
const longestRead = 4_000;

interface Boxes {
  /** Whether each is open, by its text. */
  open: Map<string, boolean>;
  orMore: boolean;
}

/** The newest files with open boxes among those that stand, oldest first. A file that was changed in a way that does not show its lines is not known any more. */
export function openBoxesOf({ list, root }: Actions, stands: (file: string) => boolean): OpenBoxes[] {
  const known = new Map<string, Boxes>();
  for (const action of list) {
    if (action.ending !== 'PASSED') continue;
    const texts = writtenTexts(action, root);
    for (const file of action.files) if (!texts.some((text) => text.file === file)) known.delete(file);
    for (const { file, before, after, isWhole, isCut } of texts) {
      const boxes = (isWhole ? undefined : known.get(file)) ?? { open: new Map<string, boolean>(), orMore: false };
      for (const [text] of boxesIn(before)) boxes.open.delete(text);
      for (const [text, isOpen] of boxesIn(after)) boxes.open.set(text, isOpen);
      boxes.orMore ||= isCut;
      // The newest stands last.
      known.delete(file);
      known.set(file, boxes);
    }
  }
  return [...known]
    .filter(([file]) => stands(file))
    .map(([file, { open, orMore }]) => {
      const left = [...open].flatMap(([text, isOpen]) => (isOpen ? [text] : []));
      const first = left.slice(0, maxFirst).map((text) => shorten(text, boxCharacters));
      return { file, open: left.length, orMore, first };
    })
    .filter(({ open }) => open > 0)
    .slice(-maxBoxFiles);
}

const boxesIn = (text: string): [text: string, isOpen: boolean][] =>
  text.split('\n').flatMap((line): [string, boolean][] => {
    const found = line.length < longestRead ? box.exec(line) : null;
    return found === null ? [] : [[found[2]!.trim(), found[1] === ' ']];
  });

interface WrittenText {
  file: string;
  /** Lines that it took away. */
  before: string;
  /** Lines that are there now. */
  after: string;
  isWhole: boolean;
  isCut: boolean;
}

function writtenTexts(action: Action, root: string): WrittenText[] {
  const patch = patchOf(action);
  if (patch.includes('*** Begin Patch')) return patchedTexts(patch, root);
  if (action.command !== null)
    return action.parts.flatMap((part) => {
      const file = part.writes[0];
      if (file === undefined || part.input === '' || !/^(?:cat|tee)$/.test(programOf(part).program)) return [];
      const isCut = action.command!.length >= longestRead;
      return [
        { file: inFolder(part.folder, file), before: '', after: part.input, isWhole: part.appends.length === 0, isCut },
      ];
    });
  const [file] = action.files;
  if (file === undefined) return [];
  const args = fieldsOf(action.call.arguments);
  const textIn = (...names: string[]): string | undefined =>
    names.map((name) => args[name]).find((value): value is string => typeof value === 'string');
  const [old, now] = [textIn('old_string', 'old_str'), textIn('new_string', 'new_str')];
  const whole = textIn('content', 'contents', 'file_text');
  const after = now ?? whole;
  if (after === undefined) return [];
  return [{ file, before: old ?? '', after, isWhole: now === undefined, isCut: after.length >= longestRead }];
}

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
    return {
      file: inFolder(root, found[1]!.trim()),
      before: of(/^-/),
      after: of(/^[+ ]/),
      isWhole: found[0].includes('Add File'),
      isCut: patch.length >= longestRead,
    };
  });
}
