import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { compose } from '../server/app/compose.ts';
import { encodeId } from '../server/core/ids.ts';
import { readEnv } from '../server/infra/env.ts';
import { createRates } from '../server/infra/limits/rates.ts';
import { silentLog } from '../server/infra/log.ts';
import { createDatabase } from '../server/infra/prisma.ts';
import { send } from '../test/graphql.ts';
import { world } from '../test/world.ts';
import type { Place } from './place.ts';
import { atMost, spread, type Line } from './report.ts';
import { alternate, ratioOf } from './rounds.ts';

const moves = 100;
const rounds = 21;
const plenty = { perMinute: 60_000_000, burst: 1_000_000 };

/** A collector in a process of its own, which takes everything. */
const collector = `require('node:http').createServer((request, response) => { request.resume(); request.on('end', () => response.end()); })
  .listen(0, '127.0.0.1', function () { console.log(this.address().port); })`;

/** Measures what traces cost a reassign, which makes three spans: two servers in one process, one of them with traces. */
export async function traces(place: Place): Promise<Line[]> {
  const child = spawn(process.execPath, ['-e', collector], { stdio: ['ignore', 'pipe', 'inherit'] });
  place.atEnd(() => void child.kill());
  const [port] = (await once(child.stdout, 'data')) as [Buffer];
  // The packages of OpenTelemetry read it, not the server.
  process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = `http://127.0.0.1:${port.toString().trim()}`;

  async function p50(exporter: string): Promise<() => Promise<number>> {
    const { url } = await place.database();
    const database = createDatabase(url, silentLog);
    const { app, stop } = await compose(readEnv({ PORT: '0', OTEL_TRACES_EXPORTER: exporter }), database, silentLog, {
      background: [],
      rates: createRates({ rateOf: () => plenty }),
    });
    await app.start();
    const connections = new Agent({ keepAlive: true });
    place.atEnd(async () => {
      connections.destroy();
      await stop();
      await database.close();
    });
    const { agent, session } = world(database.pool);
    for (const id of ['ada', 'bob']) await agent(id, { maxCapacity: 1_000 });
    const sessionId = encodeId('session', await session('ada'));
    let count = 0;
    return async () => {
      const times: number[] = [];
      for (let n = 0; n < moves; n += 1) {
        const to = (count += 1) % 2 === 1 ? 'bob' : 'ada';
        const body = JSON.stringify({
          query: `mutation { reassignSession(input: { sessionId: "${sessionId}", agentId: "${to}" }) { __typename } }`,
        });
        const started = performance.now();
        const answer = await send(`${app.url}/graphql`, {
          agent: connections,
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body,
        });
        times.push(performance.now() - started);
        if (!answer.body.includes('ReassignSessionPayload')) throw new Error(answer.body);
      }
      return times.sort((a, b) => a - b)[moves / 2]!;
    };
  }

  const { on, off } = await alternate(rounds, { on: await p50('otlp'), off: await p50('none') });
  const ratio = ratioOf(on, off);
  return [
    {
      what: 'p50 of a reassign, with traces',
      figure: spread(on, 'ms'),
      beside: `without traces: ${spread(off, 'ms')}`,
      ratio,
      goal: atMost(ratio.median, 1.1),
    },
  ];
}
