import { createServer, type AddressInfo } from 'node:net';
import { expect, test, vi } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { otlpReceiver } from '../../../test/otlp.ts';
import { startServer } from '../../../test/server.ts';
import { world } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';

const database = await testDatabase();
const collector = await otlpReceiver();
const { agent, session } = world(database.pool);
await agent('ada', { maxCapacity: 50 });
const held = async (): Promise<string> => encodeId('session', await session('ada'));
const complete = (id: string): string =>
  `mutation { answer: completeSession(input: { sessionId: "${id}" }) { __typename } }`;
const rename = (name: string): string =>
  `mutation { answer: updateAgent(input: { id: "ada", name: "${name}" }) { __typename } }`;
async function post(url: string, mutation: string): Promise<void> {
  const { data } = await client(url).post<{ answer: { __typename: string } }>(mutation);
  expect(data.answer.__typename).toMatch(/Payload$/);
}

test('a server that stops sends what it committed last', async () => {
  const leaving = await startServer({
    databaseUrl: database.url,
    env: { ...collector.variables, OTEL_BSP_SCHEDULE_DELAY: '60000' },
  });
  const id = await held();
  await post(leaving.url, complete(id));
  expect(await leaving.kill()).toEqual({ code: 0, signal: null });
  expect(collector.spans.map(({ name }) => name).sort()).toEqual(['invoke_agent ada', 'mutation completeSession']);
});

test('a collector that takes connections and never answers costs requests nothing, and no more than 1.5 s at the end', async () => {
  const hanging = createServer(() => undefined);
  await new Promise<void>((resolve) => hanging.listen(0, '127.0.0.1', resolve));
  const server = await startServer({
    databaseUrl: database.url,
    env: {
      ...collector.variables,
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(hanging.address() as AddressInfo).port}`,
    },
  });
  const id = await held();
  const began = performance.now();
  await post(server.url, complete(id));
  expect(performance.now() - began).toBeLessThan(5_000);
  const stopping = performance.now();
  expect(await server.kill()).toEqual({ code: 0, signal: null });
  expect(performance.now() - stopping).toBeLessThan(6_000);
  hanging.close();
});

test('an absent collector is said once, and spans are sent by protobuf', async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const { port } = taken.address() as AddressInfo;
  taken.close();
  const server = await startServer({
    databaseUrl: database.url,
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_BSP_SCHEDULE_DELAY: '20',
      OTEL_EXPORTER_OTLP_TIMEOUT: '100',
    },
  });
  const said = (): string[] => server.logs.filter((line) => line.includes('Traces could not be sent'));
  for (let n = 0; n < 3; n += 1) await post(server.url, rename(`N${n}`));
  await vi.waitFor(() => expect(said()).toHaveLength(1), { timeout: 20_000 });
  expect((await server.kill()).code).toBe(0);
  expect(said()).toHaveLength(1);
  expect(server.logs.filter((line) => line.includes('"level":50'))).toEqual([]);

  const kinds: (string | undefined)[] = [];
  const protobuf = await otlpReceiver((request, response) => {
    kinds.push(request.headers['content-type']);
    request.resume();
    response.writeHead(200).end();
  });
  const sending = await startServer({
    databaseUrl: database.url,
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: protobuf.endpoint },
  });
  await post(sending.url, rename('P'));
  await sending.kill();
  expect(kinds).toEqual(['application/x-protobuf']);
});
