import { compose } from '../server/app/compose.ts';
import { readEnv } from '../server/infra/env.ts';
import { createRates } from '../server/infra/limits/rates.ts';
import { silentLog } from '../server/infra/log.ts';
import { createDatabase } from '../server/infra/prisma.ts';
import { send } from '../test/graphql.ts';
import { world } from '../test/world.ts';
import type { Place } from './place.ts';
import { loadWork, sessionIdOf } from './reassignData.ts';
import { spread, type Line } from './report.ts';
import { alternate, ratioOf, type Contestant } from './rounds.ts';

const rounds = 7;
const clients = 4;
const moves = 120;
const size = { agents: 100, sessions: 40, turns: 100 };
const plenty = { perMinute: 60_000_000, burst: 1_000_000 };
const requests = 100;
const body = JSON.stringify({
  query:
    '{ handoffs(first: 20) { nodes { id status sourceAgent { id name type } targetAgent { id name type } session { id title status } } pageInfo { hasNextPage endCursor } } }',
});

/** What `BATON_PREPARED=0` costs: the same commands and lists without named statements, in one process. */
export async function prepared(place: Place): Promise<Line[]> {
  const { url, patient } = await place.database();
  await loadWork(url, size);
  const { rows } = await patient.query<{ id: string }>(
    `SELECT ${sessionIdOf('n')} AS id FROM generate_series(0, ${size.sessions - 1}) n ORDER BY n`,
  );
  let move = 0;

  async function contestants(named: boolean): Promise<{ reassigns: Contestant; lists: Contestant }> {
    const database = createDatabase(url, silentLog, { prepared: named });
    const { app, stop } = await compose(readEnv({ PORT: '0' }), database, silentLog, {
      background: [],
      rates: createRates({ rateOf: () => plenty }),
    });
    await app.start();
    place.atEnd(async () => {
      await stop();
      await database.close();
    });
    const { reassign } = world(database.pool);
    return {
      async reassigns() {
        move += 1;
        const started = performance.now();
        await Promise.all(
          Array.from({ length: clients }, async (_, client) => {
            for (let n = client; n < moves; n += clients)
              await reassign(rows[n % size.sessions]!.id, { agentId: `agent-${(n + move * 37) % size.agents}` });
          }),
        );
        return (moves * 1_000) / (performance.now() - started);
      },
      async lists() {
        const started = performance.now();
        for (let n = 0; n < requests; n += 1)
          await send(`${app.url}/graphql`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
        return (requests * 1_000) / (performance.now() - started);
      },
    };
  }

  const [on, off] = [await contestants(true), await contestants(false)];
  const reassigns = await alternate(rounds, { on: on.reassigns, off: off.reassigns });
  const lists = await alternate(rounds, { on: on.lists, off: off.lists });
  return [
    {
      what: `\`reassignSession\` with \`BATON_PREPARED=0\`, ${clients} clients`,
      figure: spread(reassigns.off, 'a second'),
      beside: `1: ${spread(reassigns.on, 'a second')}`,
      ratio: ratioOf(reassigns.off, reassigns.on),
    },
    {
      what: '20 handoffs with source, target and session with `BATON_PREPARED=0`, one after the other',
      figure: spread(lists.off, 'a second'),
      beside: `1: ${spread(lists.on, 'a second')}`,
      ratio: ratioOf(lists.off, lists.on),
    },
  ];
}
