import { Cleaner } from './clean.ts';
import { shortHash } from './lines.ts';
import { shortTitle, titleOfRequest } from './title.ts';
import {
  addTokens,
  noTokens,
  type Called,
  type Count,
  type Entry,
  type ImportedTask,
  type Said,
  type Standing,
  type Tokens,
  type Transcript,
  type TranscriptFormat,
  type UsageItem,
  type WindowAt,
} from './transcript.ts';

const KB = 1024;
const maxTasks = 500;
const maxFiles = 200;
/** So many of a file's first requests are looked through for a title. */
const mostRequests = 20;

/** Where a reader is in the file. */
export interface Place {
  line: number;
  at: Date | null;
}

/** The result of a call, as the file has it. */
export interface Outcome {
  text: string;
  failed: boolean;
}

/** What both readers write into: it keeps what was seen in order, storable, each call and message once. */
export class Draft {
  readonly clean = new Cleaner();
  readonly lines: Transcript['lines'] = [];
  readonly entryTypes = new Tally();
  readonly unknownTypes = new Tally();
  readonly counts = { badLines: 0, hugeLines: 0, sidechainLines: 0, thinkingBlocks: 0, compactions: 0 };
  readonly #entries: Entry[] = [];
  readonly #messages = new Map<string, Said>();
  readonly #assistants = new Set<string>();
  readonly #calls = new Map<string, Called>();
  readonly #callNames = new Tally();
  readonly #failed = new Set<string>();
  readonly #written = new Map<string, string[]>();
  readonly #files = new Set<string>();
  readonly #usage = new Map<string, UsageItem>();
  readonly #windows: WindowAt[] = [];
  readonly #models = new Set<string>();
  readonly #standings = new Map<number, Standing>();
  #requests: Said[] = [];
  #name: string | null = null;
  #tasks: ImportedTask[] = [];
  #tasksLine: number | null = null;
  #firstAt: Date | null = null;
  #lastAt: Date | null = null;
  /** Turns that were begun by what no person said; they belong to the turn before. */
  readonly #demoted = new Set<number>();
  #people = 0;
  #agentActed = false;
  turn = 0;

  seen(at: Date | null): void {
    if (at === null) return;
    if (this.#firstAt === null || at < this.#firstAt) this.#firstAt = at;
    if (this.#lastAt === null || at > this.#lastAt) this.#lastAt = at;
  }

  /** A person speaks: that begins a turn, which the instructions before the first one belong to. */
  person(texts: string[], place: Place): Said | null {
    if (this.#people > 0 || this.#agentActed) {
      this.turn += 1;
      this.lines[place.line]!.turn = this.turn;
    }
    this.#people += 1;
    const said = this.say('USER', texts, place);
    if (said !== null && this.#requests.length < mostRequests) this.#requests.push(said);
    return said;
  }

  /** What the program calls the session. The last name counts. */
  name(title: unknown): void {
    if (typeof title === 'string') this.#name = shortTitle(this.clean.text(title, 4 * KB)) ?? this.#name;
  }

  /** No person said this after all: it is the program's, and begins no turn. */
  demote(said: Said): void {
    said.role = 'SYSTEM';
    this.#people -= 1;
    this.#demoted.add(said.turn);
  }

  /** Adds what was said to the message of that id, if it has one. Blank texts say nothing. */
  say(role: Said['role'], texts: string[], { line, at }: Place, messageId: string | null = null): Said | null {
    if (role !== 'SYSTEM' && role !== 'USER') this.#agentActed = true;
    const parts = texts.filter((text) => text.trim() !== '').map((text) => ({ line, text: this.clean.text(text) }));
    if (parts.length === 0) return null;
    this.lines[line]!.bears = true;
    const begun = messageId === null ? undefined : this.#messages.get(messageId);
    if (begun !== undefined) {
      begun.parts.push(...parts);
      return begun;
    }
    const message: Said = { kind: 'message', turn: this.turn, role, at, parts, unkept: 0, redactions: 0 };
    this.#entries.push(message);
    if (messageId !== null) this.#messages.set(messageId, message);
    return message;
  }

  assistant(messageId: string): void {
    this.#agentActed = true;
    this.#assistants.add(messageId);
  }

  /** `written`: the paths that it writes if it succeeds. */
  call(id: unknown, name: unknown, args: unknown, written: unknown[], { line, at }: Place, messageId: string | null): void {
    this.#agentActed = true;
    const callId = this.#callId(id, `line-${line}`);
    if (this.#calls.has(callId)) return;
    const known = this.clean.name(name, 'unknown');
    const message = messageId === null ? null : (this.#messages.get(messageId) ?? null);
    const call: Called = {
      kind: 'call',
      turn: this.turn,
      line,
      at,
      message,
      callId,
      name: known,
      arguments: this.clean.json(args),
      resultLine: null,
      result: null,
      error: null,
      filesModified: [],
      redactions: 0,
    };
    this.lines[line]!.bears = true;
    this.#calls.set(callId, call);
    this.#callNames.add(known);
    this.#entries.push(call);
    const paths = written.filter((path): path is string => typeof path === 'string' && path.trim() !== '');
    if (paths.length > 0) this.#written.set(callId, [...new Set(paths.map((path) => this.clean.text(path, 4 * KB)))].slice(0, maxFiles));
  }

  /** The first outcome of a call counts. Returns the call, if this is it and the file has the call. */
  answer(id: unknown, { text, failed }: Outcome, { line }: Place): Called | null {
    const callId = this.#callId(id, '');
    const call = this.#calls.get(callId);
    if (call === undefined || call.resultLine !== null) return null;
    if (failed) this.#failed.add(callId);
    call.resultLine = line;
    const outcome = this.clean.text(text);
    if (failed) {
      call.error = outcome === '' ? 'failed' : outcome;
    } else {
      call.result = outcome;
      call.filesModified = this.#written.get(callId) ?? [];
      for (const path of call.filesModified) this.#files.add(path);
    }
    return call;
  }

  compact({ line }: Place): void {
    this.counts.compactions += 1;
    this.#entries.push({ kind: 'compaction', turn: this.turn, line });
  }

  /** The last report under a key is the one that counts. */
  use(key: string, tokens: Tokens, model: string | null, { line }: Place): void {
    if (model !== null) this.#models.add(model);
    const item = this.#usage.get(key) ?? { key: shortHash(key), line, turn: this.turn, model: null, tokens };
    this.#usage.set(key, { ...item, line, tokens, model: model ?? item.model });
  }

  /** Adds to what was reported under a key. */
  add(key: string, tokens: Tokens, model: string | null, place: Place): void {
    this.use(key, addTokens(this.#usage.get(key)?.tokens ?? noTokens(), tokens), model, place);
  }

  /** Where the work stands; what is no text says nothing. */
  stand(workspace: { folder: unknown; branch?: unknown; commit?: unknown }, { line }: Place): void {
    const known = this.#standings.get(this.turn) ?? { turn: this.turn, line, folder: null, branch: null, commit: null, redactions: 0 };
    const said = (value: unknown, before: string | null): string | null =>
      value === before || typeof value !== 'string' || value.trim() === '' ? before : this.clean.text(value.trim(), KB);
    const now = { ...known, folder: said(workspace.folder, known.folder), branch: said(workspace.branch, known.branch), commit: said(workspace.commit, known.commit) };
    if (now.folder !== known.folder || now.branch !== known.branch || now.commit !== known.commit) this.#standings.set(this.turn, { ...now, line });
  }

  /** What one request read and wrote. */
  reportWindow({ inputTokens, outputTokens, cacheCreationInputTokens, cacheReadInputTokens }: Tokens, { line }: Place): void {
    const tokens = inputTokens + outputTokens + cacheCreationInputTokens + cacheReadInputTokens;
    if (tokens > 0) this.#windows.push({ line, turn: this.turn, tokens: Math.min(tokens, 2 ** 31 - 1) });
  }

  setTasks(tasks: readonly { content: unknown; status: unknown }[], { line }: Place): void {
    this.#tasksLine = line;
    this.#tasks = tasks
      .filter((task): task is { content: string; status: unknown } => typeof task.content === 'string' && task.content.trim() !== '')
      .slice(0, maxTasks)
      .map(({ content, status }) => ({
        content: this.clean.text(content, 4 * KB),
        status: status === 'completed' ? 'DONE' : status === 'in_progress' ? 'IN_PROGRESS' : 'PENDING',
      }));
  }

  finish(format: TranscriptFormat): Transcript {
    const usage = [...this.#usage.values()];
    this.#renumber([this.lines, this.#entries, usage]);
    return {
      format,
      title: this.#name ?? this.#firstRequest(),
      lines: this.lines,
      entries: this.#entries,
      usage,
      standings: [...this.#standings.values()],
      windows: this.#windows,
      tasksLine: this.#tasksLine,
      taskRedactions: 0,
      facts: {
        lines: this.lines.length,
        ...this.counts,
        entryTypes: this.entryTypes.list(),
        unknownTypes: this.unknownTypes.list(),
        humanMessages: this.#people,
        assistantMessages: this.#assistants.size,
        firstAt: this.#firstAt,
        lastAt: this.#lastAt,
        toolCalls: this.#callNames.list(),
        toolErrors: this.#failed.size,
        filesModified: [...this.#files].sort(),
        tasks: this.#tasks,
        usage: {
          ...usage.reduce((sum, { tokens }) => addTokens(sum, tokens), noTokens()),
          model: this.#models.size === 1 ? [...this.#models][0]! : null,
        },
        replacedCharacters: this.clean.replaced,
        shortened: this.clean.shortened,
      },
    };
  }

  #firstRequest(): string | null {
    for (const { role, parts } of this.#requests) {
      const title = role === 'USER' ? titleOfRequest(parts.map(({ text }) => text).join('\n')) : null;
      if (title !== null) return title;
    }
    return null;
  }

  #renumber(lists: { turn: number }[][]): void {
    if (this.#demoted.size === 0) return;
    const numbers: number[] = [];
    for (let turn = 0; turn <= this.turn; turn += 1) numbers.push(turn === 0 ? 0 : numbers[turn - 1]! + (this.#demoted.has(turn) ? 0 : 1));
    for (const list of lists) for (const item of list) item.turn = numbers[item.turn]!;
    const standings = [...this.#standings.values()];
    this.#standings.clear();
    for (const standing of standings) {
      const turn = numbers[standing.turn]!;
      const before = this.#standings.get(turn);
      const { folder, branch, commit } = standing;
      this.#standings.set(turn, { ...standing, turn, folder: folder ?? before?.folder ?? null, branch: branch ?? before?.branch ?? null, commit: commit ?? before?.commit ?? null });
    }
  }

  /** Ids are kept as they are while they are short, as all real ones are. */
  #callId(id: unknown, otherwise: string): string {
    if (typeof id !== 'string' || id.trim() === '') return otherwise;
    return id.length <= 200 ? this.clean.name(id, otherwise) : `${this.clean.name(id.slice(0, 150), '')}-${shortHash(id)}`;
  }
}

/** Counts by name. A hostile file cannot make it grow for ever. */
export class Tally {
  readonly #counts = new Map<string, number>();

  add(name: string): void {
    const key = this.#counts.has(name) || this.#counts.size < 200 ? name : '(others)';
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  list(): Count[] {
    return [...this.#counts].map(([name, count]) => ({ name, count }));
  }
}
