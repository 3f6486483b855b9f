import { Agent } from 'node:http';
import { compose } from '../server/app/compose.ts';
import { readEnv } from '../server/infra/env.ts';
import { createRates } from '../server/infra/limits/rates.ts';
import { silentLog } from '../server/infra/log.ts';
import { createDatabase } from '../server/infra/prisma.ts';
import { send } from '../test/graphql.ts';
import type { Place } from './place.ts';
import { atMost, spread, type Line } from './report.ts';
import { alternate, ratioOf } from './rounds.ts';

const requests = 400;
const rounds = 21;
const plenty = { perMinute: 60_000_000, burst: 1_000_000 };

/** Measures what counting costs a small query: two servers in one process, one of them without metrics. */
export async function metrics(place: Place): Promise<Line[]> {
  const { url } = await place.database();
  const body = JSON.stringify({ query: '{ sessions(first: 1) { nodes { id status } } }' });

  async function p50(measured: boolean): Promise<() => Promise<number>> {
    const database = createDatabase(url, silentLog);
    const { app, stop } = await compose(readEnv({ PORT: '0' }), database, silentLog, {
      measured,
      background: [],
      rates: createRates({ rateOf: () => plenty }),
    });
    await app.start();
    const agent = new Agent({ keepAlive: true });
    place.atEnd(async () => {
      agent.destroy();
      await stop();
      await database.close();
    });
    return async () => {
      const times: number[] = [];
      for (let n = 0; n < requests; n += 1) {
        const started = performance.now();
        await send(`${app.url}/graphql`, {
          agent,
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body,
        });
        times.push(performance.now() - started);
      }
      return times.sort((a, b) => a - b)[requests / 2]!;
    };
  }

  const { on, off } = await alternate(rounds, { on: await p50(true), off: await p50(false) });
  const ratio = ratioOf(on, off);
  return [
    {
      what: 'p50 of a query of one row, with metrics',
      figure: spread(on, 'ms'),
      beside: `without metrics: ${spread(off, 'ms')}`,
      ratio,
      goal: atMost(ratio.median, 1.03),
    },
  ];
}
