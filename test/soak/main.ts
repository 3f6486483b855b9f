import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { allKinds } from '../fuzz/generate.ts';
import { fuzzSoak, type FuzzSoakOptions } from './fuzzSoak.ts';
import { attackNames, hostileSoak, type HostileSoakOptions } from './hostileSoak.ts';
import type { AttackName } from './hostile/attacks.ts';
import { killSoak } from './killSoak.ts';
import { liveSoak } from './liveSoak.ts';
import { say, soakDatabase } from './soakDatabase.ts';

const usage = `npm run soak -- kill|live|hostile|fuzz [--rounds N] [--seed S] [--minutes N] [--each] [--only a,b] [--heap MB]

Runs real servers under load and faults, and compares every answer with the database.

kill     Kills a server with SIGKILL while at least 8 requests are in flight, starts it again, and checks that every
         received answer is in the database, that every idempotency key repeats its answer, and that the invariants
         hold. The rounds alternate between the PostgreSQL in DATABASE_URL (default: one started for this), the
         embedded PostgreSQL, which survives the server, and the embedded PostgreSQL killed with the server.

live     One minute a round: 16 writers change sessions through two servers, 50 subscribers drop and return at random,
         Redis is killed and restarted 5 times, one server twice. Checks that each subscriber received every event of
         its stream once and in order.

hostile  Two minutes a round: attackers send every known harmful input while 16 writers and 50 subscribers work. A
         minute without attackers comes first as control. The writers' p99 may be at most 3 times the control's, the
         server's memory at most 600 MB, and nothing may be lost. On Linux the server and the attackers run on
         different processors.

fuzz     Sends generated inputs and mutated real ones, one after the other, beside two writers. Fails when the process
         ends, logs an ERROR, answers 500 or INTERNAL_SERVER_ERROR or not at all, or holds its event loop for over 100 ms,
         when an invariant breaks, or when it holds more in the end than before. Each failing input is made smaller and
         written to test/fuzz/found, where the long tests repeat it.

  --rounds N   number of rounds; default: 100 for kill, 1 for the others
  --minutes N  fuzz: the length of a round; default: 10
  --each       hostile: runs each attack alone for ten seconds and prints a table
  --only a,b   hostile: only these attacks (${attackNames.join(', ')})
               fuzz: only these inputs (${allKinds.join(', ')})
  --heap MB    hostile: the heap size of the server
  --seed S     0 to 2147483647; default: random; always printed

The same seed sends the same requests in the same order for each client, kills the server after the same number of
answers, and drops each subscriber at the same times. The order in which clients are served can differ, and with it which
requests are refused.

Exit code 0: no breach. 1: a breach; the embedded database is kept and its folder printed. 2: wrong usage.`;

const soaks = {
  kill: { run: killSoak, rounds: '100' },
  live: { run: liveSoak, rounds: '1' },
  hostile: { run: hostileSoak, rounds: '1' },
  fuzz: { run: fuzzSoak, rounds: '1' },
};

function fail(message: string): never {
  process.stderr.write(`${message}\n\n${usage}\n`);
  process.exit(2);
}

interface Options extends HostileSoakOptions, FuzzSoakOptions {
  soak: keyof typeof soaks;
}

function readOptions(): Options {
  const number = (name: string, text: string, least: number, most: number): number => {
    if (!/^\d{1,10}$/.test(text) || Number(text) < least || Number(text) > most)
      fail(`--${name} must be ${least} to ${most}, not '${text}'`);
    return Number(text);
  };
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        rounds: { type: 'string' },
        minutes: { type: 'string' },
        seed: { type: 'string' },
        each: { type: 'boolean' },
        only: { type: 'string' },
        heap: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    });
    if (values.help === true) {
      say(usage);
      process.exit(0);
    }
    const soak = positionals.join(' ');
    if (!Object.hasOwn(soaks, soak))
      fail(`Name a soak: kill, live, hostile or fuzz${soak === '' ? '' : `, not '${soak}'`}`);
    const only = values.only?.split(',') ?? [];
    const names: readonly string[] = soak === 'fuzz' ? allKinds : attackNames;
    const unknown = only.find((name) => !names.includes(name));
    if (unknown !== undefined) fail(`Unknown name '${unknown}'`);
    return {
      soak: soak as keyof typeof soaks,
      each: values.each === true,
      only: only as AttackName[],
      kinds: only,
      minutes: number('minutes', values.minutes ?? '10', 1, 10_000),
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
