import { WebSocket } from 'ws';
import { openStream, StreamError, type EventStream, type Topic } from '../../client/stream/index.ts';
import { requestOf } from '../../client/stream/requests.ts';
import { rawSocket, type RawSocket } from '../socket.ts';
import { random } from './random.ts';

/** A subscriber of one topic that disconnects at random and resumes with its cursor. */
export interface Subscriber {
  name: string;
  topic: Topic;
  /** The ids of received events in order. */
  heard: string[];
  /** Violations that its history does not show. */
  breaches: string[];
  /** Resolves when it is first subscribed. */
  ready: Promise<void>;
  /** The number of disconnections. */
  drops: number;
  /** Stops disconnecting. */
  settle(): void;
  stop(): Promise<void>;
}

interface Place {
  url: string;
  topic: Topic;
  /** Sent at each connect, for a server with keys. */
  key?: string;
  seeds: number[];
  /** The approximate time between two disconnections. */
  stayMs: number;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Calls `drop` at random times between `ready` and `settle`. */
function dropping({ seeds, stayMs }: Place, ready: Promise<void>, drop: (nth: number) => void): { settle(): void } {
  const dice = random(...seeds);
  let timer: NodeJS.Timeout | undefined;
  let settled = false;
  const arm = (): void => {
    if (settled) return;
    timer = setTimeout(
      () => {
        drop(dice.below(1_000));
        arm();
      },
      stayMs / 2 + dice.below(stayMs),
    );
  };
  void ready.then(arm, () => undefined);
  return {
    settle() {
      settled = true;
      clearTimeout(timer);
    },
  };
}

/** Uses the client helper, which must see no gap and no repeat: either is a fault of the server. */
export function helperSubscriber(name: string, place: Place): Subscriber {
  const { url, topic, key } = place;
  const sockets = new Set<WebSocket>();
  class Severable extends WebSocket {
    constructor(...given: ConstructorParameters<typeof WebSocket>) {
      super(...given);
      sockets.add(this);
      this.once('close', () => sockets.delete(this));
    }
  }
  let stream: EventStream<{ id: string }>;
  let cursor: string | undefined;
  let stopped = false;
  const open = (): EventStream<{ id: string }> =>
    openStream({
      url,
      ...(key !== undefined && { key }),
      topic,
      fields: 'id',
      webSocket: Severable,
      backoff: { baseMs: 50, capMs: 1_000 },
      ...(cursor === undefined ? {} : { after: cursor }),
    });
  stream = open();
  const subscriber: Subscriber = {
    name,
    topic,
    heard: [],
    breaches: [],
    ready: stream.ready,
    drops: 0,
    settle: () => drops.settle(),
    async stop() {
      stopped = true;
      drops.settle();
      stream.stop();
      await reading;
    },
  };
  const drops = dropping(place, subscriber.ready, (nth) => {
    subscriber.drops += 1;
    if (nth % 2 === 0) stream.stop();
    else for (const socket of sockets) socket.terminate();
  });
  async function read(): Promise<void> {
    while (!stopped) {
      for await (const event of stream) subscriber.heard.push(event.id);
      // Also the start, when no event was received.
      cursor = stream.cursor ?? cursor;
      const { repeats, healed, gaps } = stream.stats;
      if (repeats + healed + gaps > 0)
        subscriber.breaches.push(
          `${name}: the helper met ${repeats} repeats and ${healed} gaps, of which ${gaps} stayed`,
        );
      if (!stopped) stream = open();
    }
  }
  const reading = read().catch(
    (error: unknown) =>
      void subscriber.breaches.push(
        `${name}: its stream ended: ${error instanceof StreamError ? error.code : ''} ${String(error)}`,
      ),
  );
  return subscriber;
}

/** Uses the protocol directly with its own cursor. */
export function rawSubscriber(name: string, place: Place): Subscriber {
  const { url, topic, key } = place;
  const { field, query, variables } = requestOf(topic, 'id');
  let socket: RawSocket | undefined;
  let cursor: string | undefined;
  let stopped = false;
  let readied: () => void = () => undefined;
  const subscriber: Subscriber = {
    name,
    topic,
    heard: [],
    breaches: [],
    ready: new Promise((resolve) => (readied = resolve)),
    drops: 0,
    settle: () => drops.settle(),
    async stop() {
      stopped = true;
      drops.settle();
      socket?.terminate();
      await reading;
    },
  };
  const drops = dropping(place, subscriber.ready, () => {
    subscriber.drops += 1;
    socket?.terminate();
  });

  async function listen(): Promise<void> {
    socket = await rawSocket(url);
    await socket.init(key === undefined ? undefined : { authorization: `Bearer ${key}` });
    const resumed = cursor !== undefined;
    socket.subscribe('1', query, { ...variables, ...(resumed ? { after: cursor } : {}) });
    for (let first = true; !stopped; first = false) {
      const { data, errors } =
        await socket.result<
          Record<string, { id: string; type: string; cursor: string; recovered: boolean | null } | null>
        >('1');
      const event = data?.[field];
      // UNAVAILABLE is temporary; any other error is a violation.
      if (event == null || errors !== undefined) {
        if (errors?.[0]?.extensions.code !== 'UNAVAILABLE')
          subscriber.breaches.push(`${name} was answered ${JSON.stringify({ data, errors })}`);
        return socket.terminate();
      }
      if (first && (event.type !== 'READY' || event.recovered !== (resumed ? true : null)))
        subscriber.breaches.push(`${name} first heard ${JSON.stringify(event)}`);
      cursor = event.cursor;
      if (event.type === 'READY') readied();
      else if (event.type !== 'HEARTBEAT') subscriber.heard.push(event.id);
    }
  }
  async function read(): Promise<void> {
    while (!stopped) {
      // A broken socket rejects pending reads; earlier messages have been taken by then.
      await listen().catch(() => undefined);
      if (!stopped) await pause(100);
    }
  }
  const reading = read();
  return subscriber;
}
