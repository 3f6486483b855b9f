import { Refused, type Api } from '../../client/api/request.ts';
import type { Answer, Call, Entry, Model, Question, Step, Tool } from './conversation.ts';
import {
  confirmNotice,
  detect,
  handoffTools,
  readTenure,
  readTurns,
  recordResult,
  recordStep,
  type Notice,
  type TenureRead,
  type TurnRead,
  type Waiting,
} from './desk.ts';
import { endTenure, handOff } from './ends.ts';
import { Stopped } from './fallback.ts';
import { fitInto } from './fit.ts';
import { judge, type JudgedCall } from './judge.ts';
import { refused, runOwn, toolsFor, type Outcome, type Stage } from './ownTools.ts';
import { nudge, promptFor, type Prompt } from './prompt.ts';
import type { Report } from './report.ts';
import type { Secrets } from './secrets.ts';
import type { Toolbox } from './toolbox.ts';

export interface Worker {
  ask: Api;
  /** Answers by the first of the agent's models that can. @throws ModelError */
  model: Pick<Model, 'contextWindow'> & {
    answer: (...args: Parameters<Model['answer']>) => Promise<Answer & { by: Model }>;
  };
  toolbox: Toolbox;
  report: Report;
  maxSteps: number;
  /** Aborted: the step that runs is the last one. */
  stopping: AbortSignal;
  /** Aborted: the claim is lost, or the runner ends at once. No step is recorded any more. */
  lost: AbortSignal;
  secrets: Secrets;
}

/** Answers without text and without calls in a row, after which the Session pauses. */
const mostEmpty = 3;

/** Works in one tenure until it ends, the Session pauses, or the runner stops. Returns what ended it. @throws ModelError, Refused */
export async function workIn(worker: Worker, place: Waiting): Promise<string> {
  const tenure = await Tenure.open(worker, place);
  if (tenure === null) return 'taken back before it began';
  return tenure.work();
}

interface Opened {
  session: NonNullable<TenureRead['session']>;
  agent: NonNullable<TenureRead['agent']>;
}

class Tenure {
  /** The turn up to which the log was read. */
  #lastTurn = 0;
  /** The turn of the last step that this process recorded. */
  #recorded = 0;
  #steps = 0;
  #empty = 0;
  readonly #entries: Entry[] = [];
  /** Calls whose results the model sees as references. */
  readonly #left = new Set<string>();
  readonly #tools: readonly Tool[];
  readonly #stage: Stage | null;

  private constructor(
    private readonly worker: Worker,
    private readonly place: Waiting,
    private readonly read: Opened,
    private readonly prompt: Prompt,
    handoffs: readonly Tool[],
  ) {
    this.#stage = stageOf(read.session);
    this.#tools = [...handoffs, ...toolsFor(this.#stage), ...worker.toolbox.tools];
  }

  /** Null: the tenure has ended meanwhile. */
  static async open(worker: Worker, place: Waiting): Promise<Tenure | null> {
    const { ask } = worker;
    const { session, agent } = await readTenure(ask, place);
    if (session === null || agent === null || session.agentSession?.id !== place.agentSessionId) return null;
    const contextWindow = worker.model.contextWindow;
    const [prompt, handoffs] = await Promise.all([
      promptFor(ask, { session, agent }, { ...place, contextWindow }),
      handoffTools(ask, place.agentId),
    ]);
    return new Tenure(worker, place, { session, agent }, prompt, handoffs);
  }

  async work(): Promise<string> {
    try {
      return await this.#workOn();
    } finally {
      // After this the claim is released: the next runner reads these results in the log.
      await this.#news.catch(() => undefined);
    }
  }

  async #workOn(): Promise<string> {
    const { worker, place } = this;
    if (!(await this.#readOn(this.read.session))) return 'stopped: the session was paused or moved';
    const left = this.#entries.at(-1);
    if (left?.kind === 'step') {
      const end = await this.#goOn(left);
      if (end !== null) return end;
    }
    this.#hear();
    for (;;) {
      if (worker.stopping.aborted) {
        await this.#news;
        return 'stopped with the runner';
      }
      if (this.#steps >= worker.maxSteps) {
        await this.#news;
        const reason = `paused after ${this.#steps} steps, the most in a tenure`;
        await endTenure(worker.ask, 'pause', { sessionId: place.sessionId, reason });
        return reason;
      }
      const words = this.#lastWords();
      if (words !== null) {
        await endTenure(worker.ask, 'complete', { sessionId: place.sessionId, result: words });
        return 'finished with its last answer';
      }
      const end = await this.#step().catch((error: unknown) => {
        if (error instanceof Stopped) return 'stopped with the runner';
        throw error;
      });
      if (end !== null) return end;
      if (worker.lost.aborted) return 'stopped: another runner has the claim';
      if (!(await this.#readOn())) return 'stopped: the session was paused or moved';
    }
  }

  /** How long it took. */
  #readMs = 0;
  /** The log has to be read before the model is asked. */
  #isBehind = true;
  /** The results of the last step on their way to Baton: whether they stand at the end of the log, and the agent may work on. */
  #news: Promise<boolean> = Promise.resolve(true);

  /** Reads what is new in the log; `newest` is what was read of it. False: this agent may not work any more. */
  async #readOn(newest: TenureRead['session'] = null): Promise<boolean> {
    this.#readMs = 0;
    if (!this.#isBehind) return true;
    const began = performance.now();
    await this.#news;
    this.#news = Promise.resolve(true);
    const turns = await readTurns(this.worker.ask, this.place, this.#lastTurn, newest);
    this.#readMs = performance.now() - began;
    if (turns === null) return false;
    const { startSequence } = this.read.session.agentSession!;
    this.#lastTurn = newest?.turns.nodes[0]?.index ?? this.#lastTurn;
    for (const turn of turns) {
      this.#lastTurn = turn.index;
      if (turn.index === this.#recorded) continue;
      if (turn.agentSession !== null) {
        this.#entries.push(...toldIn(turn), stepOf(turn));
        this.#steps += 1;
        continue;
      }
      // What was said before is in the takeover prompt.
      for (const { role, content, sequence } of turn.messages)
        if (role === 'USER' && sequence >= startSequence) this.#entries.push({ kind: 'said', text: content });
    }
    return true;
  }

  /** What was decided about the agent's work and is not confirmed. */
  #notices: readonly Notice[] = [];
  /** What of it is not in the log. */
  #told: readonly string[] = [];

  /**
   * Gives the model what was decided about its work. The next step is recorded with it, and then it is confirmed: who goes on from the log
   * gives it at the same place, also after a kill in between.
   */
  #hear(): void {
    this.#notices = this.read.agent.notices.filter(({ toldAt }) => toldAt === null);
    const known = new Set(this.#entries.flatMap((entry) => (entry.kind === 'said' ? [entry.text] : [])));
    // An answer is in the log as the words of a person.
    this.#told = this.#notices
      .filter(({ decision, text }) => decision !== 'ANSWERED' && !known.has(text))
      .map(({ text }) => text);
    for (const text of this.#told) this.#entries.push({ kind: 'said', text });
  }

  async #confirm(): Promise<void> {
    await Promise.all(this.#notices.map((notice) => confirmNotice(this.worker.ask, notice)));
    [this.#notices, this.#told] = [[], []];
  }

  /** The answer that is the result: the second in a row without a call. */
  #lastWords(): string | null {
    const [before, last] = [this.#entries.at(-2), this.#entries.at(-1)];
    return last?.kind === 'step' &&
      before?.kind === 'step' &&
      last.calls.length + before.calls.length === 0 &&
      !this.#isCut
      ? last.text
      : null;
  }
  #isCut = false;

  /**
   * Asks the model while the results of the last step are recorded. Null: something else is new, such as a person's words, so that it has
   * to be asked again.
   */
  async #answer(question: Question): Promise<(Answer & { by: Model }) | null> {
    const { model, lost } = this.worker;
    const overtaken = new AbortController();
    const overtake = (): void => overtaken.abort(new Error('Something else is new'));
    this.#news.then((isQuiet) => isQuiet || overtake(), overtake);
    this.#isBehind = true;
    try {
      return await model.answer(question, AbortSignal.any([lost, overtaken.signal]));
    } catch (error) {
      if (overtaken.signal.aborted && !lost.aborted) return null;
      throw error;
    }
  }

  /** Asks the model once, records its answer, and runs its calls. Returns what ended the work. */
  async #step(): Promise<string | null> {
    const { worker, place, prompt } = this;
    const { ask } = worker;
    const began = performance.now();
    const { entries, truncated } = fitInto(worker.model.contextWindow, this.#conversation(), {
      fixed: JSON.stringify([prompt.system, this.#tools]).length,
      left: this.#left,
    });
    const answered = await this.#answer({
      ...place,
      tenure: tenureNumber(this.read.session, place),
      step: this.#steps,
      system: prompt.system,
      entries,
      tools: this.#tools,
    });
    if (answered === null) return null;
    const answeredAt = performance.now();
    const answer = {
      ...answered,
      response: worker.secrets.hideIn(answered.response),
      text: worker.secrets.hide(answered.text),
    };
    if (worker.lost.aborted) return 'stopped: another runner has the claim';
    // A value may come in parts of a stream.
    const detected = worker.secrets.hideIn(await detect(ask, place.agentId, answer.response));
    if (answer.text.trim() === '' && detected.calls.length === 0) return this.#emptyAnswer(answer);
    this.#empty = 0;
    this.#isCut = answer.isCut;
    await this.#news;
    const step = this.#steps;
    const calls = judge(detected, { agentSessionId: place.agentSessionId, step, tools: worker.toolbox.names }).map(
      (call, index): JudgedCall => {
        const options = answer.providerOptions[index];
        return options === undefined ? call : { ...call, providerOptions: options };
      },
    );
    this.#recorded = await recordStep(
      ask,
      { ...place, step },
      {
        told: this.#told,
        text: answer.text,
        calls,
        usage: answer.usage === null ? null : { ...answer.usage, model: answer.model },
        truncated,
      },
    );
    await this.#confirm();
    // A gap is what a person said while the model answered: it is read after the step.
    const hasGap = this.#recorded !== this.#lastTurn + 1;
    if (!hasGap) this.#lastTurn = this.#recorded;
    this.#steps += 1;
    this.#entries.push({ kind: 'step', text: answer.text, calls });
    this.#news = Promise.resolve(true);
    const { end, tools, hasRun } = await this.#run(calls);
    this.#isBehind = hasGap || !hasRun;
    const endedAt = performance.now();
    worker.report({
      event: 'step',
      session: place.sessionId,
      agent: place.agentId,
      step: step + 1,
      model: answer.by.name,
      usage: answer.usage,
      cost: costOf(answer),
      words: worker.secrets.clean(answer.text),
      calls: calls.map(({ name, error }) => ({ name, error })),
      modelMs: Math.round(answeredAt - began),
      addedMs: Math.round(this.#readMs + endedAt - answeredAt - tools),
    });
    return end;
  }

  async #emptyAnswer({ by }: { by: Model }): Promise<string | null> {
    const { ask, report } = this.worker;
    this.#empty += 1;
    report({ ...this.#named(), event: 'empty', text: `${by.name} gave an empty answer` });
    if (this.#empty < mostEmpty) return null;
    const reason = `paused: ${by.name} gave ${mostEmpty} empty answers in a row`;
    await endTenure(ask, 'pause', { sessionId: this.place.sessionId, reason });
    return reason;
  }

  #named(): { session: string; agent: string } {
    return { session: this.place.sessionId, agent: this.place.agentId };
  }

  /** The takeover, the entries, and a question after an answer without a call. */
  #conversation(): Entry[] {
    const last = this.#entries.at(-1);
    return [
      { kind: 'said', text: this.prompt.takeover },
      ...this.#entries,
      ...(last?.kind === 'step' && last.calls.length === 0 ? [{ kind: 'said' as const, text: nudge }] : []),
    ];
  }

  /** Runs the calls of a step that a runner recorded and did not end. */
  async #goOn(step: Step): Promise<string | null> {
    // The result of `finish` is recorded before the Session is completed: done again, it changes nothing but that.
    const open = step.calls.filter(
      ({ name, result, error }) => error === null && (result === null || (name === 'finish' && this.#stage === null)),
    );
    if (open.length === 0) return null;
    // Baton reads the recorded calls as it read the answer.
    const response = open.map(({ id, name, arguments: input }) => ({ type: 'tool_use', id, name, input }));
    const detected = await detect(this.worker.ask, this.place.agentId, response);
    const judged = judge(detected, { agentSessionId: '', step: 0, tools: this.worker.toolbox.names });
    const calls = open.map((call, index) =>
      Object.assign(call, { act: judged[index]!.act, error: judged[index]!.error }),
    );
    for (const call of calls.filter(({ error }) => error !== null)) void this.#settle(call, refused(call.error!));
    for (const call of calls.filter(({ act }) => act === 'tool')) void this.#settle(call, unknownOutcome(call));
    const { end } = await this.#run(calls.filter(({ act }) => act !== 'tool'));
    this.worker.report({
      ...this.#named(),
      event: 'resumed',
      text: `went on with ${open.map(({ name }) => name).join(', ')} of a runner that was stopped`,
    });
    return end;
  }

  /** Runs the calls that have no outcome yet: what ends the turn last. Returns also the time that tools of others took. */
  async #run(calls: readonly JudgedCall[]): Promise<{ end: string | null; tools: number; hasRun: boolean }> {
    const open = calls.filter(({ act, error }) => act !== 'none' && error === null);
    let tools = 0;
    await Promise.all(
      open
        .filter((call) => !isLast(call))
        .map(async (call) => {
          const began = performance.now();
          const outcome = await this.#outcomeOf(call);
          if (call.act === 'tool') tools = Math.max(tools, performance.now() - began);
          void this.#settle(call, outcome);
        }),
    );
    const last = open.find(isLast);
    return { end: last === undefined ? null : await this.#runLast(last), tools, hasRun: open.length > 0 };
  }

  async #outcomeOf(call: JudgedCall): Promise<Outcome> {
    const { worker, place } = this;
    if (call.act === 'tool') return worker.toolbox.run(call.name, call.arguments ?? {}, worker.lost);
    return runOwn(
      {
        ask: worker.ask,
        ...place,
        handoffId: this.read.session.agentSession?.initiatedByHandoff?.id ?? null,
        entries: this.#entries,
        stage: this.#stage,
      },
      { ...call, arguments: call.arguments ?? {} },
    );
  }

  async #runLast(call: JudgedCall): Promise<string | null> {
    const { worker, place } = this;
    await this.#news;
    if (call.act === 'handoff') {
      const { error, end } = await handOff(worker.ask, place, call);
      if (error !== null) void this.#settle(call, refused(error));
      return end;
    }
    const outcome = await this.#outcomeOf(call);
    if (outcome.after !== undefined) {
      await this.#settle(call, outcome);
      await outcome.after();
    } else if (outcome.end === null) void this.#settle(call, outcome);
    // The pipeline may be completed, and the log closed.
    else await this.#settle(call, outcome).catch(unlessRefused);
    return outcome.end;
  }

  /** Records the outcome of a call. Who does not wait for it hears of a failure by `#news`. */
  #settle(call: Call, { result, error }: Outcome): Promise<boolean> {
    call.result = result;
    call.error = error;
    const recorded = recordResult(this.worker.ask, this.place, call, this.#lastTurn);
    this.#news = Promise.all([this.#news, recorded]).then((all) => all.every(Boolean));
    this.#news.catch(() => undefined);
    return recorded;
  }
}

const isLast = ({ act, name }: JudgedCall): boolean => act === 'handoff' || act === 'finish' || name === 'ask_person';

const unknownOutcome = ({ name }: Call): Outcome =>
  refused(
    `The outcome of this call of '${name}' is unknown: the process that made it ended before it was answered. It may have had its effect. Find out before you call it again.`,
  );

function unlessRefused(error: unknown): void {
  if (!(error instanceof Refused)) throw error;
}

/** What the model was told before it answered. */
const toldIn = ({ messages }: TurnRead): Entry[] =>
  messages
    .filter(({ role, kind }) => role === 'SYSTEM' && kind === 'STATUS')
    .map(({ content }) => ({ kind: 'said', text: content }));

function stepOf({ messages, toolCalls }: TurnRead): Step {
  return {
    kind: 'step',
    text: messages
      .filter(({ role }) => role === 'ASSISTANT')
      .map(({ content }) => content)
      .join('\n\n'),
    calls: toolCalls.map(({ callId: id, name, arguments: given, result, error }) => ({
      id,
      name,
      arguments: given as Call['arguments'],
      result,
      error,
    })),
  };
}

function stageOf({ pipeline }: NonNullable<TenureRead['session']>): Stage | null {
  if (pipeline === null || pipeline.stage === null) return null;
  const { stage } = pipeline;
  const ways = pipeline.pipeline.transitions.filter(({ from }) => from === stage);
  return { outcomes: [...new Set(ways.map(({ outcome }) => outcome))] };
}

/** How often the agent had the Session before. */
function tenureNumber({ agentSessions }: NonNullable<TenureRead['session']>, place: Waiting): number {
  return agentSessions.nodes.filter(
    ({ id, activatedAt, agent }) => agent.id === place.agentId && id !== place.agentSessionId && activatedAt !== null,
  ).length;
}

function costOf({ usage, by }: { usage: Answer['usage']; by: Model }): number | null {
  if (usage === null || by.price === null) return null;
  const { input, output } = by.price;
  return ((usage.inputTokens ?? 0) * input + (usage.outputTokens ?? 0) * output) / 1_000_000;
}
