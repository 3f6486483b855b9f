import pg from 'pg';
import { createLog, silentLog } from '../server/infra/log.ts';
import { createDatabase } from '../server/infra/prisma.ts';
import { slowMs, watchedClient } from '../server/infra/slowStatements.ts';
import type { Place } from './place.ts';
import { digits, type Line } from './report.ts';
import { alternate } from './rounds.ts';

const quick = 3_000;

/** Measures whether one slow statement among many is found, and the cost of watching. */
export async function slow(place: Place): Promise<Line[]> {
  const { url } = await place.database();
  const lines: string[] = [];
  const database = createDatabase(url, createLog({ destination: { write: (line) => void lines.push(line) } }));
  place.atEnd(database.close);
  for (let n = 0; n < quick; n += 1) {
    await database.pool.query('SELECT 1');
    if (n === quick / 2) await database.pool.query('SELECT pg_sleep($1)', [(slowMs + 100) / 1_000]);
  }
  const found = lines.filter((line) => line.includes('slow_statement'));
  const detected = found.length === 1 && found[0]!.includes('pg_sleep($1)');

  const microseconds = async (client: pg.Client): Promise<() => Promise<number>> => {
    await client.connect();
    place.atEnd(() => client.end());
    return async () => {
      const started = performance.now();
      for (let n = 0; n < quick; n += 1) await client.query('SELECT 1');
      return ((performance.now() - started) * 1_000) / quick;
    };
  };
  const config = { connectionString: url };
  const { watched, plain } = await alternate(5, {
    watched: await microseconds(new (watchedClient(silentLog))(config)),
    plain: await microseconds(new pg.Client(config)),
  });
  return [
    {
      what: `One statement of more than ${slowMs} ms among ${quick.toLocaleString('en-US')} is in the log, and no other`,
      figure: `${digits(watched.median)} µs a statement`,
      beside: `nobody watching: ${digits(plain.median)} µs`,
      goal: { text: 'found', met: detected },
    },
  ];
}
