import { BadUserInputError } from '../../../core/errors.ts';
import type { Spool } from '../spool.ts';
import { damagedLine, demandFitting, isDocument, partsOfDocument } from './document.ts';
import { Draft, type Place } from './draft.ts';
import { exportedIn } from './exported.ts';
import { formatOf, formatOfText, formats, type Format } from './formats.ts';
import { faultIn, isBounded, opensObject } from './json.ts';
import { isBlank, readLines, shortHash, type Line } from './lines.ts';
import type { Blocks, Reader } from './reader.ts';
import { isObject, type Fields, type Transcript, type TranscriptFormat } from './transcript.ts';

export interface ReadOptions {
  format: TranscriptFormat | 'AUTO';
  /** Whether the whole file is a sub-agent's transcript. */
  sidechain: boolean;
  /** Whether a file without lines is a transcript of a given format; else it is refused. */
  mayBeEmpty?: boolean;
  /** Whether damaged lines are left out and counted; else they are refused. */
  skipDamaged?: boolean;
  /** Awaited when the format is known, before the rest is read; a rejection ends the reading. */
  onRecognised?: () => Promise<void>;
  /** Keeps the texts of the transcript; without it they are in memory. */
  spool?: Spool;
}

const maxLines = 200_000;
/** Messages and calls, each of which takes memory until the import ends. Real files have fewer than lines. */
const maxEntries = 200_000;
/** Modified files, all of which are in the report. */
const maxFiles = { count: 10_000, characters: 512 * 1024 };
/** Characters of lines whose texts are in memory. */
const batchCharacters = 64 * 1024;
/** Lines at the beginning that are read to detect the format. */
const detectionLines = 50;

/**
 * Reads a transcript as it arrives.
 * @throws BadUserInputError when the format is unknown, or not the given one, or the file is damaged.
 */
export async function readTranscript(
  chunks: AsyncIterable<Uint8Array | string>,
  { format, sidechain, mayBeEmpty = false, skipDamaged = false, onRecognised, spool }: ReadOptions,
): Promise<Transcript> {
  const batches = readLines(chunks, skipDamaged ? undefined : notUtf8);
  try {
    const begin: Line[] = [];
    let recognised: TranscriptFormat | 'DOCUMENT' | null = null;
    while (recognised === null && begin.length < detectionLines) {
      const next = await batches.next();
      if (next.done === true) break;
      const from = begin.length;
      // Blank lines have a meaning in a plain text, which the first line tells.
      for (const line of next.value) if (!isBlank(line) || (from === 0 && begin.length > 0)) begin.push(line);
      if (begin.length > from)
        recognised = recognise(begin.filter((line) => !isBlank(line)).slice(0, detectionLines), from);
      if (recognised === null) begin.splice(0, begin.length, ...begin.filter((line) => !isBlank(line)));
    }
    const isEmpty = begin.length === 0;
    if (isEmpty ? !mayBeEmpty || format === 'AUTO' : recognised === null && format === 'AUTO')
      throw unrecognised(begin);
    if (recognised !== 'DOCUMENT') demandFormat(format, recognised);
    await onRecognised?.();
    if (recognised === 'DOCUMENT') {
      let characters = 0;
      for await (const lines of batches)
        for (const line of lines) {
          if (!isBlank(line)) begin.push(line);
          demandFitting((characters += line.text?.length ?? Infinity));
        }
      const [document, head] = openDocument(begin);
      recognised = formatOf(head);
      if (recognised === null) throw unrecognised(begin, head);
      demandFormat(format, recognised);
      begin.splice(0, begin.length, document);
    }
    const known = recognised ?? (format as TranscriptFormat);
    if (recognised === null && formats[known].blocks !== undefined && !isEmpty) throw unrecognised(begin);
    const draft = new Draft(spool);
    const intake = new Intake(draft, formats[known], sidechain, skipDamaged);
    await intake.take(begin);
    for await (const lines of batches) await intake.take(lines);
    await intake.end();
    if (intake.known === 0 && !isEmpty) throw unrecognised(begin);
    return draft.finish(known);
  } finally {
    await batches.return(undefined);
  }
}

/** What the lines are, by their structure; null when those from `from` on do not say. DOCUMENT is a JSON document. */
function recognise(lines: Line[], from: number): TranscriptFormat | 'DOCUMENT' | null {
  const first = lines[0]!.text ?? '';
  const plain = from === 0 ? formatOfText(first) : null;
  if (plain !== null) return plain;
  for (const line of lines.slice(from)) {
    const entry = entryOf(line);
    const found = entry === null ? null : formatOf(entry);
    if (found !== null) return found;
  }
  const isOpen = from <= 1 && lines.length > 1 && opensObject(first);
  return isOpen || (from === 0 && isDocument(first)) ? 'DOCUMENT' : null;
}

const demandFormat = (given: ReadOptions['format'], found: TranscriptFormat | null): void => {
  if (given === 'AUTO' || found === null || found === given) return;
  throw new BadUserInputError(
    `input.format is ${given}, but the file is ${formats[found].name}: give ${found}, or leave the format out`,
    ['input', 'format'],
  );
};

class Intake {
  readonly reader: Reader;
  /** Lines without ids are identified by their content and its number of occurrences. */
  readonly #repeats = new Map<string, number>();
  readonly #keys = new Set<string>();
  readonly #blocks: Blocks | undefined;
  /** The first entry of the file, or the document without its messages. */
  #head: Fields | null = null;
  /** Characters since the last batch ended. */
  #taken = 0;
  /** Entries of types that the reader knows. */
  known = 0;

  constructor(
    private readonly draft: Draft,
    private readonly format: Format,
    sidechain: boolean,
    private readonly skipDamaged: boolean,
  ) {
    this.reader = format.reader(draft, sidechain);
    this.#blocks = format.blocks?.();
  }

  async take(lines: Iterable<Line>): Promise<void> {
    for (const line of lines)
      if (!isBlank(line) || this.#blocks !== undefined) await this.#takeAll(this.#entriesOf(line));
    await this.#settle();
  }

  /** Ends the file. */
  async end(): Promise<void> {
    if (this.#blocks !== undefined) await this.#takeAll([...this.#blocks.end()].map(takenPart));
    this.reader.end?.();
    await this.#settle();
  }

  async #takeAll(entries: Iterable<Taken | null>): Promise<void> {
    for (const entry of entries) {
      if (entry !== null) {
        this.#takeEntry(entry);
        this.#taken += entry.characters;
      }
      if (this.#taken > batchCharacters) await this.#settle();
    }
  }

  /** The entries of a line. Null is a step without one. */
  *#entriesOf(line: Line): Generator<Taken | null> {
    const { parts } = this.format;
    if (this.#blocks !== undefined && line.text !== null) {
      for (const fields of this.#blocks.take(line.text)) yield takenPart(fields);
      return;
    }
    if (parts !== undefined && isDocument(line.text ?? '')) {
      for (const fields of partsOfDocument(line.text!, line.number))
        if (fields === null) yield null;
        else for (const part of parts(fields, (this.#head ??= fields))) yield takenPart(part);
      return;
    }
    const entry = entryOf(line);
    const fault = entry === null ? faultOf(line) : null;
    if (fault !== null && !this.skipDamaged) throw damagedLine(line.number, fault);
    if (entry === null || parts === undefined) {
      const isHuge = entry === null && (fault === null || !isBounded(line.text!));
      yield { entry, isHuge, hash: () => line.hash(), characters: line.text?.length ?? 0 };
    } else for (const part of parts(entry, (this.#head ??= entry))) yield takenPart(part);
  }

  /** Ends a batch of lines. */
  async #settle(): Promise<void> {
    if (this.draft.entryCount > maxEntries) {
      throw new BadUserInputError(
        `input.content has more than ${maxEntries} messages and tool calls: import it in parts`,
        ['input', 'content'],
      );
    }
    const { count, characters } = this.draft.files;
    if (count > maxFiles.count || characters > maxFiles.characters) {
      throw new BadUserInputError(
        `input.content modifies more than ${maxFiles.count} files, or their paths have more than ${maxFiles.characters} characters: import it in parts`,
        ['input', 'content'],
      );
    }
    this.#taken = 0;
    await this.draft.settle();
  }

  #takeEntry({ entry, isHuge, hash }: Taken): void {
    const { draft, reader } = this;
    if (draft.lines.length >= maxLines) {
      throw new BadUserInputError(`input.content has more than ${maxLines} lines: import it in parts`, [
        'input',
        'content',
      ]);
    }
    const key = (entry === null ? null : reader.keyOf(entry)) ?? this.#keyOf(hash());
    const place: Place = {
      line:
        draft.lines.push({ key, turn: draft.turn, bears: false, exported: entry === null ? null : exportedIn(entry) }) -
        1,
      at: entry === null ? null : reader.at(entry),
    };
    if (entry === null) {
      draft.counts.badLines += 1;
      if (isHuge) draft.counts.hugeLines += 1;
      return;
    }
    const type = draft.clean.name(reader.typeOf(entry), '(none)').slice(0, 100);
    draft.entryTypes.add(type);
    if (reader.knows(entry)) this.known += 1;
    else draft.unknownTypes.add(type);
    draft.seen(place.at);
    if (this.#keys.has(key)) return;
    this.#keys.add(key);
    reader.read(entry, place);
  }

  #keyOf(hash: string): string {
    const times = (this.#repeats.get(hash) ?? 0) + 1;
    this.#repeats.set(hash, times);
    return times === 1 ? hash : `${hash}.${times}`;
  }
}

/** An entry of the file; null for a line that is left out. */
interface Taken {
  entry: Fields | null;
  /** Whether the line is too long, or has too many values or levels. */
  isHuge: boolean;
  hash: () => string;
  characters: number;
}

function takenPart(entry: Fields): Taken {
  const text = JSON.stringify(entry);
  return { entry, isHuge: false, hash: () => shortHash(text), characters: text.length };
}

function entryOf({ text }: Line): Fields | null {
  if (text === null || !isBounded(text)) return null;
  try {
    const entry: unknown = JSON.parse(text);
    return isObject(entry) ? entry : null;
  } catch {
    return null;
  }
}

/** All lines of a document as one, with the line ends of the file, and the document without its messages. */
function openDocument(lines: Line[]): [Line, Fields] {
  const first = lines[0]!.number;
  const text = lines
    .map((line, index) => '\n'.repeat(line.number - (lines[index - 1]?.number ?? first)) + (line.text ?? ''))
    .join('');
  let head: Fields | null = null;
  for (const part of partsOfDocument(text, first)) if ((head = part) !== null) break;
  return [
    { text, number: first, hash: () => shortHash(text) },
    { ...head, messages: [] },
  ];
}

/** Why a line that is not read is no entry; null for one that may be an entry and is too long, or has too many values or levels. */
function faultOf({ text }: Line): string | null {
  const begun = text?.trim() ?? '{}';
  if (begun.startsWith('{') && begun.endsWith('}') && (text === null || !isBounded(text))) return null;
  if (begun.includes('\0')) return 'it contains NUL characters: save the file as UTF-8 text';
  if (begun.startsWith('{') && faultIn(begun) === begun.length) return 'it ends before its JSON object does';
  return `it is not a JSON object; it begins with '${[...begun.slice(0, 40)].slice(0, 20).join('')}'`;
}

const notUtf8 = (line: number): never => {
  throw damagedLine(line, 'it is not UTF-8 text');
};

function unrecognised([first]: Line[], document?: Fields): BadUserInputError {
  const names = Object.values(formats).map(({ name }) => name);
  return new BadUserInputError(
    `input.content is not a known transcript (${first === undefined ? 'it is empty' : whatIs(first, document)}): give ${names.slice(0, -1).join(', ')} or ${names.at(-1)}`,
    ['input', 'content'],
  );
}

function whatIs(first: Line, document?: Fields): string {
  const entry = document ?? entryOf(first);
  if (entry === null) return `line ${first.number}: ${faultOf(first) ?? 'it is too long to read'}`;
  const names = Object.keys(entry).map((name) => (name.length > 30 ? `${name.slice(0, 30)}...` : name));
  const fields =
    names.length === 0 ? 'no fields' : `the fields ${names.slice(0, 8).join(', ')}${names.length > 8 ? ', ...' : ''}`;
  return `line ${first.number}: ${document === undefined ? 'it is' : 'it begins'} a JSON object with ${fields}`;
}
