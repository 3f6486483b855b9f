import { randomBytes } from 'node:crypto';
import type { Hint } from './doorbell.ts';
import { fromMessage, toMessages } from './hints.ts';
import { LocalDoorbell } from './localDoorbell.ts';
import type { Log } from '../infra/log.ts';
import { openRedisLine, type RedisLine } from './redisLine.ts';

export interface RedisDoorbellOptions {
  urls: readonly string[];
  /** Processes on one database share it, and nobody else. */
  channel: string;
  log: Log;
  /** How often it listens for its own voice, in milliseconds. */
  echoMs?: number;
}

/** More than this are not left waiting for a Redis that takes nothing: who listens hears of their loss instead. */
const mostWaiting = 200;
/** Connections that were deaf for so many echoes are given up for new ones: some networks lose them without a word. */
const deafAfter = 15;
const lookEverywhere = 'look';

/**
 * Rings in every process through Redis pub/sub. Redis may be away, frozen, or say anything: this process knows within
 * two echoes that it hears nothing, for it also listens for itself, and says so by `hears`.
 */
export class RedisDoorbell extends LocalDoorbell {
  readonly #self = `echo ${randomBytes(6).toString('hex')} `;
  #line: RedisLine;
  #hears = false;
  #sent = 0;
  #heard = 0;
  #deaf = 0;
  #waiting = 0;
  /** Whether something was not published that others should have heard. */
  #owes = false;
  #reason: string | undefined;
  #saidAway = false;
  readonly #timer: NodeJS.Timeout;
  #closed = false;

  constructor(private readonly options: RedisDoorbellOptions) {
    super();
    this.#line = this.#connect();
    this.#timer = setInterval(() => this.#listenForEcho(), options.echoMs ?? 400).unref();
  }

  override get shared(): boolean {
    return true;
  }

  override get hears(): boolean {
    return this.#hears;
  }

  override ring(hints: readonly Hint[]): void {
    super.ring(hints);
    for (const message of toMessages(hints)) this.#publish(message);
  }

  override async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    this.#line.close();
    await super.close();
  }

  #connect(): RedisLine {
    const line: RedisLine = openRedisLine(this.options.urls, this.options.channel, {
      message: (text) => this.#take(text),
      listening: () => {
        if (line !== this.#line) return;
        this.missed();
        this.#echo();
      },
      lost: (error) => {
        if (line !== this.#line || this.#closed) return;
        if (error !== undefined) this.#reason = error.message;
        this.#away();
      },
      failed: (error) => {
        if (line === this.#line) this.#reason = error.message;
      },
    });
    return line;
  }

  #take(text: string): void {
    if (text.startsWith(this.#self)) {
      this.#heard = Math.max(this.#heard, Math.min(Number(text.slice(this.#self.length)) || 0, this.#sent));
      if (this.#heard === this.#sent) this.#back();
    } else if (text === lookEverywhere) {
      this.missed();
    } else {
      super.ring(fromMessage(text));
    }
  }

  #listenForEcho(): void {
    if (this.#heard < this.#sent) {
      this.#deaf += 1;
      this.#away();
      if (this.#deaf % deafAfter === 0) {
        this.#line.close();
        this.#line = this.#connect();
      }
    }
    this.#echo();
  }

  #echo(): void {
    this.#sent += 1;
    this.#publish(`${this.#self}${this.#sent}`);
  }

  #publish(message: string): void {
    const isEcho = message.startsWith(this.#self);
    if (this.#waiting >= mostWaiting) {
      this.#owes ||= !isEcho;
      return;
    }
    this.#waiting += 1;
    this.#line
      .publish(message)
      .catch((error: unknown) => {
        this.#owes ||= !isEcho;
        this.#reason = (error as Error).message;
        if (!this.#closed) this.#away();
      })
      .finally(() => (this.#waiting -= 1));
  }

  #away(): void {
    this.#hears = false;
    if (this.#saidAway) return;
    this.#saidAway = true;
    this.options.log.warn({ reason: this.#reason }, 'Redis is away: listeners are served by asking the database');
  }

  #back(): void {
    this.#deaf = 0;
    this.#pay();
    if (this.#hears) return;
    this.#hears = true;
    this.missed();
    if (this.#saidAway) this.options.log.info('Redis is back');
    this.#saidAway = false;
    this.#reason = undefined;
  }

  #pay(): void {
    if (!this.#owes) return;
    this.#owes = false;
    this.#publish(lookEverywhere);
  }
}
