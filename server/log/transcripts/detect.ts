import { Breaks } from '../../core/breaks.ts';
import { BadUserInputError } from '../../core/errors.ts';
import { claudeCodeReader, claudeCodeTypes } from './claudeCode.ts';
import { codexReader, codexTypes } from './codex.ts';
import { exportedIn } from './exported.ts';
import { geminiReader, isGeminiDocument, linesOfDocument } from './gemini.ts';
import { Draft, type Place } from './draft.ts';
import { isBounded } from './json.ts';
import { readLines, type Line } from './lines.ts';
import type { Spool } from '../spool.ts';
import type { Reader } from './reader.ts';
import { isObject, type Fields, type Transcript, type TranscriptFormat } from './transcript.ts';

export interface ReadOptions {
  format: TranscriptFormat | 'AUTO';
  /** Whether the whole file is a sub-agent's transcript. */
  sidechain: boolean;
  /** Whether a file without lines is a transcript of a given format; else it is refused. */
  mayBeEmpty?: boolean;
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

/** Reads a transcript as it arrives. @throws BadUserInputError when the format is unknown, or not the given one. */
export async function readTranscript(
  chunks: AsyncIterable<Uint8Array | string>,
  { format, sidechain, mayBeEmpty = false, onRecognised, spool }: ReadOptions,
): Promise<Transcript> {
  const batches = readLines(chunks);
  try {
    const begin: Line[] = [];
    let recognised: TranscriptFormat | null = null;
    while (recognised === null && begin.length < detectionLines) {
      const next = await batches.next();
      if (next.done === true) break;
      const from = begin.length;
      for (const line of next.value) begin.push(line);
      if (begin.length > from) recognised = recognise(begin.slice(0, detectionLines), from);
    }
    if (recognised !== null && format !== 'AUTO' && recognised !== format) throw otherFormat(format, recognised);
    const known = recognised ?? (format === 'AUTO' ? null : format);
    const isEmpty = begin.length === 0;
    if (known === null || (isEmpty && !mayBeEmpty)) throw unrecognised(begin);
    await onRecognised?.();
    const draft = new Draft(spool);
    const intake = new Intake(draft, readers[known](draft, sidechain));
    if (known === 'GEMINI_CLI') {
      // One JSON document: single lines have no meaning.
      const document = begin;
      for await (const lines of batches) for (const line of lines) document.push(line);
      await intake.take(linesOfDocument(document));
    } else {
      await intake.take(begin);
      for await (const lines of batches) await intake.take(lines);
    }
    if (intake.known === 0 && !isEmpty) throw unrecognised(begin);
    intake.reader.end?.();
    return draft.finish(known);
  } finally {
    await batches.return(undefined);
  }
}

const readers: Record<TranscriptFormat, (draft: Draft, sidechain: boolean) => Reader> = {
  CLAUDE_CODE: claudeCodeReader,
  CODEX: codexReader,
  GEMINI_CLI: geminiReader,
};

class Intake {
  /** Lines without ids are identified by their content and its number of occurrences. */
  readonly #repeats = new Map<string, number>();
  readonly #keys = new Set<string>();
  readonly #breaks = new Breaks();
  /** Entries of types that the reader knows. */
  known = 0;

  constructor(
    private readonly draft: Draft,
    readonly reader: Reader,
  ) {}

  /** Null is a step without a line. */
  async take(lines: Iterable<Line | null>): Promise<void> {
    let taken = 0;
    for (const line of lines) {
      if (line !== null) {
        const entry = entryOf(line);
        await this.#breaks.rest();
        this.#takeLine(line, entry);
        taken += line.text?.length ?? 0;
      }
      if (taken > batchCharacters) {
        await this.#settle();
        taken = 0;
      }
      await this.#breaks.rest();
    }
    await this.#settle();
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
    await this.draft.settle();
  }

  #takeLine(line: Line, entry: Fields | null): void {
    const { draft, reader } = this;
    if (draft.lines.length >= maxLines) {
      throw new BadUserInputError(`input.content has more than ${maxLines} lines: import it in parts`, [
        'input',
        'content',
      ]);
    }
    const key = (entry === null ? null : reader.keyOf(entry)) ?? this.#keyOf(line);
    const place: Place = {
      line:
        draft.lines.push({ key, turn: draft.turn, bears: false, exported: entry === null ? null : exportedIn(entry) }) -
        1,
      at: entry === null ? null : reader.at(entry),
    };
    if (entry === null) {
      draft.counts.badLines += 1;
      if (line.text === null || !isBounded(line.text)) draft.counts.hugeLines += 1;
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

  #keyOf(line: Line): string {
    const hash = line.hash();
    const times = (this.#repeats.get(hash) ?? 0) + 1;
    this.#repeats.set(hash, times);
    return times === 1 ? hash : `${hash}.${times}`;
  }
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

/** Recognises the format by the lines from `from` on, or by the beginning of a document. */
function recognise(lines: Line[], from: number): TranscriptFormat | null {
  if (isGeminiDocument(lines)) return 'GEMINI_CLI';
  for (const line of lines.slice(from)) {
    const entry = entryOf(line);
    if (entry === null) continue;
    if (codexTypes.has(entry['type']) && isObject(entry['payload'])) return 'CODEX';
    if (
      claudeCodeTypes.has(entry['type']) &&
      ['sessionId', 'message', 'summary', 'snapshot', 'uuid'].some((field) => field in entry)
    )
      return 'CLAUDE_CODE';
  }
  return null;
}

const formatNames: Record<TranscriptFormat, string> = {
  CLAUDE_CODE: 'a transcript of Claude Code',
  CODEX: 'a rollout of OpenAI Codex',
  GEMINI_CLI: 'a session of Gemini CLI',
};

const otherFormat = (given: TranscriptFormat, found: TranscriptFormat): BadUserInputError =>
  new BadUserInputError(
    `input.format is ${given}, but the file is ${formatNames[found]}: give ${found}, or leave the format out`,
    ['input', 'format'],
  );

function unrecognised(lines: Line[]): BadUserInputError {
  return new BadUserInputError(
    `input.content is not a known transcript (${whatIs(lines)}): give the JSON lines of Claude Code, a rollout of OpenAI Codex or a session of Gemini CLI`,
    ['input', 'content'],
  );
}

function whatIs(lines: Line[]): string {
  const [first] = lines;
  if (first === undefined) return 'it is empty';
  const entry = entryOf(first);
  if (entry !== null) {
    const names = Object.keys(entry).map((name) => (name.length > 30 ? `${name.slice(0, 30)}...` : name));
    return `its first line is a JSON object with ${names.length === 0 ? 'no fields' : `the fields ${names.slice(0, 8).join(', ')}${names.length > 8 ? ', ...' : ''}`}`;
  }
  if (first.text === null) return 'its first line is too long to read';
  return `its first line is not a JSON object; it begins with '${[...first.text.slice(0, 40)].slice(0, 20).join('')}'`;
}
