import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { attackNames, hostileSoak, type HostileSoakOptions } from './hostileSoak.ts';
import type { AttackName } from './hostile/attacks.ts';
import { killSoak } from './killSoak.ts';
import { liveSoak } from './liveSoak.ts';
import { say, soakDatabase } from './soakDatabase.ts';

const usage = `npm run soak -- kill|live|hostile [--rounds N] [--seed S] [--each] [--only a,b] [--heap MB]

kill  Kills a real server with SIGKILL while at least 8 clients have a request in flight, starts it again, and checks
      that every answer that was received is found, that every idempotency key repeats its answer, and that the
      invariants hold. The rounds take turns: a PostgreSQL given by DATABASE_URL (of this machine's own, when there is
      none), the embedded PostgreSQL, which survives the server, and the embedded PostgreSQL killed with the server.

live  For a minute a round, 16 writers change sessions through two servers, and 50 subscribers drop and return at
      random, while Redis is killed and started again 5 times, and one of the servers twice. Then every subscriber must
      have heard, once and in order, what the database says that its stream held.

hostile  For two minutes a round, attackers send everything that is known to have hurt a server once, while 16 writers
      and 50 subscribers work; before that, a minute without attackers as control. The writers' p99 may be at most 3
      times the control's, the server's memory at most 600 MB, and nothing may be lost. The server has one processor
      and the attackers another, on Linux.

  --rounds N   how many; 100 of kill, 1 of live and hostile when not given
  --each       hostile: each attack alone for ten seconds, as the rows of a table
  --only a,b   hostile: only these attacks (${attackNames.join(', ')})
  --heap MB    hostile: the size of the server's heap
  --seed S     0 to 2147483647; a new one when not given, and printed either way

The seed pins down what each client asks for, in which order, of which session and agent and under which key, after how
many answers the server is killed, and when each subscriber drops. It cannot pin down who is served first, and so not
which handoff is the newest, who is refused, and how far the requests in flight have come: the same seed gives the same
questions, not the same story.

Exit code 0: no breach. 1: a breach; an embedded database is kept and its folder printed. 2: not understood.`;

const soaks = { kill: { run: killSoak, rounds: '100' }, live: { run: liveSoak, rounds: '1' }, hostile: { run: hostileSoak, rounds: '1' } };

function fail(message: string): never {
  process.stderr.write(`${message}\n\n${usage}\n`);
  process.exit(2);
}

interface Options extends HostileSoakOptions {
  soak: keyof typeof soaks;
}

function readOptions(): Options {
  const number = (name: string, text: string, least: number, most: number): number => {
    if (!/^\d{1,10}$/.test(text) || Number(text) < least || Number(text) > most) fail(`--${name} must be ${least} to ${most}, not '${text}'`);
    return Number(text);
  };
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { rounds: { type: 'string' }, seed: { type: 'string' }, each: { type: 'boolean' }, only: { type: 'string' }, heap: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    });
    if (values.help === true) {
      say(usage);
      process.exit(0);
    }
    const soak = positionals.join(' ');
    if (!Object.hasOwn(soaks, soak)) fail(`Say what to soak: kill, live or hostile${soak === '' ? '' : `, not '${soak}'`}`);
    const only = values.only?.split(',') ?? [];
    const unknown = only.find((name) => !attackNames.includes(name as AttackName));
    if (unknown !== undefined) fail(`There is no attack '${unknown}'`);
    return {
      soak: soak as keyof typeof soaks,
      each: values.each === true,
      only: only as AttackName[],
      heapMb: values.heap === undefined ? undefined : number('heap', values.heap, 128, 100_000),
      rounds: number('rounds', values.rounds ?? soaks[soak as keyof typeof soaks].rounds, 1, 1_000_000),
      seed: number('seed', values.seed ?? String(randomInt(2 ** 31)), 0, 2 ** 31 - 1),
    };
  } catch (error) {
    return fail((error as Error).message);
  }
}

async function main(): Promise<boolean> {
  const { soak, ...options } = readOptions();
  say(`${soak}: ${options.rounds} rounds, seed ${options.seed}`);
  const database = await soakDatabase();
  try {
    return await soaks[soak].run(options, database);
  } finally {
    await database.stop();
  }
}

process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));
process.exitCode = (await main()) ? 0 : 1;
