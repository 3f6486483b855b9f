import { existsSync, writeFileSync } from 'node:fs';
import { AcceptHandoffDocument, CompleteHandoffDocument, FailHandoffDocument } from '../../client/api/operations.ts';
import { createApi, type Api } from '../../client/api/request.ts';
import { StartError } from '../../server/core/startError.ts';
import { formats } from '../hook/lines.ts';
import { confirmNotice, type Notice } from '../hook/session.ts';
import { workspaceIn } from '../hook/work.ts';
import { recordedTreeFields, recordTree, workingTreeIn } from '../hook/workingTree.ts';
import { givenTo, type Accepted } from './given.ts';
import { withHistory, writeHistory, type History } from './history.ts';
import { importTranscripts } from './importTranscripts.ts';
import { refusalOf, workPlaceFields, type WorkPlace } from './place.ts';
import { outcomeOf, reasonOf, type Outcome } from './outcome.ts';
import { isRefusal, patient, whileAway } from './patience.ts';
import { ended, isStarted, signalCommand, startCommand } from './processes.ts';
import { keepTranscript, lastOutput, noticesOf, promptFile, startedAt, type Run } from './runs.ts';
import type { Watched } from './watched.ts';

interface WaitingPage {
  handoffs: {
    nodes: { id: string; session: { status: string; workspace: WorkPlace | null } }[];
    pageInfo: { hasNextPage: boolean; endCursor: string | null };
  };
}

const waitingQuery = `query WatchWaiting($agent: ID!, $after: String) {
  handoffs(first: 100, after: $after, where: { targetAgentId: $agent, status: [INITIATED] }, orderBy: { field: INITIATED_AT, direction: ASC }) {
    nodes { id session { status ${workPlaceFields} } } pageInfo { hasNextPage endCursor }
  }
}`;
const shortPromptQuery =
  'query WatchPrompt($id: ID!, $maxTokens: Int) { handoff(id: $id) { contextPrompt(maxTokens: $maxTokens) { text } } }';
const previewQuery =
  'query WatchPreview($id: ID!, $maxTokens: Int) { contextPreview(sessionId: $id, maxTokens: $maxTokens) { text } }';
const takenQuery =
  'query WatchTaken($id: ID!) { handoff(id: $id) { status session { id } targetAgentSession { state } } }';

interface TakenData {
  handoff: { status: string; session: { id: string }; targetAgentSession: { state: string } | null } | null;
}

/** What a person has to decide about the work of a handoff, or has decided. */
const decidedQuery = `query WatchDecided($id: ID!) { handoff(id: $id) { id sourceAgent { id } workspace { branch commit } targetAgentSession { state traceparent }
  session { id title status ${workPlaceFields} ${recordedTreeFields} approval { kind } } } }`;
const noticesQuery =
  'query WatchNotices($agent: ID!, $session: ID!) { agent(id: $agent) { notices(sessionId: $session) { id decision text toldAt } } }';

type Decided = Omit<Accepted, 'contextPrompt' | 'targetAgentSession' | 'session'> & {
  targetAgentSession: { state: string; traceparent: string } | null;
  session: Accepted['session'] & { status: string; approval: { kind: 'HANDOFF' | 'QUESTION' } | null };
};

const maxTokens = 8_000;
/** Beside the whole history. */
const shortMaxTokens = 2_000;

/** For recording the working tree. */
const treeMs = 10_000;
const confirmMs = 10_000;

/** Takes the handoffs of one agent and runs the command for each, at most `parallel` at once. */
export class Watcher {
  readonly #watched: Watched;
  readonly #api: Api;
  /** For what a run has to tell Baton in any case. */
  readonly #ask: Api;
  readonly #running = new Map<Run, Promise<void>>();
  /** Handoffs of work elsewhere, as they were reported. */
  readonly #left = new Set<string>();
  #stopReason: string | null = null;
  #isStopping = false;
  #failures = 0;

  constructor(watched: Watched) {
    this.#watched = watched;
    this.#api = createApi(watched);
    this.#ask = patient(this.#api);
  }

  get running(): number {
    return this.#running.size;
  }

  /** Runs whose command failed. */
  get failures(): number {
    return this.#failures;
  }

  /** Resolves when one of the runs ends. Never without one. */
  oneEnds(): Promise<void> {
    return this.#running.size === 0 ? new Promise(() => undefined) : Promise.race(this.#running.values());
  }

  async allEnd(): Promise<void> {
    while (this.#running.size > 0) await this.oneEnds();
  }

  /** Takes over runs of processes that ended, then what a person decided, then handoffs that wait, while places are free. @throws Refused */
  async takeWaiting(): Promise<void> {
    const { agent, runs, parallel } = this.#watched;
    const isFree = (): boolean => !this.#isStopping && this.#running.size < parallel;
    for (let run = isFree() ? runs.adopt() : null; run !== null; run = isFree() ? runs.adopt() : null)
      this.#begin(run, true);
    for (const handoffId of isFree() ? runs.waiting : []) if (isFree()) await this.#takeDecided(handoffId);
    for (let after: string | null = null, isMore = isFree(); isMore && isFree();) {
      const { handoffs }: WaitingPage = await this.#api<WaitingPage>(waitingQuery, { agent, after });
      // In a paused session nothing can be recorded.
      for (const { id, session } of handoffs.nodes) {
        if (!isFree() || session.status !== 'RUNNING' || !this.#isOurs(id, session.workspace)) continue;
        const run = runs.claim(id);
        if (run !== null) this.#begin(run, false);
      }
      [after, isMore] = [handoffs.pageInfo.endCursor, handoffs.pageInfo.hasNextPage];
    }
  }

  /** Begins a run that goes on with what a person decided about the work of an earlier one. @throws Refused */
  async #takeDecided(handoffId: string): Promise<void> {
    const { runs } = this.#watched;
    const { work, notices } = await this.#decided(this.#api, handoffId);
    if (work === null || (notices.length === 0 && work.session.approval === null)) return runs.waitNoMore(handoffId);
    // In a paused session nothing can be recorded.
    if (notices.length === 0 || work.session.status !== 'RUNNING') return;
    const run = runs.claim(handoffId, notices);
    if (run === null) return;
    runs.waitNoMore(handoffId);
    this.#begin(run, false);
  }

  /** The work of a handoff that its agent still holds, and what the agent was not told of yet; null when it holds it no more. */
  async #decided(ask: Api, handoffId: string): Promise<{ work: Decided | null; notices: Notice[] }> {
    const { handoff } = await ask<{ handoff: Decided | null }>(decidedQuery, { id: handoffId });
    const state = handoff?.targetAgentSession?.state;
    if (handoff === null || (state !== 'ACTIVE' && state !== 'PAUSED')) return { work: null, notices: [] };
    const { agent } = await ask<{ agent: { notices: Notice[] } | null }>(noticesQuery, {
      agent: this.#watched.agent,
      session: handoff.session.id,
    });
    return { work: handoff, notices: (agent?.notices ?? []).filter(({ toldAt }) => toldAt === null) };
  }

  /** Says once of each handoff why it is not taken. @throws StartError when the folder is gone */
  #isOurs(handoffId: string, place: WorkPlace | null): boolean {
    const { here, also, report } = this.#watched;
    if (!existsSync(here.folder))
      throw new StartError(`The folder ${here.folder} is not there any more: nothing is taken for it`);
    const reason = refusalOf(here, place, also);
    if (reason !== null && !this.#left.has(handoffId)) {
      this.#left.add(handoffId);
      report({ event: 'elsewhere', handoff: handoffId, reason, text: `not taken: ${reason}` });
    }
    return reason === null;
  }

  /** Takes nothing more. */
  stopTaking(): void {
    this.#isStopping = true;
  }

  /** Stops the commands that run; their handoffs fail with the reason. */
  stopCommands(signal: NodeJS.Signals, reason: string): void {
    this.#stopReason = reason;
    for (const run of this.#running.keys()) if (isStarted(run.folder)) signalCommand(run.folder, signal);
  }

  #begin(run: Run, isAdopted: boolean): void {
    const done = this.#work(run, isAdopted)
      .catch((error: unknown) => {
        this.#failures += 1;
        this.#watched.report({
          event: 'error',
          handoff: run.handoffId,
          text: `not finished, the next start goes on: ${error instanceof Error ? error.message : String(error)}`,
        });
      })
      .finally(() => this.#running.delete(run));
    this.#running.set(run, done);
  }

  async #work(run: Run, isAdopted: boolean): Promise<void> {
    const { runs, report } = this.#watched;
    const { handoffId, folder } = run;
    if (isStarted(folder))
      report({
        event: 'resumed',
        handoff: handoffId,
        text: 'resumed: its command was started by a process that has ended',
      });
    else if (!(await this.#start(run, isAdopted))) return runs.finish(run);
    const exitCode = await ended(folder);
    const seconds = Math.round((Date.now() - startedAt(run).getTime()) / 1_000);
    const { outcome, session, reason } = await this.#settle(run, exitCode);
    const isUndecided = outcome === 'completed' && (await this.#waitsForPerson(handoffId));
    runs.finish(run);
    if (outcome === 'failed' || outcome === 'kept') this.#failures += 1;
    report({
      event: outcome,
      handoff: handoffId,
      ...(session !== null && { session }),
      exitCode,
      ...(reason !== null && { reason }),
      text: `${said[outcome]} after ${seconds} s${reason === null ? '' : `: ${reason}`}`,
    });
    if (isUndecided)
      report({
        event: 'waits for a person',
        handoff: handoffId,
        ...(session !== null && { session }),
        text: 'waits for a person to decide or to answer: the command is started again unless the handoff is approved',
      });
  }

  /** Whether a person has to decide about the work, or decided what the command did not hear. It is then looked at again. */
  async #waitsForPerson(handoffId: string): Promise<boolean> {
    const { work, notices } = await this.#decided(this.#ask, handoffId);
    if (work === null || (work.session.approval === null && notices.length === 0)) return false;
    this.#watched.runs.wait(handoffId);
    return true;
  }

  /** Accepts the handoff and starts the command. False: another process has the handoff, or it is no longer there. */
  async #start(run: Run, isAdopted: boolean): Promise<boolean> {
    const { agent, url, command, here, report } = this.#watched;
    const notices = noticesOf(run);
    const accepted = notices === null ? await this.#accept(run, isAdopted) : await this.#goesOn(run, notices);
    if (accepted === null) return false;
    try {
      const history = await this.#historyFor(run, accepted);
      const { prompt, env } = givenTo(
        agent,
        url,
        await this.#withPrompt(accepted, history?.isWhole === true, notices),
        history,
        workspaceIn(here.folder),
        await workingTreeIn(here.folder),
      );
      writeFileSync(promptFile(run), prompt, { mode: 0o600 });
      await startCommand(run.folder, withHistory(command, history), env);
    } catch (error) {
      const reason = `baton watch could not start its command: ${error instanceof Error ? error.message : String(error)}`;
      await this.#ask(FailHandoffDocument, { input: { handoffId: run.handoffId, reason } });
      this.#failures += 1;
      report({ event: 'failed', handoff: run.handoffId, session: accepted.session.id, reason, text: reason });
      return false;
    }
    report({
      event: 'started',
      handoff: run.handoffId,
      session: accepted.session.id,
      ...(notices !== null && { reason: whyAgain(notices) }),
      text: `started${notices === null ? '' : ` again, ${whyAgain(notices)}`}: ${accepted.session.title}${accepted.sourceAgent === null ? '' : `, from ${accepted.sourceAgent.id}`}`,
    });
    return true;
  }

  /** The history with which the command goes on; null when it begins with the prompt. */
  async #historyFor(run: Run, { session }: Accepted): Promise<History | null> {
    const { agent, url, key, native, report } = this.#watched;
    if (native === null) return null;
    const history = await whileAway(() => writeHistory(native, { agent, url, key, sessionId: session.id }));
    if (typeof history === 'string') {
      report({
        event: 'not resumed',
        handoff: run.handoffId,
        session: session.id,
        reason: history,
        text: `begins with the prompt, without a history: ${history}`,
      });
      return null;
    }
    keepTranscript(run, { path: history.path, format: formats[native] });
    return history;
  }

  /** Confirms what the agent hears before its hooks ask. Null: it holds the work no more. */
  async #goesOn({ handoffId }: Run, notices: readonly Notice[]): Promise<Accepted | null> {
    const { url, key } = this.#watched;
    const { work } = await this.#decided(this.#ask, handoffId);
    if (work === null) return null;
    for (const { id } of notices)
      await whileAway(() => confirmNotice({ url, key }, id, AbortSignal.timeout(confirmMs)));
    return { ...work, contextPrompt: { text: '' } };
  }

  /** What the history does not have: why the agent got the session, and its instructions; or what was decided. */
  async #withPrompt(accepted: Accepted, isWhole: boolean, notices: readonly Notice[] | null): Promise<Accepted> {
    if (notices !== null) {
      const { contextPreview } = isWhole
        ? { contextPreview: null }
        : await this.#ask<{ contextPreview: { text: string } | null }>(previewQuery, {
            id: accepted.session.id,
            maxTokens,
          });
      const texts = [...notices.map(({ text }) => text), ...(contextPreview === null ? [] : ['', contextPreview.text])];
      return { ...accepted, contextPrompt: { text: texts.join('\n') } };
    }
    if (!isWhole) return accepted;
    const { handoff } = await this.#ask<{ handoff: Pick<Accepted, 'contextPrompt'> | null }>(shortPromptQuery, {
      id: accepted.id,
      maxTokens: shortMaxTokens,
    });
    return { ...accepted, ...handoff };
  }

  /** Of all processes of the agent, on all machines, one gets the handoff: each has its own key. */
  async #accept({ handoffId, key }: Run, isAdopted: boolean): Promise<Accepted | null> {
    const { report } = this.#watched;
    try {
      const { handoff } = await this.#ask(AcceptHandoffDocument, {
        input: { handoffId, idempotencyKey: key },
        maxTokens,
      });
      // A repeated acceptance shows what became of the handoff since.
      if (handoff.status === 'ACCEPTED') return handoff;
      report({ event: 'gone', handoff: handoffId, text: `not started: the handoff is ${handoff.status}` });
    } catch (error) {
      if (!isRefusal(error, 'INVALID_STATE', 'NOT_FOUND')) throw error;
      if (isAdopted) report({ event: 'not taken', handoff: handoffId, text: `not taken: ${error.message}` });
    }
    return null;
  }

  /** Imports the transcript, then completes or fails the handoff. */
  async #settle(
    run: Run,
    exitCode: number | null,
  ): Promise<{ outcome: Outcome; session: string | null; reason: string | null }> {
    for (let isImported = false; ;) {
      const { handoff } = await this.#ask<TakenData>(takenQuery, { id: run.handoffId });
      if (handoff === null) return { outcome: 'gone', session: null, reason: null };
      const session = handoff.session.id;
      if (!isImported) {
        await importTranscripts(this.#watched, run, session);
        if (handoff.status === 'ACCEPTED') await this.#recordTree(run, session);
        isImported = true;
        continue;
      }
      const outcome = outcomeOf(
        { status: handoff.status, tenure: handoff.targetAgentSession?.state ?? null },
        exitCode,
      );
      const reason =
        outcome === 'failed' || outcome === 'kept'
          ? reasonOf(exitCode, this.#withoutKey(lastOutput(run)), this.#stopReason)
          : null;
      try {
        if (outcome === 'completed' && handoff.status === 'ACCEPTED')
          await this.#ask(CompleteHandoffDocument, { input: { handoffId: run.handoffId } });
        if (outcome === 'failed')
          await this.#ask(FailHandoffDocument, { input: { handoffId: run.handoffId, reason: reason! } });
        return { outcome, session, reason };
      } catch (error) {
        // The handoff changed since it was read.
        if (!isRefusal(error, 'INVALID_STATE')) throw error;
      }
    }
  }

  /** The state of the files that the command left, for who gets the session next. */
  async #recordTree({ handoffId }: Run, session: string): Promise<void> {
    const { url, key, here, report } = this.#watched;
    const tree = await workingTreeIn(here.folder);
    if (tree === null) return;
    const problem = await recordTree({ url, key }, session, tree, AbortSignal.timeout(treeMs));
    if (problem !== null) report({ event: 'not recorded', handoff: handoffId, session, text: problem });
  }

  #withoutKey(output: string): string {
    const { key } = this.#watched;
    return key === undefined ? output : output.replaceAll(key, '[redacted]');
  }
}

const decided: Record<string, string> = {
  DECLINED: 'declined',
  TIMED_OUT: 'not decided in time',
  ANSWERED: 'answered',
  CANCELLED: 'resumed without an answer',
};

/** Why the command is started once more. */
const whyAgain = (notices: readonly Notice[]): string =>
  notices
    .map(({ id, decision }) =>
      decision === 'CANCELLED' && id.startsWith('handoff_') ? 'taken back' : (decided[decision ?? ''] ?? 'came back'),
    )
    .join(', ');

const said: Record<Outcome, string> = {
  completed: 'completed',
  'passed on': 'completed, and the session was passed on or finished,',
  failed: 'failed',
  kept: 'failed after it had taken the session over, which it keeps,',
  gone: 'ended; the handoff was ended by others before',
};
