import { Breaks } from '../../core/breaks.ts';
import { statement } from '../../core/changes.ts';
import type { TaskStatus } from '../../generated/prisma/client.ts';
import type { VisibleCounts } from '../context/visible.ts';
import type { Custody } from '../custody/custody.ts';
import { captureSnapshot, nothingVisible, readVisible } from '../custody/snapshot.ts';
import { readContinued, readTurns, slicesOf, type Known, type OpenTurn } from './importKnown.ts';
import { LogWriter } from './logWriter.ts';
import { batchRows, type Prepared, type ReadyCall, type ReadyMessage } from './preparation.ts';
import {
  addTokens,
  noTokens,
  sameTokens,
  type CompactionEntry,
  type Tokens,
  type WindowAt,
  type WorkspaceAt,
} from './transcripts/transcript.ts';

/** Keys of lines are short. */
const linesOfStatement = 2_000;
const maxTokens = 2 ** 31 - 1;

interface EarlierTask {
  content: string;
  status: TaskStatus;
  sequence: number;
}

/** Tasks from before the message of the Handoff that began the tenure; none without one. */
const findEarlierTasks = statement(
  `SELECT content, status, sequence FROM tasks WHERE session_id = $1 AND sequence < (SELECT start_sequence - 1 FROM agent_sessions WHERE id = $2::uuid) ORDER BY position`,
);

/** The task without its description: programs keep the two in different ways. */
const subjectOf = (content: string): string => content.split(/\n|: /)[0]!.trim().toLowerCase();

/** Appends the new parts of a transcript to a locked Session's log, in batches. */
export class ImportLog {
  readonly added = { messagesAdded: 0, turnsAdded: 0, toolCallsAdded: 0, resultsFilled: 0, redactions: 0 };
  changed = false;
  readonly #turns = new Map<number, OpenTurn>();
  /** The Turn of an earlier import among them. */
  #continued: OpenTurn | null = null;
  /** By their number in the file. */
  readonly #messages = new Map<number, { id: string; sequence: number }>();
  readonly #log;
  readonly #writer;
  /** Turns of the file whose workspace is written. */
  readonly #placed = new Set<number>();
  #visible: VisibleCounts | null = null;
  /** Line of the last compaction so far. */
  #compactedAt = -1;
  #windowsRead = 0;
  #rows = 0;

  private constructor(
    private readonly custody: Custody,
    private readonly agentSessionId: string | null,
    private readonly transcript: Prepared,
    private readonly known: Known,
  ) {
    const { id, messageCount, turnCount, toolCallCount, visibleFrom, visibleCallsFrom } = custody.session;
    this.#log = { id, messageCount, turnCount, toolCallCount, visibleFrom, visibleCallsFrom };
    this.#writer = new LogWriter(custody.work, this.#log, agentSessionId);
  }

  static async open(
    custody: Custody,
    agentSessionId: string | null,
    transcript: Prepared,
    known: Known,
  ): Promise<ImportLog> {
    const log = new ImportLog(custody, agentSessionId, transcript, known);
    const last = known.lastTurn;
    const continued =
      last === null ? null : await readContinued(custody.work, custody.session, last.id, agentSessionId);
    if (last !== null && continued !== null) log.#turns.set(last.turn, continued);
    log.#continued = continued;
    const compacts = transcript.compactions.some((line) => !known.line(line));
    if (compacts) log.#visible = await readVisible(custody.work, custody.session);
    return log;
  }

  /** Appends new entries in the file's order, and fills in results that an earlier import lacked. */
  async append(): Promise<void> {
    for await (const some of this.transcript.entries(this.known.lines)) {
      for (const entry of some) {
        if (entry.kind === 'message') this.#addMessage(entry);
        else if (entry.kind === 'call') this.#call(entry);
        else this.#compact(entry);
      }
      await this.#send();
    }
  }

  /** Adds the tokens of new usage entries; for known ones, the difference. */
  async count(): Promise<void> {
    const { work } = this.custody;
    const changes = new Map<string, { turn: OpenTurn; tokens: Tokens; model: string | null }>();
    const breaks = new Breaks();
    for (const some of slicesOf(this.transcript.usage)) {
      const differing = some
        .map((item) => ({ ...item, stored: this.known.usage.get(item.key) }))
        .filter(
          ({ line, stored, tokens }) => !this.known.line(line) && (stored === undefined || !sameTokens(stored, tokens)),
        );
      const earlier = await readTurns(work, [
        ...new Set(differing.flatMap(({ stored }) => (stored === undefined ? [] : [stored.turnId]))),
      ]);
      if (this.#continued !== null) earlier.set(this.#continued.id, this.#continued);
      for (const { key, tokens, model, turn: number, stored } of differing) {
        const turn =
          (stored && (changes.get(stored.turnId)?.turn ?? earlier.get(stored.turnId))) ?? this.#turn(number, null);
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

  /** Replaces the tasks. Those of earlier tenures stay: a program does not know them, and lists only its own. */
  async setTasks(): Promise<void> {
    const { tasksLine, taskRedactions, facts } = this.transcript;
    if (tasksLine === null || this.known.line(tasksLine)) return;
    const { work } = this.custody;
    const own = new Set(facts.tasks.map(({ content }) => subjectOf(content)));
    const earlier = (await work.query<EarlierTask>(findEarlierTasks, [this.#log.id, this.agentSessionId])).filter(
      ({ content }) => !own.has(subjectOf(content)),
    );
    work.changes.clear('tasks', this.#log.id);
    const tasks = [...earlier, ...facts.tasks.map((task) => ({ ...task, sequence: this.#log.messageCount }))];
    for (const [index, task] of tasks.entries())
      work.insert('tasks', { ...task, id: work.newId(), sessionId: this.#log.id, position: index + 1 });
    this.added.redactions += taskRedactions;
    this.changed = true;
  }

  /** Updates the workspaces of Turns of earlier imports from new lines. */
  async #updateWorkspaces(): Promise<void> {
    const breaks = new Breaks();
    for (const standing of this.transcript.standings.values()) {
      await breaks.rest();
      if (this.#placed.has(standing.turn)) continue;
      const id = this.#turns.get(standing.turn)?.id ?? this.known.turnOf.get(standing.turn);
      if (id === undefined || this.known.line(standing.line)) continue;
      this.custody.work.change('turns', { id }, { workspace: this.#takeWorkspace(standing) });
      this.#staged(0);
      if (this.#rows > batchRows) await this.#send();
    }
  }

  #takeWorkspace({ turn, folder, branch, commit, sandbox, redactions }: WorkspaceAt): {
    folder: string | null;
    branch: string | null;
    commit: string | null;
    sandbox?: string;
  } {
    this.#placed.add(turn);
    this.added.redactions += redactions;
    return { folder, branch, commit, ...(sandbox !== undefined && { sandbox }) };
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

  #addMessage({ number, turn, role, messageKind: kind, content, bytes, at, redactions }: ReadyMessage): void {
    const { id, sequence } = this.#writer.message(this.#turn(turn, at).id, {
      role,
      kind,
      content,
      createdAt: at ?? this.custody.work.now,
    });
    this.#messages.set(number, { id, sequence });
    if (this.#visible !== null) this.#visible[countOf[role]] += 1;
    this.#countVisible(bytes);
    this.added.messagesAdded += 1;
    this.#staged(redactions);
  }

  #call(call: ReadyCall): void {
    const { outcome, outcomeBytes, durationMs } = call;
    const stored = this.known.calls.get(call.callId);
    if (stored !== undefined) {
      if (!stored.open || call.resultLine === null) return;
      this.custody.work.change('tool_calls', stored, { ...outcome, durationMs });
      this.added.resultsFilled += 1;
      this.#countVisible(outcomeBytes);
      this.#staged(call.redactions);
      return;
    }
    if (this.known.line(call.line)) return;
    const message = call.message === null ? undefined : this.#messages.get(call.message);
    this.#writer.call(this.#turn(call.turn, call.at).id, message, {
      ...outcome,
      callId: call.callId,
      name: call.name,
      arguments: call.arguments,
      durationMs,
    });
    this.added.toolCallsAdded += 1;
    this.#countVisible(outcomeBytes + call.argumentBytes);
    this.#staged(call.redactions);
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
    this.#staged(0);
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
    const { windows, compactions } = this.transcript;
    const reports: number[] = [];
    let next = 0;
    const reportUntil = (last: number): void => {
      for (; next < windows.length; next += 1) {
        const { line, tokens } = windows[next]!;
        if (line > last) return;
        if (!this.known.line(line)) reports.push(tokens);
      }
    };
    for (const line of compactions) {
      reportUntil(line);
      if (!this.known.line(line)) reports.push(0);
    }
    reportUntil(Infinity);
    return reports;
  }

  /** The Turn for a turn of the file; created on first use. */
  #turn(number: number, at: Date | null): OpenTurn {
    const begun = this.#turns.get(number);
    if (begun !== undefined) return begun;
    const standing = this.transcript.standings.get(number);
    const turn = this.#writer.turn({
      ...(standing !== undefined && { workspace: this.#takeWorkspace(standing) }),
      truncated: false,
      startedAt: at ?? this.custody.work.now,
    });
    this.#turns.set(number, turn);
    this.added.turnsAdded += 1;
    return turn;
  }

  #staged(redactions: number): void {
    this.changed = true;
    this.added.redactions += redactions;
    this.#rows += 1;
  }

  async #send(): Promise<void> {
    await this.custody.work.flush();
    this.#rows = 0;
  }
}

const countOf = { USER: 'user', ASSISTANT: 'assistant', SYSTEM: 'system', TOOL: 'tool' } as const;

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
