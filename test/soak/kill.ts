import pg from 'pg';
import { brokenInvariants } from '../invariants.ts';
import { call, type Asked, type Stage } from './callers.ts';
import { identity, isPayload, lostAnswers } from './lost.ts';
import { random } from './random.ts';
import { connection, type Answer, type Connection, type InFlight } from './requests.ts';
import { startServerProcess, type ServerProcess } from './serverProcess.ts';
import { storedKey } from '../../server/core/work.ts';

/** A database that outlives its servers. */
export interface Target {
  name: string;
  /** The server's environment. */
  env: Record<string, string>;
  /** The database to check; known once a server has run. */
  databaseUrl(): Promise<string>;
  /** Kills PostgreSQL too, right after the server. */
  killDatabase?: () => void;
}

export interface RoundOptions {
  seed: number;
  round: number;
  callers?: number;
  /** The minimum number of requests in flight at the kill. */
  leastInFlight?: number;
}

export interface Round {
  asked: number;
  answered: number;
  refused: number;
  inFlight: number;
  /** Unanswered requests with a key that were committed. */
  landed: number;
  restartMs: number;
  /** What the server logged for the repeats that it answered with UNAVAILABLE. */
  unavailable: string[];
  /** The violations; empty when the round passed. */
  breaches: string[];
}

/** Runs a target's servers one after the other, over any number of rounds. */
export class Victim {
  #server: ServerProcess | undefined;

  constructor(readonly target: Target) {}

  async server(): Promise<ServerProcess> {
    this.#server ??= await startServerProcess(this.target.env);
    return this.#server;
  }

  /** Ends the server, if there is one, and waits for its end. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    server.kill(signal);
    await server.exited;
  }
}

/**
 * Callers send a seeded mix of mutations; after enough answers, and with enough in flight, the server is killed. After the
 * restart every answered change must exist, every key must repeat its answer, and the invariants must hold.
 */
export async function killRound(
  victim: Victim,
  { seed, round, callers = 16, leastInFlight = 8 }: RoundOptions,
): Promise<Round> {
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
    breaches.push(
      `the server ended by itself (${await exited}) after ${answers} answers; it said last: ${logs.slice(-5).join(' ')}`,
    );
  }
  const before = performance.now();
  const next = await victim.server();
  const restartMs = Math.round(performance.now() - before);
  const pool = new pg.Pool({ connectionString: await target.databaseUrl(), max: 2 });
  pool.on('error', () => undefined);
  try {
    breaches.push(...unfairAnswers(asked), ...(await lostAnswers(pool, asked)), ...(await brokenInvariants(pool)));
    const landed = await landedKeys(pool, asked);
    const unequal = await repeatAll(next.url, asked, landed, callers);
    if (unequal.length > 0) breaches.push(...unequal, `the server said last: ${next.logs.slice(-5).join(' ')}`);
    breaches.push(...(await brokenInvariants(pool)));
    return {
      asked: asked.length,
      answered: asked.filter(({ answer }) => isPayload(answer)).length,
      refused: asked.filter(({ answer }) => answer?.code !== undefined).length,
      inFlight: atKill ?? 0,
      landed: landed.size,
      restartMs,
      unavailable: next.logs.filter((line) => line.includes('takes no writes')),
      breaches,
    };
  } finally {
    await pool.end();
  }
}

const agents = ['ada', 'bob', 'cyd', 'dee', 'eve', 'fay'];

/** Creates the agents once, and sessions of this round that callers compete for. */
export async function prepare(api: Connection, name: string): Promise<Stage> {
  for (const [n, id] of agents.entries()) {
    await api.send('registerAgent', { id, type: 'CLAUDE', maxCapacity: 100_000, collaborators: agents.slice(0, n) });
  }
  const sessions: string[] = [];
  for (const agentId of agents) {
    const { session, message } = await api.send('createSession', {
      title: `Round ${name}`,
      agentId,
      maxHandoffs: 10_000,
    });
    if (session === undefined) throw new Error(`No session could be made: ${message}`);
    sessions.push(session.id);
  }
  return { agents, sessions, handoffs: new Map() };
}

// The refusals that these callers may get: they compete for sessions, and their input is valid otherwise.
const fair = ['INVALID_STATE', 'ALREADY_ASSIGNED', 'NOT_A_COLLABORATOR'];

function unfairAnswers(asked: readonly Asked[]): string[] {
  return asked
    .filter(({ answer }) => answer?.code !== undefined && !fair.includes(answer.code))
    .map((one) => `an answer that nobody should get: ${JSON.stringify(one)}`);
}

/** Keys with a stored answer whose requests got none. */
async function landedKeys(pool: pg.Pool, asked: readonly Asked[]): Promise<Set<string>> {
  const keys = asked.flatMap(({ answer, input }) =>
    answer === null && input.idempotencyKey !== undefined ? [input.idempotencyKey] : [],
  );
  const { rows } = await pool.query<{ key: string }>('SELECT key FROM idempotency_answers WHERE key = ANY ($1)', [
    keys.map(storedKey),
  ]);
  const stored = new Set(rows.map(({ key }) => key));
  return new Set(keys.filter((key) => stored.has(storedKey(key))));
}

/** UNAVAILABLE says that nothing was changed, and to try again: on a busy machine it comes while all callers want the same sessions. */
async function available(api: Connection, { mutation, input }: Asked): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await api.send(mutation, input);
    if (answer.code !== 'UNAVAILABLE' || attempt === 5) return answer;
  }
}

/** Repeats every request with a key twice and returns a line per answer that differs from the first one or from the stored one. */
export async function repeatAll(
  url: string,
  asked: readonly Asked[],
  landed: ReadonlySet<string>,
  callers: number,
): Promise<string[]> {
  const left = asked.filter(
    ({ input, answer }) => input.idempotencyKey !== undefined && (answer === null || isPayload(answer)),
  );
  const breaches: string[] = [];
  const worker = async (): Promise<void> => {
    const api = connection(url, { count: 0 });
    for (let one = left.pop(); one !== undefined; one = left.pop()) {
      const first = await available(api, one);
      const second = await available(api, one);
      const done = isPayload(one.answer) || landed.has(one.input.idempotencyKey ?? '');
      const same =
        identity(first) === identity(second) && (!isPayload(one.answer) || identity(one.answer) === identity(first));
      if (isPayload(first) ? !same : done)
        breaches.push(`a key repeats another answer: ${JSON.stringify({ ...one, done, first, second })}`);
    }
    api.close();
  };
  await Promise.all(Array.from({ length: callers }, worker));
  return breaches;
}
