import pg from 'pg';
import { brokenInvariants } from '../invariants.ts';
import { call, type Asked, type Stage } from './callers.ts';
import { identity, isPayload, lostAnswers } from './lost.ts';
import { random } from './random.ts';
import { connection, type Connection, type InFlight } from './requests.ts';
import { startServerProcess, type ServerProcess } from './serverProcess.ts';

/** A database that outlives its servers. */
export interface Target {
  name: string;
  /** What the server is started with. */
  env: Record<string, string>;
  /** Where the checks look; known once a server has run. */
  databaseUrl(): Promise<string>;
  /** Kills PostgreSQL as well, right after the server. */
  killDatabase?: () => void;
}

export interface RoundOptions {
  seed: number;
  round: number;
  callers?: number;
  /** At least so many requests must be in flight when the server is killed. */
  leastInFlight?: number;
}

export interface Round {
  asked: number;
  answered: number;
  refused: number;
  inFlight: number;
  /** Requests that were never answered, with a key, and had been done all the same. */
  landed: number;
  restartMs: number;
  /** What must not be; empty when the round went well. */
  breaches: string[];
}

/** The servers of a target, one after the other; it survives any number of rounds. */
export class Victim {
  #server: ServerProcess | undefined;

  constructor(readonly target: Target) {}

  async server(): Promise<ServerProcess> {
    this.#server ??= await startServerProcess(this.target.env);
    return this.#server;
  }

  /** Ends the server, if there is one, and waits until it is gone. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    server.kill(signal);
    await server.exited;
  }
}

/**
 * Callers ask for a seeded mix of mutations; once enough is answered, and enough is in flight, the server is killed.
 * After the restart everything that was answered must be there, every key must repeat its answer, and the invariants hold.
 */
export async function killRound(victim: Victim, { seed, round, callers = 16, leastInFlight = 8 }: RoundOptions): Promise<Round> {
  const { target } = victim;
  const { url } = await victim.server();
  const inFlight: InFlight = { count: 0 };
  const connections = Array.from({ length: callers }, () => connection(url, inFlight));
  const stage = await prepare(connections[0]!, `${seed}-${round}`);
  const killAfter = 100 + random(seed, round).below(200);

  let answers = 0;
  let atKill: number | undefined;
  let killed: Promise<void> | undefined;
  const heard = (): void => {
    answers += 1;
    if (answers < killAfter || inFlight.count < leastInFlight || killed !== undefined) return;
    atKill = inFlight.count;
    killed = victim.kill();
    target.killDatabase?.();
  };
  const asked = (await Promise.all(connections.map((one, n) => call(one, stage, [seed, round, n], heard)))).flat();
  await killed;
  for (const one of connections) one.close();

  const breaches: string[] = [];
  if (killed === undefined) {
    const { exited, logs } = await victim.server();
    await victim.kill();
    breaches.push(`the server ended by itself (${await exited}) after ${answers} answers; it said last: ${logs.slice(-5).join(' ')}`);
  }
  const before = performance.now();
  const next = await victim.server();
  const restartMs = Math.round(performance.now() - before);
  const pool = new pg.Pool({ connectionString: await target.databaseUrl(), max: 2 });
  pool.on('error', () => undefined);
  try {
    breaches.push(...unfairAnswers(asked), ...(await lostAnswers(pool, asked)), ...(await brokenInvariants(pool)));
    const landed = await landedKeys(pool, asked);
    breaches.push(...(await repeatAll(next.url, asked, landed, callers)), ...(await brokenInvariants(pool)));
    return {
      asked: asked.length,
      answered: asked.filter(({ answer }) => isPayload(answer)).length,
      refused: asked.filter(({ answer }) => answer?.code !== undefined).length,
      inFlight: atKill ?? 0,
      landed: landed.size,
      restartMs,
      breaches,
    };
  } finally {
    await pool.end();
  }
}

const agents = ['ada', 'bob', 'cyd', 'dee', 'eve', 'fay'];

/** Agents, once, and some sessions of this round to fight about. */
export async function prepare(api: Connection, name: string): Promise<Stage> {
  for (const [n, id] of agents.entries()) {
    await api.send('registerAgent', { id, type: 'CLAUDE', maxCapacity: 100_000, collaborators: agents.slice(0, n) });
  }
  const sessions: string[] = [];
  for (const agentId of agents) {
    const { session, message } = await api.send('createSession', { title: `Round ${name}`, agentId, maxHandoffs: 10_000 });
    if (session === undefined) throw new Error(`No session could be made: ${message}`);
    sessions.push(session.id);
  }
  return { agents, sessions, handoffs: new Map() };
}

// What these callers may be refused with: they fight for sessions, and are right about everything else.
const fair = ['INVALID_STATE', 'ALREADY_ASSIGNED', 'NOT_A_COLLABORATOR'];

function unfairAnswers(asked: readonly Asked[]): string[] {
  return asked
    .filter(({ answer }) => answer?.code !== undefined && !fair.includes(answer.code))
    .map((one) => `an answer that nobody should get: ${JSON.stringify(one)}`);
}

/** Keys of requests without an answer that have one stored. */
async function landedKeys(pool: pg.Pool, asked: readonly Asked[]): Promise<Set<string>> {
  const keys = asked.flatMap(({ answer, input }) => (answer === null && input.idempotencyKey !== undefined ? [input.idempotencyKey] : []));
  const { rows } = await pool.query<{ key: string }>('SELECT key FROM idempotency_answers WHERE key = ANY ($1)', [keys]);
  return new Set(rows.map(({ key }) => key));
}

/** Repeats every request that has a key, twice: a line for each that does not answer what it did, or what it had done. */
export async function repeatAll(url: string, asked: readonly Asked[], landed: ReadonlySet<string>, callers: number): Promise<string[]> {
  const left = asked.filter(({ input, answer }) => input.idempotencyKey !== undefined && (answer === null || isPayload(answer)));
  const breaches: string[] = [];
  const worker = async (): Promise<void> => {
    const api = connection(url, { count: 0 });
    for (let one = left.pop(); one !== undefined; one = left.pop()) {
      const first = await api.send(one.mutation, one.input);
      const second = await api.send(one.mutation, one.input);
      const done = isPayload(one.answer) || landed.has(one.input.idempotencyKey ?? '');
      const same = identity(first) === identity(second) && (!isPayload(one.answer) || identity(one.answer) === identity(first));
      if (isPayload(first) ? !same : done) breaches.push(`a key repeats another answer: ${JSON.stringify({ ...one, done, first, second })}`);
    }
    api.close();
  };
  await Promise.all(Array.from({ length: callers }, worker));
  return breaches;
}
