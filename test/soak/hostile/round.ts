import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { endsWithThisProcess } from '../../children.ts';
import { brokenInvariants } from '../../invariants.ts';
import { adminKey } from '../../keyring.ts';
import { type Asked, call } from '../callers.ts';
import { damageOf } from '../history.ts';
import { prepare } from '../kill.ts';
import { allHeard, quietBeginning, topicsOf } from '../live.ts';
import { helperSubscriber, rawSubscriber, type Subscriber } from '../liveSubscribers.ts';
import { disorder, truthOf } from '../liveTruth.ts';
import { lostAnswers } from '../lost.ts';
import { connection } from '../requests.ts';
import { nodeCommand, startServerProcess } from '../serverProcess.ts';
import type { Tally, Target } from './attack.ts';
import type { AttackName } from './attacks.ts';
import { prepareStage } from './stage.ts';
import { ask } from './wire.ts';

export interface HostileOptions {
  seed: number;
  databaseUrl: string;
  durationMs: number;
  writers: number;
  subscribers: number;
  /** Empty for the control round. */
  attacks: readonly AttackName[];
  heapMb?: number | undefined;
  /** A writer's pause between requests; an operator's key may write once a second. */
  paceMs?: number;
}

export interface HostileResult {
  /** Answered mutations of honest writers, and their latencies. */
  answers: number;
  medianMs: number;
  p99Ms: number;
  /** The longest response time of `/livez`. */
  blockedMs: number;
  /** The server's peak memory since the attacks began. */
  peakMb: number;
  heard: number;
  tallies: Partial<Record<AttackName, Tally>>;
  breaches: string[];
}

const attackersFile = fileURLToPath(new URL('attackers.ts', import.meta.url));
const serverCpu = 1;
const attackersCpu = 0;
const livezEveryMs = 50;
const idleKeyEveryMs = 1_000;
/** The first requests of a process compile its code, so they are not measured. */
const warmUpMs = 5_000;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Honest writers and subscribers use a server with keys while attackers run in another process on another core. All
 * guarantees for honest callers must hold.
 */
export async function hostileRound({
  seed,
  databaseUrl,
  durationMs,
  attacks,
  heapMb,
  paceMs = 1_100,
  ...options
}: HostileOptions): Promise<HostileResult> {
  const { writers, subscribers: keysOfSubscribers, idle, target } = await prepareStage(databaseUrl, options.writers);
  const server = await startServerProcess(
    { DATABASE_URL: databaseUrl, BATON_ADMIN_KEY: adminKey },
    { cpu: serverCpu, heapMb },
  );
  const { url } = server;
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 });
  pool.on('error', () => undefined);
  const breaches: string[] = [];
  const over = new AbortController();
  let subscribers: Subscriber[] = [];
  let stopping = false;
  try {
    const api = connection(url, { count: 0 }, adminKey);
    const stage = await prepare(api, `${seed}-${randomBytes(3).toString('hex')}`);
    api.close();
    const topics = topicsOf(stage);
    const since = await quietBeginning(pool);
    subscribers = Array.from({ length: options.subscribers }, (_, n) => {
      const topic = topics[n % topics.length]!;
      const listen = n % 2 === 0 ? helperSubscriber : rawSubscriber;
      const key = keysOfSubscribers[n % keysOfSubscribers.length]!;
      return listen(`${listen.name} ${n} of ${JSON.stringify(topic)}`, {
        url,
        topic,
        key,
        seeds: [seed, n],
        stayMs: 3 * durationMs,
      });
    });
    await Promise.all(subscribers.map(({ ready }) => ready));

    const took: number[] = [];
    const writing = Promise.all(
      writers.map((key, n) =>
        write({ url, key, stage, seeds: [seed, n], paceMs, durationMs: warmUpMs + durationMs, took }),
      ),
    );
    await pause(warmUpMs);
    took.length = 0;
    const memory = watchMemory(server.pid);
    const attacking = attacks.length === 0 ? Promise.resolve({}) : attack({ ...target, url }, attacks, durationMs);
    const bystanders = Promise.all([livezGaps(url, over.signal), idleKeys(url, idle, over.signal)]);
    const ended = server.exited.then((how) => {
      if (!stopping) breaches.push(`the server ended: ${how}; it said last: ${server.logs.slice(-3).join(' ')}`);
    });
    const asked = (await writing).flat();
    const tallies = await Promise.race([attacking, ended.then(() => ({}))]);
    over.abort();
    const [blockedMs, refusedKeys] = await bystanders;
    breaches.push(...refusedKeys);
    const peakMb = memory.stop();

    if (breaches.length === 0) {
      for (const one of subscribers) one.settle();
      await allHeard(pool, subscribers, since);
      for (const one of subscribers)
        breaches.push(
          ...one.breaches,
          ...damageOf({ name: one.name, heard: one.heard, truth: await truthOf(pool, one.topic, since) }),
        );
    }
    breaches.push(...(await lostAnswers(pool, asked)), ...(await disorder(pool)), ...(await brokenInvariants(pool)));
    took.sort((a, b) => a - b);
    const at = (part: number): number => Math.round(took[Math.floor((took.length - 1) * part)] ?? 0);
    return {
      answers: took.length,
      medianMs: at(0.5),
      p99Ms: at(0.99),
      blockedMs,
      peakMb,
      heard: subscribers.reduce((sum, { heard }) => sum + heard.length, 0),
      tallies,
      breaches,
    };
  } finally {
    over.abort();
    stopping = true;
    await Promise.all(subscribers.map((one) => one.stop()));
    server.kill('SIGKILL');
    await server.exited;
    await pool.end();
  }
}

/** Runs the attackers as a process and returns their tallies. */
async function attack(target: Target, names: readonly AttackName[], ms: number): Promise<HostileResult['tallies']> {
  const { PATH, HOME, TMPDIR } = process.env;
  const [command, args] = nodeCommand([attackersFile], { cpu: attackersCpu });
  // Low priority, because honest callers share that core and measure latencies there.
  const child = endsWithThisProcess(
    spawn('nice', ['-n', '15', command, ...args], {
      env: { PATH, HOME, TMPDIR, ATTACK: JSON.stringify({ target, names, ms }) },
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  );
  const said = await text(child.stdout);
  if (said === '') throw new Error('The attackers ended without a word');
  return JSON.parse(said) as HostileResult['tallies'];
}

interface Writing {
  url: string;
  key: string;
  stage: Parameters<typeof call>[1];
  seeds: number[];
  paceMs: number;
  durationMs: number;
  took: number[];
}

/** An honest writer: pauses between requests, and repeats one when its connection broke. */
async function write({ url, key, stage, seeds, paceMs, durationMs, took }: Writing): Promise<Asked[]> {
  const until = performance.now() + durationMs;
  const all: Asked[] = [];
  for (let life = 0; performance.now() < until; life += 1) {
    const inner = connection(url, { count: 0 }, key);
    const send: typeof inner.send = async (mutation, input) => {
      await pause(paceMs * (0.5 + Math.random()));
      if (performance.now() > until) throw new Error('The time is over');
      const before = performance.now();
      const answer = await inner.send(mutation, input);
      took.push(performance.now() - before);
      return answer;
    };
    all.push(...(await call({ send, close: inner.close }, stage, [...seeds, life], () => undefined)));
    inner.close();
    await pause(50);
  }
  return all;
}

/** The longest response time of `/livez`. */
async function livezGaps(url: string, signal: AbortSignal): Promise<number> {
  let longest = 0;
  while (!signal.aborted) {
    const before = performance.now();
    await fetch(`${url}/livez`, { signal: AbortSignal.any([signal, AbortSignal.timeout(60_000)]) })
      .then((answer) => answer.text())
      .catch(() => undefined);
    if (!signal.aborted) longest = Math.max(longest, performance.now() - before);
    await pause(livezEveryMs);
  }
  return Math.round(longest);
}

/** Uses keys for the first time: each must be accepted. Returns a line per rejected key. */
async function idleKeys(url: string, keys: readonly string[], signal: AbortSignal): Promise<string[]> {
  const refused: string[] = [];
  for (const key of keys) {
    if (signal.aborted) break;
    const answer = await ask(url, key, '{ viewer { role } }', signal);
    if (!signal.aborted && answer !== '200') refused.push(`a key that exists was answered ${answer}`);
    await pause(idleKeyEveryMs);
  }
  return refused;
}

/** A process's peak resident memory in MB. */
function watchMemory(pid: number): { stop(): number } {
  let highest = 0;
  const look = (): void => {
    try {
      const [, kb = '0'] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
      highest = Math.max(highest, Number(kb) / 1024);
    } catch {
      // The process has ended; other checks report that.
    }
  };
  const timer = setInterval(look, 50);
  return {
    stop() {
      look();
      clearInterval(timer);
      return Math.round(highest);
    },
  };
}
