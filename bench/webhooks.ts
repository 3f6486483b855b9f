import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { world } from '../test/world.ts';
import { ask } from './api.ts';
import { startBaton } from './listening.ts';
import type { Place } from './place.ts';
import type { Line } from './report.ts';

const sessions = 500;
const eventsOfEach = 20;
const count = sessions * eventsOfEach;

interface Received {
  session: { id: string };
  sessionSequence: number;
}

/** Ten thousand events of 500 Sessions to one receiver, which checks the order of each Session and answers at once. */
export async function webhooks(place: Place): Promise<Line[]> {
  const { url: databaseUrl, pool, patient } = await place.database();
  const { agent, session } = world(pool);
  await agent('ada', { maxCapacity: 1_000 });
  for (let n = 0; n < sessions; n += 1) await session('ada');

  const last = new Map<string, number>();
  let [received, repeated, swapped, begun] = [0, 0, 0, 0];
  let finish = (): void => undefined;
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const receiver = createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      response.writeHead(204).end();
      begun ||= performance.now();
      const { session, sessionSequence } = JSON.parse(body) as Received;
      const before = last.get(session.id) ?? 0;
      if (sessionSequence === before) repeated += 1;
      else if (sessionSequence < before) swapped += 1;
      last.set(session.id, sessionSequence);
      received += 1;
      if (received >= count) finish();
    });
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  place.atEnd(() => void receiver.close());

  const baton = await startBaton({
    DATABASE_URL: databaseUrl,
    BATON_WEBHOOK_KEY: 'k'.repeat(32),
    BATON_WEBHOOK_ALLOW: '127.0.0.1',
  });
  place.atEnd(baton.stop);
  await ask(
    baton.url,
    `mutation { createWebhook(input: { url: "http://127.0.0.1:${(receiver.address() as AddressInfo).port}/" }) { __typename } }`,
  );
  // All at once, as after a receiver was away for long.
  await patient.query(
    `INSERT INTO events (id, type, at, session_id, session_sequence, session_status, actor_principal)
     SELECT gen_random_uuid(), 'SESSION_CHANGED', now(), s.id, n, 'RUNNING', 'bench' FROM sessions s, generate_series(2, $1::int) n ORDER BY n, s.id`,
    [eventsOfEach + 1],
  );
  await finished;
  const seconds = (performance.now() - begun) / 1_000;
  const text = `${received.toLocaleString('en-US')} received, ${repeated} twice, ${swapped} out of order`;
  return [
    {
      what: `${count.toLocaleString('en-US')} deliveries of ${sessions} sessions to one webhook`,
      figure: `${Math.round(count / seconds)} a second`,
      goal: { text, met: received === count && repeated + swapped === 0 },
    },
  ];
}
