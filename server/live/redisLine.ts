import { createRequire } from 'node:module';
import { Cluster, Redis, type RedisOptions } from 'ioredis';

/** One connection each to publish and to listen on one channel, of a Redis or of a cluster. */
export interface RedisLine {
  /** Rejects when Redis does not take it within the deadline. */
  publish(message: string): Promise<unknown>;
  close(): void;
}

export interface RedisLineEvents {
  message(text: string): void;
  /** The channel is listened to from now on; what was said before was missed. */
  listening(): void;
  /** Not any more, perhaps. */
  lost(error: Error | undefined): void;
  /** Something is wrong with publishing; what it could not publish says so itself. */
  failed(error: Error): void;
}

const publishWithin = 500;
const retry = (times: number): number => Math.min(50 * 2 ** Math.min(times, 6), 2_000) * (0.5 + Math.random() / 2);
const common = { connectTimeout: 2_000, keepAlive: 10_000, connectionName: 'baton' } satisfies RedisOptions;
const publishing = { ...common, commandTimeout: publishWithin, enableOfflineQueue: false, maxRetriesPerRequest: 0 } satisfies RedisOptions;
const listeningOptions = { ...common, maxRetriesPerRequest: null, autoResubscribe: false } satisfies RedisOptions;

// An answer that is well-formed and makes no sense throws inside ioredis, which throws it on where nobody can catch it
// and so ends the process. It is as bad as an answer that cannot be read, and is met the same way: by a new connection.
interface DataHandler {
  dispatch(act: () => void): void;
  returnFatalError(error: Error): void;
}
const { default: handler } = createRequire(import.meta.url)('ioredis/built/DataHandler.js') as { default: { prototype: DataHandler } };
handler.prototype.dispatch = function (act) {
  try {
    act();
  } catch (error) {
    this.returnFatalError(error as Error);
  }
};

export function openRedisLine(urls: readonly string[], channel: string, events: RedisLineEvents): RedisLine {
  return urls.length === 1 ? single(urls[0]!, channel, events) : cluster(urls, channel, events);
}

function single(url: string, channel: string, { message, listening, lost, failed }: RedisLineEvents): RedisLine {
  const publisher = new Redis(url, { ...publishing, retryStrategy: retry });
  const subscriber = new Redis(url, { ...listeningOptions, retryStrategy: retry });
  publisher.on('error', failed);
  subscriber.on('error', lost);
  subscriber.on('close', () => lost(undefined));
  subscriber.on('message', (_channel: string, text: string) => message(text));
  subscriber.on('ready', () => void subscriber.subscribe(channel).then(listening, lost));
  return {
    publish: (text) => publisher.publish(channel, text),
    close() {
      publisher.disconnect();
      subscriber.disconnect();
    },
  };
}

/** Sharded: a message stays on the nodes of its channel's slot. */
function cluster(urls: readonly string[], channel: string, { message, listening, lost, failed }: RedisLineEvents): RedisLine {
  const { protocol, username, password } = new URL(urls[0]!);
  const redisOptions = {
    ...(username !== '' && { username: decodeURIComponent(username) }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
    ...(protocol === 'rediss:' && { tls: {} }),
  };
  // A name in a certificate is compared with what we connect to: it must not become an address before that.
  const dnsLookup = (address: string, found: (error: null, address: string) => void): void => found(null, address);
  const shared = { clusterRetryStrategy: retry, slotsRefreshTimeout: 2_000, ...(protocol === 'rediss:' && { dnsLookup }) };
  const publisher = new Cluster([...urls], { ...shared, enableOfflineQueue: false, redisOptions: { ...common, commandTimeout: publishWithin, maxRetriesPerRequest: 0, ...redisOptions } });
  const subscriber = new Cluster([...urls], { ...shared, shardedSubscribers: true, redisOptions: { ...common, maxRetriesPerRequest: null, ...redisOptions } });
  publisher.on('error', failed);
  publisher.on('node error', failed);
  subscriber.on('error', lost);
  subscriber.on('close', () => lost(undefined));
  subscriber.on('node error', (error: Error) => lost(error));
  subscriber.on('-subscriber', () => lost(undefined));
  subscriber.on('smessage', (_channel: string, text: string) => message(text));
  subscriber.on('subscribersReady', () => void subscriber.ssubscribe(channel).then(listening, lost));
  return {
    publish: (text) => publisher.spublish(channel, text),
    close() {
      publisher.disconnect();
      subscriber.disconnect();
    },
  };
}
