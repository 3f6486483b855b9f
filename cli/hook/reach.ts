import { setTimeout as wait } from 'node:timers/promises';
import { Failed, requestTo, type Server } from './request.ts';
import { Memory } from './state.ts';

/** How hooks ask Baton without holding a tool up while it is away. */

/** After Baton was away, hooks do not ask for this long, unless the probe finds it. */
const awayMs = 30_000;
/** How long hooks give a slow server more time. */
const slowMs = 600_000;
const probePauseMs = 1_000;

/** What hooks remember of a server that was away. */
interface Seen {
  at: number;
  /** How long it took to answer the probe; null: it has not answered yet. */
  answeredInMs: number | null;
}

const seenOf = ({ url }: Server): Memory<Seen> => new Memory(url, '', 'seen');

/** Baton was away a moment ago, and is not asked. */
export class StillAway extends Error {
  override message = 'Baton does not answer';
}

/** Baton answers, but not all of it within the time. */
export class TooSlow extends Failed {
  constructor(error: unknown) {
    super('AWAY', error instanceof Error ? error.message : String(error));
  }
}

/** Baton counts as away after this time without a sign of life, on a busy machine up to three times as long. With the start of the process a hook takes less than 300 ms. */
export const processSilenceMs = (): number => 150 * busyness();

/**
 * Asks Baton while a tool waits: for `mostMs`, or until it shows no sign of life for `silenceMs`. Then the next hooks do not ask, and `startProbe`
 * starts a process that calls `probe`. @throws StillAway, TooSlow, Failed
 */
export async function whileToolWaits<Result>(
  server: Server,
  { mostMs, silenceMs }: { mostMs: number; silenceMs: number },
  startProbe: () => void,
  ask: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const memory = seenOf(server);
  const seen = memory.read();
  const sinceMs = seen === null ? Infinity : Math.abs(Date.now() - seen.at);
  if (seen?.answeredInMs === null && sinceMs < awayMs) throw new StillAway();
  const slowness = sinceMs < slowMs ? 2 * (seen?.answeredInMs ?? 0) : 0;
  const stop = new AbortController();
  const late = setTimeout(() => stop.abort(), mostMs);
  let life: 'shown' | 'none' | null = null;
  void showsLife(server, silenceMs + slowness, stop.signal).then((shows) => {
    if (stop.signal.aborted) return;
    life = shows ? 'shown' : 'none';
    if (!shows) stop.abort();
  });
  try {
    return await ask(stop.signal);
  } catch (error) {
    if (stop.signal.aborted && life !== 'none') {
      // Of a server that was slow: only the probe finds whether it still answers.
      if (life === null) startProbe();
      throw new TooSlow(error);
    }
    if (error instanceof Failed && isAway(error)) {
      memory.write({ at: Date.now(), answeredInMs: null });
      startProbe();
    }
    throw error;
  } finally {
    clearTimeout(late);
    stop.abort();
  }
}

/** How much longer than its work this process has taken so far, 1 to 3: where others take the cores, Baton takes longer too. */
function busyness(): number {
  const { user, system } = process.cpuUsage();
  return Math.min(3, Math.max(1, (1_000 * performance.now()) / (user + system)));
}

const isAway = ({ code }: Failed): boolean => ['AWAY', 'UNAVAILABLE', 'INTERNAL_SERVER_ERROR'].includes(code);

/** Whether the same request may succeed later, though nobody corrects anything. */
export const isPassing = (error: Failed): boolean => isAway(error) || error.code === 'RATE_LIMITED';

/** Asks until Baton answers, or until the hooks ask themselves again. What they know then is how long it took, or that it is away. */
export async function probe(server: Server): Promise<void> {
  for (const end = performance.now() + awayMs; performance.now() < end; await wait(probePauseMs)) {
    const began = performance.now();
    if (!(await showsLife(server, end - began, AbortSignal.timeout(Math.ceil(end - began))))) continue;
    seenOf(server).write({ at: Date.now(), answeredInMs: Math.ceil(performance.now() - began) });
    return;
  }
  seenOf(server).write({ at: Date.now(), answeredInMs: null });
}

/** Whether the server is ready. False: it did not answer in this time, and the time that its connection took is added thrice. */
async function showsLife({ url }: Server, ms: number, signal: AbortSignal): Promise<boolean> {
  const address = new URL(`${url}/readyz`);
  const request = await requestTo(address);
  return new Promise((resolve) => {
    // An answer that has arrived is read before the time is over.
    const over = (): unknown => setImmediate(() => setImmediate(resolve, false));
    let timer = setTimeout(over, ms);
    const sent = request(address, { signal }, (response) => {
      response.resume();
      if ((response.statusCode ?? 500) < 500) resolve(true);
      else over();
    });
    sent.on('error', over);
    sent.on('socket', (socket) => {
      const began = performance.now();
      socket.once('connect', () => {
        clearTimeout(timer);
        // Across the network TLS and the answer need three more round trips.
        timer = setTimeout(over, ms + 3 * (performance.now() - began));
      });
    });
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve(false);
    });
    sent.end();
  });
}
