import type { MessageKind } from '../../../generated/prisma/client.ts';
import type { Spool } from '../spool.ts';
import { promptedBy } from './batonPrompt.ts';
import { Cleaner } from './clean.ts';
import { kindOfNotice } from './kind.ts';
import { shortHash } from './lines.ts';
import { shortTitle, titleOfRequest } from './title.ts';
import {
  addTokens,
  argumentsOf,
  noTokens,
  unload,
  type CallEntry,
  type Count,
  type Entry,
  type ImportedTask,
  type MessageEntry,
  type WorkspaceAt,
  type Tokens,
  type Transcript,
  type TranscriptFormat,
  type UsageItem,
  type WindowAt,
} from './transcript.ts';

const KB = 1024;
export const maxTasks = 500;
const maxFiles = 200;
/** Outcomes that are kept until their calls come, and their characters. */
const maxEarly = { count: 10_000, characters: 8 * 1024 * KB };
/** First requests that are considered for the title. */
const titleCandidates = 20;

export interface Place {
  line: number;
  at: Date | null;
}

export interface Outcome {
  text: string;
  failed: boolean;
  /** Whether the format counts it as a failed call; null: when it failed. A command that ended with another code than 0 may not. */
  counts?: boolean;
}

/** What is to be done with a call that has its outcome. */
type Use = (call: CallEntry) => void;

/** Collects what the readers find, in order and storable, with each call and message once. */
export class Draft {
  readonly clean = new Cleaner();
  readonly lines: Transcript['lines'] = [];
  readonly entryTypes = new Tally();
  readonly unknownTypes = new Tally();
  readonly counts = { badLines: 0, hugeLines: 0, sidechainLines: 0, thinkingBlocks: 0, compactions: 0 };
  readonly #entries: Entry[] = [];
  readonly #messages = new Map<string, MessageEntry>();
  readonly #assistants = new Set<string>();
  readonly #calls = new Map<string, CallEntry>();
  readonly #callNames = new Tally();
  readonly #failed = new Set<string>();
  /** Outcomes that stand before their calls. */
  readonly #early = new Map<string, { outcome: Outcome; place: Place; use: Use | undefined }>();
  #earlyCharacters = 0;
  readonly #written = new Map<string, string[]>();
  readonly #files = new Set<string>();
  #fileCharacters = 0;
  readonly #usage = new Map<string, UsageItem>();
  readonly #windows: WindowAt[] = [];
  contextWindow: number | null = null;
  readonly #handoffs = new Set<string>();
  readonly #models = new Set<string>();
  readonly #standings = new Map<number, WorkspaceAt>();
  /** The title of each of the first requests; null for one that has none. */
  readonly #requests: { message: MessageEntry; title: string | null }[] = [];
  /** Entries with texts in memory. */
  readonly #fresh = new Set<MessageEntry | CallEntry>();
  #uses: { call: CallEntry; use: (args: unknown) => void }[] = [];
  #name: string | null = null;
  #tasks: ImportedTask[] = [];
  #tasksLine: number | null = null;
  #firstAt: Date | null = null;
  #lastAt: Date | null = null;
  /** Turns whose first message turned out not to be a person's; they belong to the turn before. */
  readonly #demoted = new Set<number>();
  #people = 0;
  #agentActed = false;
  turn = 0;

  /** With a spool, the texts of a batch of lines leave memory when the next one comes. */
  constructor(private readonly spool: Spool | null = null) {}

  get entryCount(): number {
    return this.#entries.length;
  }

  /** Distinct modified files, and the characters of their paths. */
  get files(): { count: number; characters: number } {
    return { count: this.#files.size, characters: this.#fileCharacters };
  }

  /** Ends a batch of lines. */
  async settle(): Promise<void> {
    for (const { call, use } of this.#uses) use(await argumentsOf(call));
    this.#uses = [];
    if (this.spool !== null) for (const entry of this.#fresh) unload(entry, this.spool);
    this.#fresh.clear();
    await this.spool?.settle();
  }

  seen(at: Date | null): void {
    if (at === null) return;
    if (this.#firstAt === null || at < this.#firstAt) this.#firstAt = at;
    if (this.#lastAt === null || at > this.#lastAt) this.#lastAt = at;
  }

  /** Adds a person's message. It begins a turn; instructions before the first one belong to that turn. */
  addPersonMessage(texts: string[], place: Place): MessageEntry | null {
    if (this.#people > 0 || this.#agentActed) {
      this.turn += 1;
      this.lines[place.line]!.turn = this.turn;
    }
    this.#people += 1;
    const message = this.addMessage('USER', texts, place);
    if (message !== null && this.#requests.length < titleCandidates) {
      this.#requests.push({ message, title: titleOfRequest(message.parts.map(({ text }) => text).join('\n')) });
    }
    return message;
  }

  /** The title that the program gave the session. The last one counts. */
  name(title: unknown): void {
    if (typeof title === 'string') this.#name = shortTitle(this.clean.text(title, 4 * KB)) ?? this.#name;
  }

  /** Corrects a message that was not a person's: it gets role SYSTEM and begins no turn. */
  demote(message: MessageEntry): void {
    message.role = 'SYSTEM';
    this.#people -= 1;
    this.#demoted.add(message.turn);
  }

  /** Marks a message from which a person went back: it stays in the log, and is not of the conversation. */
  withdraw(message: MessageEntry): void {
    if (message.role === 'USER' || message.role === 'ASSISTANT')
      Object.assign(message, { role: 'SYSTEM', messageKind: 'STATUS' });
  }

  /** Adds a message, or parts to the message with this id. Ignores blank texts. Without a kind, texts of programs get the one that they name. */
  addMessage(
    role: MessageEntry['role'],
    texts: string[],
    { line, at }: Place,
    { id: messageId = null, kind }: { id?: string | null; kind?: MessageKind } = {},
  ): MessageEntry | null {
    if (role !== 'SYSTEM' && role !== 'USER') this.#agentActed = true;
    const handoff = role === 'SYSTEM' ? promptedBy(texts[0] ?? '') : null;
    if (handoff !== null) this.#handoffs.add(handoff);
    const parts = texts.filter((text) => text.trim() !== '').map((text) => ({ line, text: this.clean.text(text) }));
    if (parts.length === 0) return null;
    this.lines[line]!.bears = true;
    const begun = messageId === null ? undefined : this.#messages.get(messageId);
    if (begun !== undefined) {
      for (const part of parts) begun.parts.push(part);
      this.#fresh.add(begun);
      return begun;
    }
    const message: MessageEntry = {
      kind: 'message',
      turn: this.turn,
      role,
      messageKind: kind ?? (role === 'SYSTEM' ? kindOfNotice(parts[0]!.text) : 'TEXT'),
      at,
      parts,
      keptParts: [],
      unkept: 0,
      redactions: 0,
    };
    this.#entries.push(message);
    this.#fresh.add(message);
    if (messageId !== null) this.#messages.set(messageId, message);
    return message;
  }

  assistant(messageId: string): void {
    this.#agentActed = true;
    this.#assistants.add(messageId);
  }

  /** `written`: paths that the call writes if it succeeds. */
  call(
    id: unknown,
    name: unknown,
    args: unknown,
    written: unknown[],
    { line, at }: Place,
    messageId: string | null,
  ): void {
    this.#agentActed = true;
    const callId = this.#callId(id, `line-${line}`);
    if (this.#calls.has(callId)) return;
    const known = this.clean.name(name, 'unknown');
    const message = messageId === null ? null : (this.#messages.get(messageId) ?? null);
    const call: CallEntry = {
      kind: 'call',
      turn: this.turn,
      line,
      at,
      message,
      callId,
      name: known,
      arguments: this.clean.json(args),
      resultLine: null,
      durationMs: null,
      result: null,
      error: null,
      filesModified: [],
      keptArguments: null,
      keptOutcome: null,
      redactions: 0,
    };
    this.#fresh.add(call);
    this.lines[line]!.bears = true;
    this.#calls.set(callId, call);
    this.#callNames.add(known);
    this.#entries.push(call);
    const paths = written.filter((path): path is string => typeof path === 'string' && path.trim() !== '');
    if (paths.length > 0)
      this.#written.set(callId, [...new Set(paths.map((path) => this.clean.text(path, 4 * KB)))].slice(0, maxFiles));
    const early = this.#early.get(callId);
    if (early === undefined) return;
    this.#early.delete(callId);
    this.#earlyCharacters -= early.outcome.text.length;
    this.#answerCall(call, early.outcome, early.place);
    early.use?.(call);
  }

  /** Records the first outcome of a call, also when it stands before its call. `use` gets the call then. */
  answer(id: unknown, outcome: Outcome, place: Place, use?: Use): void {
    const callId = this.#callId(id, '');
    const call = this.#calls.get(callId);
    if (call === undefined) {
      const { length } = outcome.text;
      if (callId === '' || this.#early.has(callId) || this.#early.size >= maxEarly.count) return;
      if (this.#earlyCharacters + length > maxEarly.characters) return;
      this.#early.set(callId, { outcome, place, use });
      this.#earlyCharacters += length;
    } else if (call.resultLine === null) {
      this.#answerCall(call, outcome, place);
      use?.(call);
    }
  }

  #answerCall(call: CallEntry, { text, failed, counts = failed }: Outcome, { line, at }: Place): void {
    const { callId } = call;
    this.#fresh.add(call);
    if (counts) this.#failed.add(callId);
    call.resultLine = line;
    call.durationMs = durationOf(call.at, at, line === call.line);
    const outcome = this.clean.text(text);
    if (failed) {
      call.error = outcome === '' ? 'failed' : outcome;
    } else {
      call.result = outcome;
      call.filesModified = this.#written.get(callId) ?? [];
      for (const path of call.filesModified) this.#addFile(path);
    }
    this.#written.delete(callId);
  }

  #addFile(path: string): void {
    if (this.#files.has(path)) return;
    this.#files.add(path);
    this.#fileCharacters += path.length;
  }

  /** Calls `use` with the arguments of a call at the end of the batch, in the order of these requests. */
  useArguments(call: CallEntry, use: (args: unknown) => void): void {
    this.#uses.push({ call, use });
  }

  compact({ line }: Place): void {
    this.counts.compactions += 1;
    this.#entries.push({ kind: 'compaction', turn: this.turn, line });
  }

  /** Records usage under a key; the last report counts. */
  setUsage(key: string, tokens: Tokens, model: string | null, { line }: Place): void {
    if (model !== null) this.#models.add(model);
    const item = this.#usage.get(key) ?? { key: shortHash(key), line, turn: this.turn, model: null, tokens };
    this.#usage.set(key, { ...item, line, tokens, model: model ?? item.model });
  }

  addUsage(key: string, tokens: Tokens, model: string | null, place: Place): void {
    this.setUsage(key, addTokens(this.#usage.get(key)?.tokens ?? noTokens(), tokens), model, place);
  }

  /** Records the workspace; ignores values that are not text. */
  setWorkspace(
    workspace: { folder: unknown; branch?: unknown; commit?: unknown; sandbox?: string | undefined },
    { line }: Place,
  ): void {
    const known: WorkspaceAt = this.#standings.get(this.turn) ?? {
      turn: this.turn,
      line,
      folder: null,
      branch: null,
      commit: null,
      redactions: 0,
    };
    const changed = (value: unknown, before: string | null): string | null =>
      value === before || typeof value !== 'string' || value.trim() === '' ? before : this.clean.text(value.trim(), KB);
    const now = {
      ...known,
      folder: changed(workspace.folder, known.folder),
      branch: changed(workspace.branch, known.branch),
      commit: changed(workspace.commit, known.commit),
      ...(workspace.sandbox !== undefined && { sandbox: workspace.sandbox }),
    };
    const parts = ['folder', 'branch', 'commit', 'sandbox'] as const;
    if (parts.some((part) => now[part] !== known[part])) this.#standings.set(this.turn, { ...now, line });
  }

  reportWindow(
    { inputTokens, outputTokens, cacheCreationInputTokens, cacheReadInputTokens }: Tokens,
    { line }: Place,
  ): void {
    const tokens = inputTokens + outputTokens + cacheCreationInputTokens + cacheReadInputTokens;
    if (tokens > 0) this.#windows.push({ line, turn: this.turn, tokens: Math.min(tokens, 2 ** 31 - 1) });
  }

  setTasks(tasks: readonly { content: unknown; status: unknown }[], { line }: Place): void {
    this.#tasksLine = line;
    this.#tasks = tasks
      .filter(
        (task): task is { content: string; status: unknown } =>
          typeof task.content === 'string' && task.content.trim() !== '',
      )
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
      handoffs: this.#handoffs,
      contextWindow: this.contextWindow,
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
    return this.#requests.find(({ message, title }) => message.role === 'USER' && title !== null)?.title ?? null;
  }

  #renumber(lists: { turn: number }[][]): void {
    if (this.#demoted.size === 0) return;
    const numbers: number[] = [];
    for (let turn = 0; turn <= this.turn; turn += 1)
      numbers.push(turn === 0 ? 0 : numbers[turn - 1]! + (this.#demoted.has(turn) ? 0 : 1));
    for (const list of lists) for (const item of list) item.turn = numbers[item.turn]!;
    const standings = [...this.#standings.values()];
    this.#standings.clear();
    for (const standing of standings) {
      const turn = numbers[standing.turn]!;
      const before = this.#standings.get(turn);
      const { folder, branch, commit, sandbox = before?.sandbox } = standing;
      this.#standings.set(turn, {
        ...standing,
        turn,
        folder: folder ?? before?.folder ?? null,
        branch: branch ?? before?.branch ?? null,
        commit: commit ?? before?.commit ?? null,
        ...(sandbox !== undefined && { sandbox }),
      });
    }
  }

  /** Keeps ids of up to 200 characters, as all real ones are. */
  #callId(id: unknown, otherwise: string): string {
    if (typeof id !== 'string' || id.trim() === '') return otherwise;
    return id.length <= 200
      ? this.clean.name(id, otherwise)
      : `${this.clean.name(id.slice(0, 150), '')}-${shortHash(id)}`;
  }
}

/** Null when a time is unknown, when call and outcome are one line, or when the clock went back. */
function durationOf(from: Date | null, to: Date | null, sameLine: boolean): number | null {
  if (from === null || to === null || sameLine) return null;
  const ms = to.getTime() - from.getTime();
  return ms >= 0 && ms < 2 ** 31 ? ms : null;
}

/** Counts by name, with at most 200 names, so that a hostile file cannot grow it without limit. */
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
