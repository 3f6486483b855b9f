import { Breaks } from '../core/breaks.ts';
import type { Custody } from '../custody/custody.ts';
import type { VisibleCounts } from '../context/visible.ts';
import { captureSnapshot, nothingVisible, readVisible } from '../custody/snapshot.ts';
import { readContinued, readTurns, type Known, type OpenTurn } from './importKnown.ts';
import { LogWriter } from './logWriter.ts';
import { Cleaner } from './transcripts/clean.ts';
import {
  addTokens,
  argumentsOf,
  noTokens,
  outcomeOf,
  partsOf,
  sameTokens,
  type CallEntry,
  type CompactionEntry,
  type MessageEntry,
  type WorkspaceAt,
  type Tokens,
  type Transcript,
  type WindowAt,
} from './transcripts/transcript.ts';

/** Limits of one statement: a file of any size becomes many short statements of one transaction. */
const batchBytes = 128 * 1024;
const batchRows = 500;
/** Keys of lines are short. */
const linesOfStatement = 2_000;
const maxTokens = 2 ** 31 - 1;

/** Appends the new parts of a transcript to a locked Session's log, in batches. */
export class ImportLog {
  readonly added = { messagesAdded: 0, turnsAdded: 0, toolCallsAdded: 0, resultsFilled: 0, redactions: 0 };
  changed = false;
  readonly #turns = new Map<number, OpenTurn>();
  readonly #messages = new Map<MessageEntry, { id: string; sequence: number }>();
  readonly #log;
  readonly #writer;
  /** Workspaces that are not yet written to their Turn. */
  readonly #standings: Map<number, WorkspaceAt>;
  #visible: VisibleCounts | null = null;
  /** Line of the last compaction so far. */
  #compactedAt = -1;
  #windowsRead = 0;
  #bytes = 0;
  #rows = 0;

  private constructor(
    private readonly custody: Custody,
    private readonly agentSessionId: string | null,
    private readonly transcript: Transcript,
    private readonly known: Known,
  ) {
    const { id, messageCount, turnCount, toolCallCount, visibleFrom, visibleCallsFrom } = custody.session;
    this.#log = { id, messageCount, turnCount, toolCallCount, visibleFrom, visibleCallsFrom };
    this.#writer = new LogWriter(custody.work, this.#log, agentSessionId);
    this.#standings = new Map(transcript.standings.map((standing) => [standing.turn, standing]));
  }

  static async open(
    custody: Custody,
    agentSessionId: string | null,
    transcript: Transcript,
    known: Known,
  ): Promise<ImportLog> {
    const log = new ImportLog(custody, agentSessionId, transcript, known);
    const last = [...known.turnOf].reduce<[number, string] | null>(
      (latest, turn) => (latest === null || turn[0] > latest[0] ? turn : latest),
      null,
    );
    const continued =
      last === null ? null : await readContinued(custody.work, custody.session, last[1], agentSessionId);
    if (last !== null && continued !== null) log.#turns.set(last[0], continued);
    const compacts = transcript.entries.some((entry) => entry.kind === 'compaction' && !known.line(entry.line));
    if (compacts) log.#visible = await readVisible(custody.work, custody.session);
    return log;
  }

  /** Appends new entries in the file's order, and fills in results that an earlier import lacked. */
  async append(): Promise<void> {
    const breaks = new Breaks();
    for (const entry of this.transcript.entries) {
      if (entry.kind === 'message') await this.#addMessage(entry);
      else if (entry.kind === 'call') await this.#call(entry);
      else this.#compact(entry);
      if (this.#bytes > batchBytes || this.#rows > batchRows) await this.#send();
      await breaks.rest();
    }
  }

  /** Adds the tokens of new usage entries; for known ones, the difference. */
  async count(): Promise<void> {
    const { work } = this.custody;
    const items = this.transcript.usage.map((item) => ({ ...item, stored: this.known.usage.get(item.key) }));
    const differing = items.filter(
      ({ line, stored, tokens }) => !this.known.line(line) && (stored === undefined || !sameTokens(stored, tokens)),
    );
    const earlier = await readTurns(work, [
      ...new Set(differing.flatMap(({ stored }) => (stored === undefined ? [] : [stored.turnId]))),
    ]);
    const changes = new Map<string, { turn: OpenTurn; tokens: Tokens; model: string | null }>();
    const own = new Map([...this.#turns.values()].map((turn) => [turn.id, turn]));
    const breaks = new Breaks();
    for (const { key, tokens, model, turn: number, stored } of differing) {
      const turn = (stored && (own.get(stored.turnId) ?? earlier.get(stored.turnId))) ?? this.#turn(number, null);
      const change = changes.get(turn.id) ?? { turn, tokens: reported(turn), model: turn.model };
      change.tokens = addTokens(stored === undefined ? change.tokens : addTokens(change.tokens, stored, -1), tokens);
      change.model = model ?? change.model;
      changes.set(turn.id, change);
      if (stored === undefined)
        work.insert('import_usages', { id: work.newId(), sessionId: this.#log.id, key, turnId: turn.id, ...tokens });
      else work.change('import_usages', stored, tokens);
      if ((this.#rows += 1) > batchRows) await this.#send();
      await breaks.rest();
    }
    for (const { turn, tokens, model } of changes.values()) {
      work.change('turns', turn, { ...limited(tokens), model });
      if ((this.#rows += 1) > batchRows) await this.#send();
      await breaks.rest();
    }
    if (changes.size > 0) this.changed = true;
    const window = this.#windowBefore(Infinity);
    const last =
      window && (this.#turns.get(window.turn) ?? changes.get(this.known.turnOf.get(window.turn) ?? '')?.turn);
    if (window && last) work.change('turns', last, { windowTokens: window.tokens });
  }

  setTasks(): void {
    const { tasksLine, taskRedactions, facts } = this.transcript;
    if (tasksLine === null || this.known.line(tasksLine)) return;
    const { work } = this.custody;
    work.changes.clear('tasks', this.#log.id);
    for (const [index, task] of facts.tasks.entries()) {
      work.insert('tasks', {
        ...task,
        id: work.newId(),
        sessionId: this.#log.id,
        position: index + 1,
        sequence: this.#log.messageCount,
      });
    }
    this.added.redactions += taskRedactions;
    this.changed = true;
  }

  /** Updates the workspaces of Turns of earlier imports from new lines. */
  async #updateWorkspaces(): Promise<void> {
    for (const standing of this.#standings.values()) {
      const id = this.#turns.get(standing.turn)?.id ?? this.known.turnOf.get(standing.turn);
      if (id === undefined || this.known.line(standing.line)) continue;
      this.custody.work.change('turns', { id }, { workspace: this.#takeWorkspace(standing) });
      this.#staged(0, 0);
      if (this.#rows > batchRows) await this.#send();
    }
  }

  #takeWorkspace({ turn, folder, branch, commit, redactions }: WorkspaceAt): {
    folder: string | null;
    branch: string | null;
    commit: string | null;
  } {
    this.#standings.delete(turn);
    this.added.redactions += redactions;
    return { folder, branch, commit };
  }

  /** Stores the keys of the lines, to recognise them later, and the Session's new counts. */
  async finish(): Promise<void> {
    const { work, session } = this.custody;
    const { id: sessionId, ...counts } = this.#log;
    await this.#send();
    // After the flush: a statement changes a row once, and the Turn's tokens may have been staged before.
    await this.#updateWorkspaces();
    const kept = new Set<string>();
    const breaks = new Breaks();
    for (const [index, { key, turn, bears }] of this.transcript.lines.entries()) {
      if (this.known.line(index) || kept.has(key)) continue;
      kept.add(key);
      work.insert('import_lines', {
        sessionId,
        lineKey: key,
        turnId: bears ? (this.#turns.get(turn)?.id ?? null) : null,
      });
      if (kept.size % linesOfStatement === 0) await this.#send();
      await breaks.rest();
    }
    if (this.changed) work.change('sessions', session, counts);
  }

  async #addMessage(entry: MessageEntry): Promise<void> {
    const texts: string[] = [];
    for await (const { line, text } of partsOf(entry)) if (!this.known.line(line)) texts.push(text);
    if (texts.length === 0) return;
    const content = new Cleaner().text(texts.join('\n\n'), undefined, entry.unkept);
    const { id, sequence } = this.#writer.message(this.#turn(entry.turn, entry.at).id, {
      role: entry.role,
      kind: entry.messageKind,
      content,
      createdAt: entry.at ?? this.custody.work.now,
    });
    this.#messages.set(entry, { id, sequence });
    const bytes = Buffer.byteLength(content);
    if (this.#visible !== null) this.#visible[countOf[entry.role]] += 1;
    this.#countVisible(bytes);
    this.added.messagesAdded += 1;
    this.#staged(bytes, entry.redactions);
  }

  async #call(call: CallEntry): Promise<void> {
    const outcome = await outcomeOf(call);
    const stored = this.known.calls.get(call.callId);
    if (stored !== undefined) {
      if (!stored.open || call.resultLine === null) return;
      this.custody.work.change('tool_calls', stored, { ...outcome, durationMs: call.durationMs });
      this.added.resultsFilled += 1;
      this.#countVisible(size(outcome));
      this.#staged(size(outcome), call.redactions);
      return;
    }
    if (this.known.line(call.line)) return;
    const message = call.message === null ? undefined : this.#messages.get(call.message);
    const given = await argumentsOf(call);
    this.#writer.call(this.#turn(call.turn, call.at).id, message, {
      ...outcome,
      callId: call.callId,
      name: call.name,
      arguments: given,
      durationMs: call.durationMs,
    });
    this.added.toolCallsAdded += 1;
    const bytes = size(outcome) + size(given);
    this.#countVisible(bytes);
    this.#staged(bytes, call.redactions);
  }

  /** Captures the visible part of the log at a compaction; from there on, only later entries are visible. */
  #compact({ line, turn }: CompactionEntry): void {
    if (this.known.line(line) || this.#visible === null) return;
    const window = this.#windowBefore(line);
    const seen = window === null ? this.#visible : { ...this.#visible, reported: window.tokens, bytesSince: 0 };
    captureSnapshot(this.custody.work, this.#log, 'TRUNCATION', this.agentSessionId, seen);
    this.#visible = nothingVisible();
    this.#compactedAt = line;
    const cut = this.#turns.get(turn);
    if (cut !== undefined) this.custody.work.change('turns', cut, { windowTokens: null });
    this.#log.visibleFrom = this.#log.messageCount + 1;
    this.#log.visibleCallsFrom = this.#log.toolCallCount + 1;
    this.#staged(0, 0);
  }

  #countVisible(bytes: number): void {
    if (this.#visible === null) return;
    this.#visible.bytes += bytes;
    this.#visible.bytesSince += bytes;
  }

  /** The last window report between the last compaction and a line, from new lines only. Call it with ascending lines. */
  #windowBefore(before: number): WindowAt | null {
    let last: WindowAt | null = null;
    for (
      let next = this.transcript.windows[this.#windowsRead];
      next !== undefined && next.line < before;
      next = this.transcript.windows[this.#windowsRead]
    ) {
      this.#windowsRead += 1;
      if (next.line > this.#compactedAt && !this.known.line(next.line)) last = next;
    }
    return last;
  }

  /** Tokens in the window, as new lines report them, the oldest first; 0 for a compaction. */
  windowReports(): number[] {
    const { windows, entries } = this.transcript;
    const compactions = entries
      .filter(({ kind }) => kind === 'compaction')
      .map((entry) => ({ line: (entry as CompactionEntry).line, tokens: 0 }));
    return [...windows.map(({ line, tokens }) => ({ line, tokens })), ...compactions]
      .filter(({ line }) => !this.known.line(line))
      .sort((one, other) => one.line - other.line)
      .map(({ tokens }) => tokens);
  }

  /** The Turn for a turn of the file; created on first use. */
  #turn(number: number, at: Date | null): OpenTurn {
    const begun = this.#turns.get(number);
    if (begun !== undefined) return begun;
    const standing = this.#standings.get(number);
    const turn = this.#writer.turn({
      ...(standing !== undefined && { workspace: this.#takeWorkspace(standing) }),
      truncated: false,
      startedAt: at ?? this.custody.work.now,
    });
    this.#turns.set(number, turn);
    this.added.turnsAdded += 1;
    return turn;
  }

  #staged(bytes: number, redactions: number): void {
    this.changed = true;
    this.added.redactions += redactions;
    this.#bytes += bytes;
    this.#rows += 1;
  }

  async #send(): Promise<void> {
    await this.custody.work.flush();
    this.#bytes = 0;
    this.#rows = 0;
  }
}

const countOf = { USER: 'user', ASSISTANT: 'assistant', SYSTEM: 'system', TOOL: 'tool' } as const;

const size = (value: unknown): number => JSON.stringify(value ?? null).length;

const reported = ({ inputTokens, outputTokens, cacheCreationInputTokens, cacheReadInputTokens }: OpenTurn): Tokens => ({
  inputTokens: inputTokens ?? 0,
  outputTokens: outputTokens ?? 0,
  cacheCreationInputTokens: cacheCreationInputTokens ?? 0,
  cacheReadInputTokens: cacheReadInputTokens ?? 0,
});

/** Limits the values to the range of their columns. */
function limited(tokens: Tokens): Tokens {
  const held = addTokens(noTokens(), tokens);
  for (const name of Object.keys(held) as (keyof Tokens)[]) held[name] = Math.min(held[name], maxTokens);
  return held;
}
