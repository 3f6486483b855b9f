import { readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { beforeAll, describe, expect, test } from 'vitest';
import { encodeId } from '../core/ids.ts';
import { atEnd, testDatabase } from '../../test/database.ts';
import { client, send } from '../../test/graphql.ts';
import { largeContexts } from '../../test/largeContexts.ts';
import { startApp, startServer, type ServerProcess } from '../../test/server.ts';
import { rawSocket } from '../../test/socket.ts';

/**
 * Times are processor time of the server's main thread, from the kernel: other processes on this machine do not count. From a
 * question at /livez to its answer are at most three turns of the event loop, and compiling and collecting garbage count.
 */
const mostMs = 150;

const database = await testDatabase();
let server: ServerProcess;
let one = '';

beforeAll(async () => {
  await largeContexts(database.pool, 100);
  const { rows } = await database.pool.query<{ id: string }>('SELECT id FROM handoffs LIMIT 1');
  one = JSON.stringify(encodeId('handoff', rows[0]!.id));
  server = await startServer({ databaseUrl: database.url, env: { BATON_DEMO: '0', BATON_HEARTBEAT_SECONDS: '1' } });
}, 120_000);

const mainThreadMs = (): number => Number(readFileSync(`/proc/${server.pid}/task/${server.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;

interface Seen<Result> {
  result: Result;
  /** The most that was done between a question at /livez and its answer. */
  heldMs: number;
  /** What was done in all. */
  tookMs: number;
}

/** Asks /livez again and again until the work is done. */
async function watching<Result>(work: () => Promise<Result>): Promise<Seen<Result>> {
  const agent = new Agent({ keepAlive: true });
  atEnd(() => agent.destroy());
  const began = mainThreadMs();
  let done = false;
  const result = work().finally(() => (done = true));
  let heldMs = 0;
  while (!done) {
    const before = mainThreadMs();
    expect((await send(`${server.url}/livez`, { agent })).status).toBe(200);
    heldMs = Math.max(heldMs, mainThreadMs() - before);
  }
  return { result: await result, heldMs, tookMs: mainThreadMs() - began };
}

const repeated = (count: number, part: (n: number) => string): string => Array.from({ length: count }, (_, n) => part(n)).join(' ');
const onHandoff = (times: number, selection: string): string => `{ nodes(ids: [${repeated(times, () => one)}]) { ... on Handoff { ${selection} } } }`;
const promptsOf50 = '{ handoffs(first: 50) { nodes { contextPrompt(maxTokens: 2000) { text } } } }';
const same = onHandoff(3, repeated(15, (n) => `a${n}: contextPrompt(maxTokens: 3000) { tokenEstimate }`));

describe('While a request is served that asks for much, others are served', () => {
  test.each([
    ['prompts of 50 handoffs', () => promptsOf50],
    ['15 equal prompts of one handoff, 3 times', () => same],
    ['15 different prompts of one handoff', () => onHandoff(1, repeated(15, (n) => `a${n}: contextPrompt(maxTokens: ${3_000 + n}) { text }`))],
    ['80 records as Markdown', () => '{ handoffs(first: 80) { nodes { markdown } } }'],
  ])('%s', { timeout: 60_000 }, async (_name, query) => {
    const { heldMs } = await watching(() => client(server.url).post(query()));
    expect(heldMs).toBeLessThan(mostMs);
  });

  test('heartbeats arrive', { timeout: 60_000 }, async () => {
    const socket = await rawSocket(server.url);
    await socket.init();
    socket.subscribe('1', 'subscription { handoffEvents { type } }');
    const { post } = client(server.url);
    let beats = 0;
    const heard = (async () => {
      while (beats < 3) if ((await socket.result<{ handoffEvents: { type: string } }>('1')).data?.handoffEvents.type === 'HEARTBEAT') beats += 1;
    })();
    // The requests follow each other without a break.
    while (beats < 3) await post(promptsOf50);
    await heard;
    socket.terminate();
  });
});

test.each([
  ['15 prompts of one handoff, 50 times', () => onHandoff(50, repeated(15, (n) => `a${n}: contextPrompt(maxTokens: 3000) { text }`)), 50 * (1 + 15 * 88)],
  ['prompts of 100 handoffs', () => '{ handoffs(first: 100) { nodes { contextPrompt(maxTokens: 2000) { text } } } }', 1 + 100 * 89],
])('%s cost too much', async (_name, query, cost) => {
  expect((await client(server.url).post(query())).errors).toMatchObject([{ extensions: { code: 'LIMIT_EXCEEDED', what: 'cost', limit: 5_000, actual: cost } }]);
});

test('equal prompts of a request are made once', { timeout: 60_000 }, async () => {
  const ask = (query: string) => watching(() => client(server.url).post(query));
  await ask(same);
  const [repeats, distinct] = [await ask(same), await ask(promptsOf50)];
  expect(repeats.result.errors).toBeUndefined();
  expect(repeats.tookMs).toBeLessThan(distinct.tookMs / 2);
});

describe('A request that takes more processor time than it may ends with LIMIT_EXCEEDED', async () => {
  const { url } = await startApp(database, { processorMs: 30 });
  const refusal = { message: expect.stringMatching(/^The request took \d+ ms of processor time; the limit is 30/) as string, extensions: { code: 'LIMIT_EXCEEDED', what: 'processorMs', limit: 30, actual: expect.any(Number) as number } };

  test('over HTTP', async () => {
    const { post } = client(url);
    const refused = await post(promptsOf50, {}, { accept: 'application/graphql-response+json' });
    expect(refused).toMatchObject({ status: 400, errors: [refusal] });
    expect([refused.data, refused.errors?.length]).toEqual([undefined, 1]);
    // What one request took is not held against the next.
    expect((await post('{ handoffs(first: 1) { nodes { id } } }')).errors).toBeUndefined();
  });

  test('over a socket', async () => {
    const socket = await rawSocket(url);
    await socket.init();
    socket.subscribe('1', promptsOf50);
    const { errors, data } = await socket.result('1');
    expect(errors).toHaveLength(1);
    expect([data, errors]).toMatchObject([undefined, [refusal]]);
    socket.subscribe('2', '{ viewer { role } }');
    expect((await socket.result('2')).errors).toBeUndefined();
    socket.terminate();
  });

  test('a mutation that was made before is kept, and the error says so', async () => {
    const { post } = client(url);
    const selection = '... on UpdateAgentPayload { agent { id handoffsGiven(first: 50) { nodes { contextPrompt { text } } } } }';
    const { errors } = await post(`mutation { updateAgent(input: { id: "ada", description: "kept" }) { __typename ${selection} } }`);
    expect(errors).toEqual([expect.objectContaining({ message: expect.stringContaining('What a mutation changed is kept') as string })]);
    expect((await post('{ agent(id: "ada") { description } }')).data).toEqual({ agent: { description: 'kept' } });
  });
});
