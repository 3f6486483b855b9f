import { setTimeout as wait } from 'node:timers/promises';
import { Refused, type Api } from '../../client/api/request.ts';
import { StartError } from '../../server/core/startError.ts';
import { callId } from './callIds.ts';
import { Claim } from './claim.ts';
import { ModelError, type Model } from './conversation.ts';
import { firstCalls, waitingFor, type Waiting } from './desk.ts';
import { endTenure, handOffForLimit } from './ends.ts';
import { answerOf } from './fallback.ts';
import type { Report } from './report.ts';
import type { Secrets } from './secrets.ts';
import type { Toolbox } from './toolbox.ts';
import { workIn } from './work.ts';

/** An agent that the runner works for. */
export interface Served {
  id: string;
  models: readonly Model[];
  /** Whether it was named: then all that it holds is worked on. */
  isNamed: boolean;
  openToolbox(): Promise<Toolbox>;
}

export interface RunnerOptions {
  ask: Api;
  runnerId: string;
  parallel: number;
  maxSteps: number;
  /** Pause: the Session pauses with what the models say. */
  onLimit: 'handoff' | 'wait' | 'pause';
  report: Report;
  secrets: Secrets;
  /** Only this Session. */
  sessionId?: string;
}

/** Before a tenure is tried again whose model is away. */
const limitMs = 60_000;

/** Works for agents: takes what waits for them, at most `parallel` tenures at once. */
export class Runner {
  readonly #options: RunnerOptions;
  #served: ReadonlyMap<string, Served> = new Map();
  readonly #running = new Map<string, Promise<void>>();
  /** When a tenure may be tried again. */
  readonly #later = new Map<string, number>();
  /** Tenures in which another program works. */
  readonly #foreign = new Set<string>();
  readonly #stopping = new AbortController();
  readonly #ending = new AbortController();
  #wake: () => void = () => undefined;

  constructor(options: RunnerOptions) {
    this.#options = options;
  }

  /** Sets the agents to work for. What runs goes on. */
  serve(served: readonly Served[]): void {
    this.#served = new Map(served.map((each) => [each.id, each]));
    this.#wake();
  }

  get running(): number {
    return this.#running.size;
  }

  /** Looks again for what waits. */
  wake(): void {
    this.#wake();
  }

  /** Takes nothing more. Steps that run are recorded, unless it is to end at once. */
  stop({ atOnce = false } = {}): void {
    this.#stopping.abort();
    if (atOnce) this.#ending.abort();
    this.#wake();
  }

  /** Works until `stop`. Looks when it is woken, when a tenure ends, and now and then for what another runner left. @throws Refused */
  async work(lookMs: number): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const woken = new Promise<void>((resolve) => (this.#wake = resolve));
      await this.#takeWaiting();
      const look = new AbortController();
      await Promise.race([woken, wait(lookMs, undefined, { signal: look.signal }).catch(() => undefined)]);
      look.abort();
    }
    await this.allEnd();
  }

  async allEnd(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }

  async #takeWaiting(): Promise<void> {
    const { ask, parallel, sessionId } = this.#options;
    if (this.#running.size >= parallel) return;
    const waiting = await waitingFor(ask, [...this.#served.keys()]);
    for (const tenure of waiting) {
      if (this.#running.size >= parallel || this.#stopping.signal.aborted) return;
      if (sessionId !== undefined && tenure.sessionId !== sessionId) continue;
      if (this.#running.has(tenure.agentSessionId) || !this.#isFree(tenure)) continue;
      if (await this.#isForRunners(tenure)) this.#begin(tenure);
    }
  }

  #isFree({ agentSessionId, claim }: Waiting): boolean {
    if (claim !== null && claim.runnerId !== this.#options.runnerId && new Date(claim.until) > new Date()) return false;
    return (this.#later.get(agentSessionId) ?? 0) <= Date.now();
  }

  /** Work in which another program has recorded turns is taken only for a named agent. */
  async #isForRunners({ agentId, agentSessionId, claim, isBegun }: Waiting): Promise<boolean> {
    if (claim !== null || !isBegun || this.#served.get(agentId)?.isNamed === true) return true;
    if (this.#foreign.has(agentSessionId)) return false;
    if ((await firstCalls(this.#options.ask, agentSessionId)).includes(callId(agentSessionId, 0, 0))) return true;
    this.#foreign.add(agentSessionId);
    return false;
  }

  #begin(tenure: Waiting): void {
    const done = this.#workIn(tenure)
      .catch((error: unknown) => this.#failed(tenure, error))
      .finally(() => {
        this.#running.delete(tenure.agentSessionId);
        this.#wake();
      });
    this.#running.set(tenure.agentSessionId, done);
  }

  async #workIn(tenure: Waiting): Promise<void> {
    const { ask, runnerId, report, maxSteps, secrets } = this.#options;
    const served = this.#served.get(tenure.agentId);
    const claim = await Claim.take(ask, { agentSessionId: tenure.agentSessionId, runnerId });
    if (served === undefined || claim === null) return;
    const place = { session: tenure.sessionId, agent: tenure.agentId };
    let toolbox: Toolbox | undefined;
    try {
      if (!(await acceptHandoffOf(ask, tenure))) return;
      report({ event: 'taken', ...place, text: 'takes the session over' });
      toolbox = await served.openToolbox();
      const end = await workIn(
        {
          ask,
          model: {
            contextWindow: served.models[0]!.contextWindow,
            answer: (question, signal) =>
              answerOf(served.models, question, { signal, stopping: this.#stopping.signal }, (text) =>
                report({ event: 'retry', ...place, text }),
              ),
          },
          toolbox,
          report,
          maxSteps,
          stopping: this.#stopping.signal,
          lost: AbortSignal.any([claim.lost, this.#ending.signal]),
          secrets,
        },
        tenure,
      );
      report({ event: 'ended', ...place, text: end });
    } finally {
      await toolbox?.close();
      await claim.release();
    }
  }

  /** A model that gives no answer, a server of tools that does not start, or a refusal that no answer of the model led to. */
  async #failed(tenure: Waiting, error: unknown): Promise<void> {
    if (this.#ending.signal.aborted) return;
    const { ask, report, onLimit } = this.#options;
    const { sessionId, agentSessionId } = tenure;
    const place = { session: sessionId, agent: tenure.agentId };
    const text = error instanceof Error ? error.message : String(error);
    try {
      if (error instanceof ModelError && error.isPassing && onLimit !== 'pause') {
        const target = onLimit === 'handoff' ? await handOffForLimit(ask, tenure, text) : null;
        if (target !== null) return report({ event: 'ended', ...place, text: `handed off to ${target}: ${text}` });
        this.#later.set(agentSessionId, Date.now() + limitMs);
        return report({ event: 'retry', ...place, text: `waits ${limitMs / 1_000} s: ${text}` });
      }
      if (error instanceof ModelError || error instanceof StartError) {
        await endTenure(ask, 'pause', { sessionId, reason: text });
        return report({ event: 'failed', ...place, text: `paused: ${text}` });
      }
    } catch (again) {
      if (!(again instanceof Refused)) throw again;
    }
    // What Baton refused, such as a step of a Session that was moved meanwhile, is read again.
    this.#later.set(agentSessionId, Date.now() + 1_000);
    report({ event: 'failed', ...place, text });
  }
}

const acceptMutation = `mutation RunAccept($input: AcceptHandoffInput!) { answer: acceptHandoff(input: $input) {
  __typename ... on Error { code message } } }`;

/** Takes the Session over, when it waits for that. False: it does not any more. */
async function acceptHandoffOf(ask: Api, { handoffId }: Waiting): Promise<boolean> {
  if (handoffId === null) return true;
  try {
    await ask(acceptMutation, { input: { handoffId } });
    return true;
  } catch (error) {
    if (error instanceof Refused && error.code === 'INVALID_STATE') return false;
    throw error;
  }
}
