import { redactTexts, redactValue } from '../redaction/redact.ts';
import { Cleaner, maxBytes } from './transcripts/clean.ts';
import { readTranscript, type ReadOptions } from './transcripts/detect.ts';
import {
  argumentsOf,
  outcomeOf,
  partsOf,
  unload,
  type CallEntry,
  type CallOutcome,
  type CompactionEntry,
  type Entry,
  type LineOf,
  type MessageEntry,
  type Part,
  type Transcript,
  type UsageItem,
  type WindowAt,
  type WorkspaceAt,
} from './transcripts/transcript.ts';

/** Parts of a message. Real messages have up to 20; redacting 90,000 took 600 ms. */
const maxParts = 500;
/** Lines, and other small records, of one answer: copying 2,000 to another thread holds it for 2 ms. */
const recordsOfAnswer = 2_000;
/** Bytes that one call of `redactSome` takes, unless one entry has more. */
const redactedBytes = 1024 * 1024;
/** Limits of the entries of one answer, unless one entry has more. */
const batchBytes = 128 * 1024;
export const batchRows = 500;

/** A message as an import stores it. */
export interface ReadyMessage extends Pick<
  MessageEntry,
  'kind' | 'turn' | 'role' | 'messageKind' | 'at' | 'redactions'
> {
  /** By which calls refer to it. */
  number: number;
  content: string;
  bytes: number;
}

/** A call as an import stores it. */
export interface ReadyCall extends Omit<
  CallEntry,
  'message' | 'keptArguments' | 'keptOutcome' | 'result' | 'error' | 'filesModified'
> {
  /** Number of the message that made the call; null without one. */
  message: number | null;
  argumentBytes: number;
  outcome: CallOutcome;
  outcomeBytes: number;
}

export type ReadyEntry = ReadyMessage | ReadyCall | CompactionEntry;

/** Small records of a transcript, which may have 200,000 of each. */
export interface Records {
  lines: LineOf;
  usage: UsageItem;
  standings: WorkspaceAt;
  windows: WindowAt;
  handoffs: string;
}

/** What is left of a transcript. */
export type Head = Omit<Transcript, 'entries' | keyof Records>;

/** A transcript that was read and redacted before its Session is locked, so that the transaction only writes. */
export interface Prepared extends Head {
  lines: readonly Records['lines'][];
  usage: readonly Records['usage'][];
  /** By the turn that states it, in order. */
  standings: ReadonlyMap<number, Records['standings']>;
  /** In the file's order. */
  windows: readonly Records['windows'][];
  /** Public ids of the handoffs whose prompts `baton watch` gave the program. */
  handoffs: ReadonlySet<string>;
  /** Of new calls. */
  callIds: readonly string[];
  /** Lines of new compactions, ascending. */
  compactions: readonly number[];
  /** Whether there is a new message, call or compaction. */
  hasEntries: boolean;
  /** The new entries in the file's order, in parts of a bounded size. `known`: indexes of lines that the log has got since. */
  entries(known: readonly number[]): AsyncIterable<readonly ReadyEntry[]>;
}

/** What is new in a part of the entries. */
export interface NewParts {
  callIds: string[];
  /** Lines of compactions. */
  compactions: number[];
  entries: number;
}

type Async<Value> = Value | Promise<Value>;

/** The steps of a `Preparation`, here or in a worker thread. */
export interface Steps {
  records<Kind extends keyof Records>(kind: Kind, from: number): Async<readonly Records[Kind][]>;
  know(lines: readonly number[]): Async<void>;
  redactSome(): Async<NewParts | null>;
  head(): Async<Head>;
  begin(): Async<void>;
  nextEntries(): Async<ReadyEntry[] | null>;
}

/**
 * A transcript that was read, and the steps that make it ready to be stored, in their order. Each step takes and returns plain values of
 * a bounded size, so that a worker thread can do it.
 */
export class Preparation implements Steps {
  readonly #records: { [Kind in keyof Records]: readonly Records[Kind][] };
  readonly #known = new Set<number>();
  #redacted = 0;
  readonly #new: Entry[] = [];
  readonly #numbers = new Map<MessageEntry, number>();
  #returned = 0;

  private constructor(
    private readonly transcript: Transcript,
    private readonly spool: ReadOptions['spool'],
  ) {
    const { lines, usage, standings, windows, handoffs } = transcript;
    this.#records = { lines, usage, standings, windows, handoffs: [...handoffs] };
  }

  /** @throws BadUserInputError when AUTO does not recognise the format. */
  static async read(chunks: AsyncIterable<Uint8Array | string>, options: ReadOptions): Promise<Preparation> {
    return new Preparation(await readTranscript(chunks, options), options.spool);
  }

  /** The records from a position on; empty after the last. */
  records<Kind extends keyof Records>(kind: Kind, from: number): readonly Records[Kind][] {
    return this.#records[kind].slice(from, from + recordsOfAnswer);
  }

  /** Adds lines that the log has. They stay known for ever, so what is left out because of them is never missing later. */
  know(lines: readonly number[]): void {
    for (const line of lines) this.#known.add(line);
  }

  /** Redacts some more of the entries, and leaves out those without anything new; null after the last. */
  async redactSome(): Promise<NewParts | null> {
    const { entries } = this.transcript;
    if (this.#redacted === entries.length) return null;
    const found: NewParts = { callIds: [], compactions: [], entries: 0 };
    for (let bytes = 0; bytes < redactedBytes && this.#redacted < entries.length; this.#redacted += 1) {
      const entry = entries[this.#redacted]!;
      const redacted = await this.#redact(entry);
      if (redacted === null) continue;
      bytes += redacted;
      if (entry.kind === 'message') this.#numbers.set(entry, this.#new.length);
      else if (entry.kind === 'call') found.callIds.push(entry.callId);
      else found.compactions.push(entry.line);
      this.#new.push(entry);
      found.entries += 1;
      if (this.spool !== undefined && entry.kind !== 'compaction') unload(entry, this.spool);
      await this.spool?.settle();
    }
    return found;
  }

  /** Redacts what is stored of the workspaces and facts. */
  head(): Head {
    for (const standing of this.transcript.standings) {
      const { folder, branch, commit } = standing;
      const { value, count } = redactValue({ folder, branch, commit });
      Object.assign(standing, value, { redactions: count });
    }
    const { entries, lines, usage, standings, windows, handoffs, ...head } = this.transcript;
    const { facts, title, tasksLine } = head;
    const { value: tasks, count } = redactValue(facts.tasks);
    const { texts: filesModified } = redactTexts(facts.filesModified);
    return {
      ...head,
      title: title === null ? null : redactTexts([title]).texts[0]!,
      taskRedactions: this.#isNew(tasksLine) ? count : 0,
      facts: { ...facts, tasks, filesModified },
    };
  }

  /** Returns the new entries from the first on, without those of lines that the log has got since. */
  begin(): void {
    this.#returned = 0;
  }

  /** The next new entries in the file's order; null after the last. */
  async nextEntries(): Promise<ReadyEntry[] | null> {
    if (this.#returned === this.#new.length) return null;
    const ready: ReadyEntry[] = [];
    for (let bytes = 0; bytes < batchBytes && ready.length < batchRows && this.#returned < this.#new.length;) {
      const entry = await this.#ready(this.#new[this.#returned]!);
      this.#returned += 1;
      if (entry === null) continue;
      ready.push(entry);
      if (entry.kind === 'message') bytes += entry.bytes;
      else if (entry.kind === 'call') bytes += entry.argumentBytes + entry.outcomeBytes;
    }
    return ready;
  }

  #isNew(line: number | null): boolean {
    return line !== null && !this.#known.has(line);
  }

  /** Redacts what an import stores of an entry, and counts the secrets. Returns its size; null when nothing of it is new. */
  async #redact(entry: Entry): Promise<number | null> {
    if (entry.kind === 'compaction') return this.#isNew(entry.line) ? 0 : null;
    if (entry.kind === 'message') return this.#redactMessage(entry);
    return this.#isNew(entry.line) || this.#isNew(entry.resultLine) ? this.#redactCall(entry) : null;
  }

  /** Redacts all new parts together: a secret may begin in one and end in the next. */
  async #redactMessage(message: MessageEntry): Promise<number | null> {
    const parts = await this.#partsToKeep(message);
    const { texts, count } = redactTexts(parts.map(({ text }) => text));
    message.keptParts = [];
    message.parts = parts.map(({ line }, index) => ({ line, text: texts[index]! }));
    message.redactions = count;
    return parts.length === 0 ? null : texts.reduce((bytes, text) => bytes + text.length, 0);
  }

  /**
   * The new parts, without those that exceed the size of a message or `maxParts`: redacting all at once took 8 s for 30 MB. Keeps one
   * part beyond the size, so that a secret that continues in it is still found.
   */
  async #partsToKeep(message: MessageEntry): Promise<Part[]> {
    const parts: Part[] = [];
    let [bytes, beyond] = [0, 0];
    for await (const part of partsOf(message)) {
      if (!this.#isNew(part.line)) continue;
      const partBytes = Buffer.byteLength(part.text);
      if (beyond === 2 || parts.length === maxParts) {
        message.unkept += partBytes + 2;
        continue;
      }
      parts.push(part);
      bytes += partBytes;
      if (bytes > maxBytes) beyond += 1;
    }
    return parts;
  }

  async #redactCall(call: CallEntry): Promise<number> {
    const { result, error, filesModified } = await outcomeOf(call);
    const { value, count } = redactValue({ args: await argumentsOf(call), result, error, filesModified });
    const { args, ...outcome } = value;
    Object.assign(call, { arguments: args, ...outcome, keptArguments: null, keptOutcome: null, redactions: count });
    return size(args) + size(outcome);
  }

  async #ready(entry: Entry): Promise<ReadyEntry | null> {
    if (entry.kind === 'compaction') return entry;
    if (entry.kind === 'call') {
      const { message, keptArguments, keptOutcome, result, error, filesModified, ...call } = entry;
      const [given, outcome] = [await argumentsOf(entry), await outcomeOf(entry)];
      return {
        ...call,
        message: (message && this.#numbers.get(message)) ?? null,
        arguments: given,
        argumentBytes: size(given),
        outcome,
        outcomeBytes: size(outcome),
      };
    }
    const texts: string[] = [];
    for await (const { line, text } of partsOf(entry)) if (this.#isNew(line)) texts.push(text);
    if (texts.length === 0) return null;
    const content = new Cleaner().text(texts.join('\n\n'), undefined, entry.unkept);
    const { kind, turn, role, messageKind, at, redactions } = entry;
    return {
      kind,
      turn,
      role,
      messageKind,
      at,
      redactions,
      number: this.#numbers.get(entry)!,
      content,
      bytes: Buffer.byteLength(content),
    };
  }
}

const size = (value: unknown): number => JSON.stringify(value ?? null).length;
