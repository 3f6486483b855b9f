import type { Pool } from 'pg';
import { errorCode } from '../../core/databaseErrors.ts';
import { encodeId } from '../../core/ids.ts';
import { observed } from '../../core/observed.ts';
import { runWork } from '../../core/runWork.ts';
import { batonItself, type Announcer, type Logger } from '../../core/work.ts';
import { disableWebhook } from '../../work/webhooks/changeWebhook.ts';
import { keyCheckOf, secretsOf, signatureOf } from '../../work/webhooks/signing.ts';
import {
  addDeliveries,
  beginAttempts,
  findDueDeliveries,
  forgetDeliveries,
  lookForEvents,
  markResults,
  type Due,
  type Result,
} from '../../work/webhooks/store.ts';
import { Lease } from './lease.ts';
import { answersWithin, type Answer, type Sender } from './send.ts';

/** The JSON of events, in their order; null for one that cannot be read. */
export type Bodies = (events: readonly { eventId: string; position: number }[]) => Promise<(string | null)[]>;

export interface DeliverOptions {
  pool: Pool;
  log: Logger;
  announcer?: Announcer;
  /** Resolves when every event committed before the call has its position in the order over all events. */
  positioned: () => Promise<void>;
  /** Calls back when there may be new events. Returns a function that stops it. */
  heard?: (wake: () => void) => () => void;
  bodies: Bodies;
  sender: Sender;
  /** BATON_WEBHOOK_KEY. */
  key: string;
  userAgent: string;
  /** How often to look for events and due deliveries, in milliseconds. */
  everyMs?: number;
  /** How long after the death of this process another one continues, in milliseconds; more than a delivery takes. */
  leaseMs?: number;
}

/** Requests to one webhook at a time, of different Sessions. */
const atOnce = 10;
/** Time that an attempt may take besides the request. */
const slackMs = 2_000;
const gatherMs = 50;
const forgetEveryMs = 60_000;
const stopsWithin = 4_000;

/**
 * Sends events to webhooks: first a row for each event and webhook, then a request for each row that is due. One process at a
 * time does it. An attempt is counted before its request is sent, and its result is recorded after the answer, so that one is repeated
 * after a kill and none is lost; the next of its Session begins after the result.
 */
export class Deliverer {
  readonly #lease: Lease;
  readonly #underWay = new Map<string, { webhookId: string; done: Promise<void> }>();
  #results: Result[] = [];
  #look = true;
  #lookedAt = -Infinity;
  #forgotAt = -Infinity;
  #wake: () => void = () => undefined;
  #woken = false;
  #soon: NodeJS.Timeout | undefined;
  #stopped = false;
  #lastFailure: string | null = null;

  constructor(private readonly options: DeliverOptions) {
    this.#lease = new Lease(options.pool, options.leaseMs ?? answersWithin + slackMs + 8_000);
  }

  /** Runs until `stop`. Never rejects. */
  async run(): Promise<void> {
    const { log, everyMs = 500 } = this.options;
    const unheard = this.options.heard?.(() => {
      this.#look = true;
      // Commits that follow each other share a look.
      this.#soon ??= setTimeout(() => this.wake(), gatherMs).unref();
    });
    while (!this.#stopped) {
      let pauseMs = everyMs;
      try {
        if (!(await this.#pass())) pauseMs = Math.max(everyMs, 1_000);
        if (this.#lastFailure !== null) log.info({}, 'Webhooks are sent again');
        this.#lastFailure = null;
      } catch (error) {
        observed('failure', this.options.pool, { part: 'webhook' });
        const reason = errorCode(error) ?? 'unknown';
        if (reason !== this.#lastFailure)
          log.warn({ err: error }, 'Webhooks could not be sent: it will be tried again, and nothing else is affected');
        this.#lastFailure = reason;
        pauseMs = 1_000;
      }
      await this.#pause(pauseMs);
    }
    unheard?.();
    clearTimeout(this.#soon);
  }

  wake(): void {
    clearTimeout(this.#soon);
    this.#soon = undefined;
    this.#woken = true;
    this.#wake();
  }

  /** Resolves when the results of the requests under way are recorded. Those without an answer after 4 seconds have failed. */
  async stop(running: Promise<void>): Promise<void> {
    this.#stopped = true;
    this.wake();
    await running;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, stopsWithin)));
    await Promise.race([Promise.all([...this.#underWay.values()].map(({ done }) => done)), late]);
    clearTimeout(timer);
    // Ends the requests that still run, whose results follow.
    this.options.sender.close();
    await Promise.all([...this.#underWay.values()].map(({ done }) => done));
    await this.#mark()
      .then(() => this.#lease.release())
      .catch(() => undefined);
  }

  /** False when another process sends. */
  async #pass(): Promise<boolean> {
    const held = await this.#lease.hold();
    await this.#mark();
    if (!held) return false;
    const now = performance.now();
    if (this.#look || now - this.#lookedAt >= (this.options.everyMs ?? 500)) {
      this.#look = false;
      this.#lookedAt = now;
      await this.#addNew();
    }
    await this.#send();
    if (now - this.#forgotAt >= forgetEveryMs && (await this.#lease.within(forgetDeliveries)) !== true)
      this.#forgotAt = now;
    return true;
  }

  /** Records what has been answered since the last pass, in one transaction. */
  async #mark(): Promise<void> {
    if (this.#results.length === 0) return;
    const results = this.#results;
    this.#results = [];
    try {
      const ended = await this.#lease.beside((client) => markResults(client, results));
      for (const { webhookId, reason } of ended) await this.#disable(webhookId, reason);
    } catch (error) {
      // They are marked by a later pass.
      this.#results = [...results, ...this.#results];
      throw error;
    }
    for (const { id } of results) this.#underWay.delete(id);
  }

  async #disable(webhookId: string, reason: 'GONE' | 'FAILING'): Promise<void> {
    const { pool, log, announcer } = this.options;
    const options = { pool, log, announcer, caller: batonItself('webhook'), mutation: 'disableWebhook', input: {} };
    await runWork(options, (work) => disableWebhook(work, { webhookId, reason }));
    this.#look = true;
  }

  async #addNew(): Promise<void> {
    const { pool, positioned } = this.options;
    const { waiting, behind } = await lookForEvents(pool);
    if (waiting) await positioned();
    if (!waiting && !behind) return;
    while (!this.#stopped && (await this.#lease.within(addDeliveries)) === true);
  }

  async #send(): Promise<void> {
    const { pool, bodies } = this.options;
    if (this.#stopped) return;
    const due = (await findDueDeliveries(pool, [...this.#underWay.keys()], atOnce)).filter(
      ({ webhookId }, index, all) => {
        const before = all.slice(0, index).filter((other) => other.webhookId === webhookId).length;
        const running = [...this.#underWay.values()].filter((other) => other.webhookId === webhookId).length;
        return before + running < atOnce;
      },
    );
    if (due.length === 0) return;
    const texts = await bodies(due);
    const ids = due.map(({ id }) => id);
    const begun = await this.#lease.within((client) => beginAttempts(client, ids, answersWithin + slackMs));
    due.forEach((delivery, index) => {
      const { id, webhookId } = delivery;
      const attempt = begun?.get(id);
      if (attempt === undefined) return;
      const done = this.#attempt(delivery, texts[index]!).then(({ status, error }) => {
        if (error !== null) observed('failure', pool, { part: 'webhook' });
        this.#results.push({ id, attempt, response: status, error });
        this.wake();
      });
      this.#underWay.set(id, { webhookId, done });
    });
  }

  async #attempt(delivery: Due, body: string | null): Promise<Answer> {
    const { id, webhookId, url, redeliveryOfId } = delivery;
    const { key, sender, userAgent } = this.options;
    if (body === null) return { status: null, error: 'INTERNAL' };
    if (delivery.keyCheck !== keyCheckOf(key, webhookId)) return { status: null, error: 'SIGNING_KEY' };
    const now = new Date();
    const headers = {
      'content-type': 'application/json',
      'user-agent': userAgent,
      'baton-delivery': encodeId('delivery', id),
      'baton-webhook': encodeId('webhook', webhookId),
      'baton-signature': signatureOf(
        secretsOf(key, { ...delivery, id: webhookId }, now),
        body,
        Math.floor(now.getTime() / 1_000),
      ),
      ...(redeliveryOfId !== null && { 'baton-redelivery': encodeId('delivery', redeliveryOfId) }),
    };
    return sender.post(url, headers, body);
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.#woken ? 0 : ms).unref();
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
      if (this.#woken) this.#wake();
      this.#woken = false;
    });
  }
}

/** Sends webhooks until stopped. */
export function startDelivering(options: DeliverOptions): { stop(): Promise<void> } {
  const deliverer = new Deliverer(options);
  const running = deliverer.run();
  return { stop: () => deliverer.stop(running) };
}
