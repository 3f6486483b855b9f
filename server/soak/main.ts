import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { startCluster, withDatabase } from '../testing/cluster.ts';
import { killRound, Victim, type Round } from './kill.ts';
import { embeddedDatabase, givenDatabase, withDatabaseKilled } from './targets.ts';

const usage = `npm run soak -- kill [--rounds N] [--seed S]

Kills a real server with SIGKILL while at least 8 clients have a request in flight, starts it again, and checks that
every answer that was received is found, that every idempotency key repeats its answer, and that the invariants hold.
The rounds take turns: a PostgreSQL given by DATABASE_URL (of this machine's own, when there is none), the embedded
PostgreSQL, which survives the server, and the embedded PostgreSQL killed together with the server.

  --rounds N   how many; 100 when not given
  --seed S     0 to 2147483647; a new one when not given, and printed either way

The seed pins down what each client asks for, in which order, of which session and agent and under which key, and after
how many answers the server is killed. It cannot pin down who is served first, and so not which handoff is the newest,
who is refused, and how far the requests in flight have come: the same seed gives the same questions, not the same story.

Exit code 0: no breach. 1: a breach; the embedded database is kept and its folder printed. 2: not understood.`;

function fail(message: string): never {
  process.stderr.write(`${message}\n\n${usage}\n`);
  process.exit(2);
}

function readOptions(): { rounds: number; seed: number } {
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
      process.stdout.write(`${usage}\n`);
      process.exit(0);
    }
    if (positionals.join(' ') !== 'kill') fail(`Say what to soak: kill${positionals.length === 0 ? '' : `, not '${positionals.join(' ')}'`}`);
    return {
      rounds: number('rounds', values.rounds ?? '100', 1, 1_000_000),
      seed: number('seed', values.seed ?? String(randomInt(2 ** 31)), 0, 2 ** 31 - 1),
    };
  } catch (error) {
    return fail((error as Error).message);
  }
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function soak(): Promise<boolean> {
  const { rounds, seed } = readOptions();
  say(`kill: ${rounds} rounds, seed ${seed}`);
  const cluster = await startCluster();
  const name = `${cluster.prefix}soak`;
  const admin = new pg.Client({ connectionString: cluster.adminUrl });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name} TEMPLATE ${cluster.prefix}template`);
  await admin.end();
  const embedded = embeddedDatabase();
  const elsewhere = new Victim(givenDatabase(withDatabase(cluster.adminUrl, name)));
  const surviving = new Victim(embedded);
  const killed = new Victim(withDatabaseKilled(embedded));

  const done: Round[] = [];
  const started = performance.now();
  try {
    for (let round = 1; round <= rounds; round += 1) {
      const victim = [elsewhere, surviving, killed][(round - 1) % 3]!;
      const result = await killRound(victim, { seed, round });
      // Two servers on one folder would be one too many.
      if (victim !== elsewhere) await victim.kill('SIGTERM');
      done.push(result);
      const { asked, answered, refused, inFlight, landed, restartMs, breaches } = result;
      say(
        `round ${round}/${rounds} ${victim.target.name}: ${asked} requests, ${answered} done, ${refused} refused, ${inFlight} in flight at the kill ` +
          `(${landed} of those with a key had been done), back in ${restartMs} ms, ${breaches.length === 0 ? 'ok' : `${breaches.length} BREACHES`}`,
      );
      for (const breach of breaches) say(`  ${breach}`);
    }
  } finally {
    for (const victim of [elsewhere, surviving, killed]) await victim.kill('SIGTERM');
    await cluster.stop();
    if (done.length === rounds && done.every(({ breaches }) => breaches.length === 0)) await embedded.remove();
    else say(`The embedded database is kept: ${embedded.folder}`);
  }
  const sum = (of: (round: Round) => number): number => done.reduce((total, round) => total + of(round), 0);
  const bad = done.filter(({ breaches }) => breaches.length > 0).length;
  say(
    `${rounds} rounds in ${Math.round((performance.now() - started) / 1_000)} s: ${sum(({ asked }) => asked)} requests, ${sum(({ answered }) => answered)} answers found, ` +
      `${sum(({ inFlight }) => inFlight)} in flight at a kill (never fewer than ${Math.min(...done.map(({ inFlight }) => inFlight))}), ` +
      `${sum(({ landed }) => landed)} of them had been done; ${bad === 0 ? 'no breach' : `${bad} rounds with breaches`}; seed ${seed}`,
  );
  return bad === 0;
}

process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));
process.exitCode = (await soak()) ? 0 : 1;
