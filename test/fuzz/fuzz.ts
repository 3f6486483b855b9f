import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { seed as story } from '../../prisma/seed.ts';
import { silentLog } from '../../server/infra/log.ts';
import { limits as pooled } from '../../server/infra/prisma.ts';
import { brokenInvariants } from '../invariants.ts';
import { adminKey, secretFor } from '../keyring.ts';
import { startRedis } from '../redis.ts';
import { type Asked, call } from '../soak/callers.ts';
import { prepare } from '../soak/kill.ts';
import { lostAnswers } from '../soak/lost.ts';
import { random } from '../soak/random.ts';
import { connection } from '../soak/requests.ts';
import { type ServerProcess, startServerProcess } from '../soak/serverProcess.ts';
import { anyInput } from './generate.ts';
import type { Found, Input, Step } from './input.ts';
import { minimise } from './minimise.ts';
import { type Keys, noAnswer, type Said, sendStep } from './send.ts';
import { Ids } from './values.ts';

export interface FuzzOptions {
  seed: number;
  databaseUrl: string;
  /** Inputs, besides those that were found before. */
  inputs?: number;
  minutes?: number;
  /** Kinds of inputs; default: all. */
  only?: readonly string[];
  /** Called for each new failure, once it is made smaller. */
  found?: (found: Found) => void;
}

export interface FuzzResult {
  inputs: number;
  tally: Record<string, number>;
  /** Distinct failures with their smallest inputs. */
  failures: Found[];
  /** Broken invariants, lost answers and what was left behind. */
  breaches: string[];
  writes: number;
}

interface Inside {
  longestTurnMs: number;
  heapMb: number;
  sockets: number;
  timers: number;
  listeners: number;
}

/** Processor time of the main thread in one turn of the event loop. */
const mostMs = 100;
/** The first inputs compile code. */
const warmUp = 300;
const heapMb = 256;
/** In the second half of the inputs: the cache of documents is full then (30,000 inputs filled it with 65 MB). */
const heapMayGrowMb = 15;
const enough = 20;
const folder = fileURLToPath(new URL('found/', import.meta.url));
const inside = new URL('inside.mjs', import.meta.url).href;
const unhurried = Object.fromEntries(
  ['ADMIN', 'OPERATOR', 'AGENT', 'ANALYST'].flatMap((role) =>
    ['READS', 'WRITES'].map((kind) => [`BATON_RATE_${role}_${kind}`, '9999999']),
  ),
);

/** The inputs that once failed, by the names of their files. */
export const foundBefore = (): [string, Found][] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .toSorted()
    .map((name) => [name, JSON.parse(readFileSync(`${folder}${name}`, 'utf8')) as Found]);

/** Keeps an input as a test. Returns the name of its file. */
export function keep(found: Found): string {
  const hash = createHash('sha256').update(JSON.stringify(found.input)).digest('hex').slice(0, 8);
  const name = `${found.input.kind}-${hash}.json`;
  writeFileSync(`${folder}${name}`, `${JSON.stringify(found, null, 2)}\n`);
  return name;
}

/**
 * Sends inputs to a real server, one after the other, while writers change other records and some of the same. A failure is
 * an end of the process, an ERROR line of its log, a status of 500, an INTERNAL_SERVER_ERROR, no answer, or a turn of its
 * event loop of over 100 ms of processor time. Webhooks are off: no input may make the server send anything anywhere.
 */
export class Fuzzer {
  readonly tally: Record<string, number> = {};
  readonly ids = new Ids();
  readonly #errors: string[] = [];
  readonly #insides: ((inside: Inside) => void)[] = [];
  #server!: ServerProcess;
  #ended: string | undefined;
  #over = false;
  #writing: Promise<void> | undefined;
  readonly #asked: Asked[] = [];

  private constructor(
    private readonly options: Pick<FuzzOptions, 'databaseUrl' | 'seed'>,
    private readonly pool: pg.Pool,
    private readonly redis: Awaited<ReturnType<typeof startRedis>>,
    private readonly keys: Keys,
  ) {}

  static async start(options: Pick<FuzzOptions, 'databaseUrl' | 'seed'>): Promise<Fuzzer> {
    const pool = new pg.Pool({ connectionString: options.databaseUrl, max: 2 });
    await story({ pool, log: silentLog });
    const keys: Keys = {
      ADMIN: await secretFor(pool, 'ADMIN'),
      OPERATOR: await secretFor(pool, 'OPERATOR'),
      AGENT: await secretFor(pool, 'AGENT', 'claude-1'),
      ANALYST: await secretFor(pool, 'ANALYST'),
    };
    const fuzzer = new Fuzzer(options, pool, await startRedis(), keys);
    await fuzzer.#startServer();
    await fuzzer.#learnIds();
    fuzzer.#writing = fuzzer.#write();
    return fuzzer;
  }

  async #startServer(): Promise<void> {
    this.#ended = undefined;
    this.#server = await startServerProcess(
      {
        DATABASE_URL: this.options.databaseUrl,
        REDIS_URL: this.redis.url,
        BATON_ADMIN_KEY: adminKey,
        NODE_OPTIONS: `--import ${inside}`,
        ...unhurried,
      },
      { heapMb, heard: (line) => this.#hear(line) },
    );
    void this.#server.exited.then((how) => (this.#ended = how));
    // Its start is no turn of an input.
    await this.look();
  }

  #hear(line: string): void {
    if (!line.startsWith('{')) return;
    try {
      const said = JSON.parse(line) as { level?: number; inside?: Inside };
      if (said.inside !== undefined) this.#insides.shift()?.(said.inside);
      else if (said.level !== undefined && said.level >= 50) this.#errors.push(line);
    } catch {
      // No line of the log.
    }
  }

  async look(): Promise<Inside | undefined> {
    if (this.#ended !== undefined) return undefined;
    const said = new Promise<Inside>((resolve) => this.#insides.push(resolve));
    this.#server.kill('SIGUSR2');
    return Promise.race([said, this.#server.exited.then(() => undefined)]);
  }

  #spentMs(): number {
    try {
      const { pid } = this.#server;
      return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
    } catch {
      return 0;
    }
  }

  #learn(text: string): void {
    for (const [id] of text.matchAll(/\b(?!key_)[a-z]+_[0-7][0-9a-z]{25}\b/g)) this.ids.add(id);
  }

  async #learnIds(): Promise<void> {
    const query =
      '{ sessions(first: 50) { nodes { id turns(first: 3) { nodes { id } } messages(first: 3) { nodes { id } } } } handoffs(first: 50) { nodes { id } } handoffTools { nodes { id } } pipelines { nodes { id } } }';
    const headers = { 'content-type': 'application/json' };
    this.#learn(
      (await this.#send({ method: 'POST', path: '/graphql', headers, body: JSON.stringify({ query }), as: 'ADMIN' }))
        .text,
    );
  }

  #send = (step: Step): Promise<Said> => sendStep(this.#server.url, this.keys, step);

  /** Two writers, whose sessions and handoffs the inputs may name. */
  async #write(): Promise<void> {
    for (let round = 0; !this.#over; round += 1) {
      const api = connection(this.#server.url, { count: 0 }, this.keys.OPERATOR);
      const paced = {
        ...api,
        send: async (...asked: Parameters<typeof api.send>) => {
          await pause(100);
          if (this.#over) throw new Error('It is over');
          return api.send(...asked);
        },
      };
      try {
        const stage = await prepare(api, `${this.options.seed}-${round}`);
        for (const id of stage.sessions) this.ids.add(id);
        const each = [0, 1].map((n) =>
          call(paced, stage, [this.options.seed, round, n], ({ answer }) => {
            if (answer?.handoff != null) this.ids.add(answer.handoff.id);
          }),
        );
        for (const asked of await Promise.all(each)) this.#asked.push(...asked);
      } catch {
        // The server ended: it is started again.
        await pause(100);
      } finally {
        api.close();
      }
    }
  }

  /** Sends the input and returns what failed. Starts the server again after an end. */
  async attempt(input: Input): Promise<string | undefined> {
    if (this.#ended !== undefined) await this.#startServer();
    const errorsBefore = this.#errors.length;
    const before = this.#spentMs();
    const newest: Record<string, string> = {};
    let failure: string | undefined;
    for (const step of input.steps) {
      const said = await this.#send(filled(step, newest));
      for (const [id, prefix] of said.text.slice(0, 1_000_000).matchAll(/\b([a-z]+)_[0-7][0-9a-z]{25}\b/g))
        newest[prefix!] = id;
      this.#learn(said.text.slice(0, 20_000));
      const code =
        /"code":"([A-Z_]+)"/.exec(said.text)?.[1] ?? (said.status === null ? said.text.slice(0, 20) : 'answered');
      this.tally[code] = (this.tally[code] ?? 0) + 1;
      if (said.status !== null && said.status >= 500 && said.status !== 503) failure ??= `status ${said.status}`;
      if (/INTERNAL_SERVER_ERROR|Internal error/.test(said.text)) failure ??= 'INTERNAL_SERVER_ERROR';
      if (said === noAnswer) failure ??= 'no answer';
      if (said.text === 'ECONNRESET' || said.text === 'ECONNREFUSED')
        await Promise.race([this.#server.exited, pause(300)]);
      if (this.#ended !== undefined) break;
    }
    if (this.#ended !== undefined) return `the process ended (${this.#ended}): ${firstLine(this.#server.logs)}`;
    const spent = this.#spentMs() - before;
    if (failure !== undefined || this.#errors.length > errorsBefore) {
      // The line of the log comes through another pipe than the answer.
      for (let n = 0; n < 20 && this.#errors.length === errorsBefore; n += 1) await pause(10);
      return `${failure ?? 'an ERROR line'}: ${said(this.#errors.at(errorsBefore))}`;
    }
    if (spent > mostMs) {
      const { longestTurnMs = 0 } = (await this.look()) ?? {};
      if (longestTurnMs > mostMs) return `a turn of ${Math.round(longestTurnMs)} ms`;
    }
    return undefined;
  }

  /** Fails again when it is repeated: compiling and collecting garbage come and go. Much longer turns count at once. */
  async confirm(input: Input, failure: string): Promise<string | undefined> {
    const turn = turnOf(failure);
    if (turn === undefined || turn > 5 * mostMs) return failure;
    for (let n = 0; n < 2; n += 1) {
      const again = await this.attempt(input);
      if (again === undefined || turnOf(again) === undefined) return again;
    }
    return failure;
  }

  async smallest(input: Input, failure: string): Promise<Input> {
    if (/^(the process ended|no answer)/.test(failure)) return input;
    const alike = kindOf(failure);
    return minimise(input, async (smaller) => {
      const again = await this.attempt(smaller);
      return again !== undefined && kindOf((await this.confirm(smaller, again)) ?? '') === alike;
    });
  }

  /** What the process holds after everything was closed, compared with before. */
  async leaks(before: Inside | undefined, halfway: Inside | undefined): Promise<string[]> {
    let found: string[] = [];
    for (let n = 0; n < 100; n += 1) {
      const now = await this.look();
      if (now === undefined || before === undefined || halfway === undefined) return ['the process ended'];
      const { rows } = await this.pool.query<{ n: number }>(
        `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`,
      );
      found = [
        // PostgreSQL's and Redis' connections are among them, and come and go.
        now.sockets > before.sockets + pooled.connections ? `${now.sockets} sockets, ${before.sockets} before` : '',
        now.timers > before.timers + 2 * pooled.connections ? `${now.timers} timers, ${before.timers} before` : '',
        now.listeners > before.listeners ? `${now.listeners} listeners, ${before.listeners} before` : '',
        now.heapMb > halfway.heapMb + heapMayGrowMb ? `a heap of ${now.heapMb} MB, ${halfway.heapMb} halfway` : '',
        rows[0]!.n > pooled.connections + 6 ? `${rows[0]!.n} connections to PostgreSQL` : '',
      ].filter((line) => line !== '');
      if (found.length === 0) return [];
      await pause(200);
    }
    return found;
  }

  /** Ends the writers; their answers must be stored, and the invariants hold. */
  async endWriting(): Promise<{ writes: number; breaches: string[] }> {
    this.#over = true;
    await this.#writing;
    return {
      writes: this.#asked.filter(({ answer }) => answer !== null).length,
      breaches: [...(await lostAnswers(this.pool, this.#asked)), ...(await brokenInvariants(this.pool))],
    };
  }

  broken = (): Promise<string[]> => brokenInvariants(this.pool);

  async stop(): Promise<void> {
    this.#over = true;
    await this.#writing;
    this.#server.kill('SIGKILL');
    await this.#server.exited;
    await this.pool.end();
    await this.redis.stop();
  }
}

export async function fuzz({
  inputs = Infinity,
  minutes = Infinity,
  only = [],
  found,
  ...options
}: FuzzOptions): Promise<FuzzResult> {
  const fuzzer = await Fuzzer.start(options);
  const failures: Found[] = [];
  const breaches: string[] = [];
  const known = new Set<string>();
  const recent: Input[] = [];
  let before: Awaited<ReturnType<Fuzzer['look']>>;
  let halfway: typeof before;
  const began = performance.now();
  const until = began + minutes * 60_000;
  let n = 0;
  try {
    for (; n < inputs && performance.now() < until && failures.length < enough && breaches.length === 0; n += 1) {
      if (n === warmUp) before = await fuzzer.look();
      if (halfway === undefined && (n >= inputs / 2 || performance.now() > (began + until) / 2))
        halfway = await fuzzer.look();
      if (n % 1_000 === 999) breaches.push(...(await fuzzer.broken()));
      const input = anyInput(random(options.seed, n), fuzzer.ids, only);
      recent.push(input);
      if (recent.length > 3) recent.shift();
      const failure = await fuzzer.attempt(input);
      if (failure === undefined || (turnOf(failure) !== undefined && n < warmUp)) continue;
      if (known.has(`${kindOf(failure)} ${turnOf(failure) === undefined ? '' : input.kind}`)) continue;
      const guilty = await guiltyOf(fuzzer, recent, failure);
      if (guilty === undefined) continue;
      known.add(`${kindOf(guilty.failure)} ${turnOf(failure) === undefined ? '' : input.kind}`);
      const one = { ...guilty, input: await fuzzer.smallest(guilty.input, guilty.failure) };
      failures.push(one);
      found?.(one);
    }
    const { writes, breaches: ofWriters } = await fuzzer.endWriting();
    breaches.push(
      ...ofWriters,
      ...(n > 2 * warmUp && failures.length === 0 ? await fuzzer.leaks(before, halfway) : []),
    );
    return { inputs: n, tally: fuzzer.tally, failures, breaches, writes };
  } finally {
    await fuzzer.stop();
  }
}

/** The input that fails alone: a line of the log may come after the next one was sent. */
async function guiltyOf(fuzzer: Fuzzer, recent: readonly Input[], failure: string): Promise<Found | undefined> {
  if (turnOf(failure) !== undefined) {
    const again = await fuzzer.confirm(recent.at(-1)!, failure);
    return again === undefined ? undefined : { failure: again, input: recent.at(-1)! };
  }
  for (const input of recent.toReversed()) {
    const again = await fuzzer.attempt(input);
    if (again !== undefined && kindOf(again) === kindOf(failure)) return { failure, input };
  }
  return {
    failure: `${failure} (after several inputs)`,
    input: { kind: recent.at(-1)!.kind, steps: recent.flatMap(({ steps }) => steps) },
  };
}

const turnOf = (failure: string): number | undefined => {
  const ms = /^a turn of (\d+) ms/.exec(failure)?.[1];
  return ms === undefined ? undefined : Number(ms);
};
const kindOf = (failure: string): string => failure.replaceAll(/"[^"]*"|'[^']*'|\d+/g, 'n').slice(0, 200);

function filled<T extends Step>(step: T, newest: Record<string, string>): T {
  const fill = (text: string): string =>
    text.replaceAll(/\{\{([a-z]+)\}\}/g, (all, prefix: string) => newest[prefix] ?? all);
  return 'body' in step && step.body !== undefined ? { ...step, body: fill(step.body) } : step;
}

function said(line: string | undefined): string {
  if (line === undefined) return 'no line of the log';
  const { msg, err } = JSON.parse(line) as { msg?: string; err?: { type?: string; message?: string; stack?: string } };
  const at = /^\s+at .*/m.exec(err?.stack ?? '')?.[0].trim() ?? '';
  return `${msg ?? ''}: ${err?.type ?? ''} ${err?.message?.slice(0, 300) ?? ''} ${at}`.replaceAll(
    /file:\/\/\S*?\/(?=server|node_modules)/g,
    '',
  );
}

const firstLine = (logs: readonly string[]): string =>
  logs.findLast((line) => /Error|heap|FATAL/.test(line)) ?? logs.at(-1) ?? '';
