import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import type { Hint } from '../../core/work.ts';
import type { Log } from '../../infra/log.ts';
import { type Doorbell, LocalDoorbell } from './doorbell.ts';
import { fromMessage, toMessages } from './hint.ts';
import { connectorFor, publisherAnswers, subscriberAnswers } from './redisConnector.ts';

export interface DoorbellOptions {
  /** Nodes of one Redis; undefined for a doorbell of this process alone. */
  urls: readonly string[] | undefined;
  /** Processes hear each other when they share a database. */
  databaseId: string;
  log: Log;
}

export function createDoorbell({ urls, databaseId, log }: DoorbellOptions): Doorbell {
  return urls === undefined ? new LocalDoorbell() : new RedisDoorbell(urls, `baton:${databaseId}`, log);
}

const echoMs = 400;
/** Connections that were deaf for this many echoes are replaced: some networks lose them silently. */
const deafLimit = 8;
/** Further messages are dropped, and the listeners look everywhere instead. */
const waitingLimit = 200;
const lookEverywhere = 'look';

/**
 * Rings in every process through Redis pub/sub. Redis may be away, frozen, or say anything: this process also listens for its
 * own echo, so it knows within two echoes that it hears nothing, and says so by `hears`.
 */
class RedisDoorbell extends LocalDoorbell {
  readonly #self = `echo ${randomBytes(6).toString('hex')} `;
  readonly #timer: NodeJS.Timeout;
  #line: Line;
  #lines = 0;
  #hears = false;
  #echoesSent = 0;
  #echoesHeard = 0;
  #deaf = 0;
  #waiting = 0;
  /** Whether a message was dropped that others should have heard. */
  #owes = false;
  #reason: string | undefined;
  #saidAway = false;
  #closed = false;

  constructor(
    private readonly urls: readonly string[],
    private readonly channel: string,
    private readonly log: Log,
  ) {
    super();
    this.#line = this.#connect();
    this.#timer = setInterval(() => this.#listenForEcho(), echoMs).unref();
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

  /** Connects each time to the next node: the nodes of a cluster pass every message on to each other. */
  #connect(): Line {
    const url = this.urls[this.#lines % this.urls.length]!;
    this.#lines += 1;
    // A URL without credentials has those of the first.
    const line: Line = openLine({ ...credentialsOf(this.urls[0]!), url }, this.channel, {
      message: (text) => this.#take(text),
      listening: () => {
        if (line !== this.#line) return;
        this.missed();
        this.#echo();
      },
      failed: (error) => {
        if (line === this.#line) this.#away(error);
      },
    });
    return line;
  }

  #take(text: string): void {
    if (text.startsWith(this.#self)) {
      this.#echoesHeard = Math.max(
        this.#echoesHeard,
        Math.min(Number(text.slice(this.#self.length)) || 0, this.#echoesSent),
      );
      if (this.#echoesHeard === this.#echoesSent) this.#back();
    } else if (text === lookEverywhere) {
      this.missed();
    } else {
      super.ring(fromMessage(text));
    }
  }

  #listenForEcho(): void {
    if (this.#echoesHeard < this.#echoesSent) {
      this.#deaf += 1;
      this.#away();
      if (this.#deaf % deafLimit === 0) {
        this.#line.close();
        this.#line = this.#connect();
      }
    }
    this.#echo();
  }

  #echo(): void {
    this.#echoesSent += 1;
    this.#publish(`${this.#self}${this.#echoesSent}`);
  }

  #publish(message: string): void {
    const drop = (): void => void (this.#owes ||= !message.startsWith(this.#self));
    if (this.#waiting >= waitingLimit) return drop();
    this.#waiting += 1;
    this.#line
      .publish(message)
      .catch((error: Error) => {
        drop();
        this.#away(error);
      })
      .finally(() => (this.#waiting -= 1));
  }

  #away(error?: Error): void {
    if (this.#closed) return;
    this.#hears = false;
    this.#reason = error?.message ?? this.#reason;
    if (this.#saidAway) return;
    this.#saidAway = true;
    this.log.warn({ reason: this.#reason }, 'Redis is away: listeners are served by asking the database');
  }

  #back(): void {
    this.#deaf = 0;
    if (this.#owes) {
      this.#owes = false;
      this.#publish(lookEverywhere);
    }
    if (this.#hears) return;
    this.#hears = true;
    this.missed();
    if (this.#saidAway) this.log.info('Redis is back');
    this.#saidAway = false;
    this.#reason = undefined;
  }
}

/** One connection each to publish and to listen on a channel. */
interface Line {
  publish(message: string): Promise<unknown>;
  close(): void;
}

interface LineEvents {
  message(text: string): void;
  /** The channel is listened to from now on; messages before were missed. */
  listening(): void;
  failed(error: Error): void;
}

function credentialsOf(url: string): { username?: string; password?: string } {
  const { username, password } = new URL(url);
  return {
    ...(username !== '' && { username: decodeURIComponent(username) }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
  };
}

function openLine(
  { url, ...credentials }: { url: string; username?: string; password?: string },
  channel: string,
  { message, listening, failed }: LineEvents,
): Line {
  const options = {
    ...credentials,
    connectionName: 'baton',
    // Answers of the older protocol have few forms, which the connector can check.
    protocol: 2,
    connectTimeout: 2_000,
    // It would only delay PUBLISH and SUBSCRIBE, which Redis also takes while it loads.
    enableReadyCheck: false,
    // Commands fail with their connection.
    maxRetriesPerRequest: 0,
    retryStrategy: (retries: number): number =>
      Math.min(50 * 2 ** Math.min(retries, 6), 2_000) * (0.5 + Math.random() / 2),
  } as const;
  const { href } = new URL(url);
  const publisher = new Redis(href, {
    ...options,
    Connector: connectorFor(publisherAnswers),
    enableOfflineQueue: false,
  });
  const subscriber = new Redis(href, {
    ...options,
    Connector: connectorFor(subscriberAnswers),
    autoResubscribe: false,
  });
  // Again after every reconnection: the first attempt may have failed, and a repetition does nothing.
  subscriber.on('ready', () => void subscriber.subscribe(channel).then(listening, failed));
  subscriber.on('message', (_channel, text) => message(text));
  for (const client of [publisher, subscriber]) client.on('error', failed);
  return {
    publish: (text) => publisher.publish(channel, text),
    close() {
      for (const client of [publisher, subscriber]) client.disconnect();
    },
  };
}
