import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { killSoak } from './killSoak.ts';
import { liveSoak } from './liveSoak.ts';
import { say, soakDatabase } from './soakDatabase.ts';

const usage = `npm run soak -- kill|live [--rounds N] [--seed S]

kill  Kills a real server with SIGKILL while at least 8 clients have a request in flight, starts it again, and checks
      that every answer that was received is found, that every idempotency key repeats its answer, and that the
      invariants hold. The rounds take turns: a PostgreSQL given by DATABASE_URL (of this machine's own, when there is
      none), the embedded PostgreSQL, which survives the server, and the embedded PostgreSQL killed with the server.

live  For a minute a round, 16 writers change sessions through two servers, and 50 subscribers drop and return at
      random, while Redis is killed and started again 5 times, and one of the servers twice. Then every subscriber must
      have heard, once and in order, what the database says that its stream held.

  --rounds N   how many; 100 of kill and 1 of live when not given
  --seed S     0 to 2147483647; a new one when not given, and printed either way

The seed pins down what each client asks for, in which order, of which session and agent and under which key, after how
many answers the server is killed, and when each subscriber drops. It cannot pin down who is served first, and so not
which handoff is the newest, who is refused, and how far the requests in flight have come: the same seed gives the same
questions, not the same story.

Exit code 0: no breach. 1: a breach; an embedded database is kept and its folder printed. 2: not understood.`;

const soaks = { kill: { run: killSoak, rounds: '100' }, live: { run: liveSoak, rounds: '1' } };

function fail(message: string): never {
  process.stderr.write(`${message}\n\n${usage}\n`);
  process.exit(2);
}

function readOptions(): { soak: keyof typeof soaks; rounds: number; seed: number } {
  const number = (name: string, text: string, least: number, most: number): number => {
    if (!/^\d{1,10}$/.test(text) || Number(text) < least || Number(text) > most) fail(`--${name} must be ${least} to ${most}, not '${text}'`);
    return Number(text);
  };
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { rounds: { type: 'string' }, seed: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    });
    if (values.help === true) {
      say(usage);
      process.exit(0);
    }
    const soak = positionals.join(' ');
    if (soak !== 'kill' && soak !== 'live') fail(`Say what to soak: kill or live${soak === '' ? '' : `, not '${soak}'`}`);
    return {
      soak,
      rounds: number('rounds', values.rounds ?? soaks[soak].rounds, 1, 1_000_000),
      seed: number('seed', values.seed ?? String(randomInt(2 ** 31)), 0, 2 ** 31 - 1),
    };
  } catch (error) {
    return fail((error as Error).message);
  }
}

async function main(): Promise<boolean> {
  const { soak, rounds, seed } = readOptions();
  say(`${soak}: ${rounds} rounds, seed ${seed}`);
  const database = await soakDatabase();
  try {
    return await soaks[soak].run({ rounds, seed }, database);
  } finally {
    await database.stop();
  }
}

process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));
process.exitCode = (await main()) ? 0 : 1;
