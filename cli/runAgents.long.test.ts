import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { createApi } from '../client/api/request.ts';
import { encodeId } from '../server/core/ids.ts';
import { packageFolder } from '../server/core/place.ts';
import { atEnd, testDatabase } from '../test/database.ts';
import { brokenInvariants } from '../test/invariants.ts';
import { runFolder, startRun, type Running } from '../test/running.ts';
import { startServer } from '../test/server.ts';
import { world } from '../test/world.ts';

/** Issue-sized: BATON_RUNNER_KILLS=200. */
const kills = Number(process.env['BATON_RUNNER_KILLS'] ?? 6);

const database = await testDatabase();
const { url } = await startServer({ databaseUrl: database.url });
const ask = createApi({ url });
const { session } = world(database.pool);

const call = (name: string, given: object = {}) => ({ name, arguments: given });
const effect = (id: string) => call('mcp__effect__do', { id });

/** Five handoffs: each time a note and an effect, then on to the other. */
const tenures = ['a0', 'b0', 'a1', 'b1', 'a2', 'b2'];
const answersOf = (agent: string): object[][] =>
  tenures
    .filter((tenure) => tenure.startsWith(agent))
    .map((tenure) => [
      { text: `${tenure} works`, waitMs: 20, calls: [effect(tenure), call('note', { decision: tenure })] },
      {
        text: `${tenure} ends`,
        waitMs: 20,
        calls: [
          tenure === tenures.at(-1)
            ? call('finish', { result: 'All is done' })
            : call(`transfer_to_${agent === 'a' ? 'b' : 'a'}`, { reason: tenure }),
        ],
      },
    ]);

const sdk = join(packageFolder, 'node_modules/@modelcontextprotocol/sdk/dist/esm/server');
const zod = join(packageFolder, 'node_modules/zod/index.js');
const folder = runFolder({
  'answers.json': {
    a: answersOf('a'),
    b: answersOf('b'),
    busy: [
      [
        ...['one', 'two', 'three'].map((decision) => ({ waitMs: 200, calls: [call('note', { decision })] })),
        { waitMs: 200, calls: [call('finish', { result: 1 })] },
      ],
    ],
  },
  'effect.mjs': `
import { appendFileSync } from 'node:fs';
import { McpServer } from '${sdk}/mcp.js';
import { StdioServerTransport } from '${sdk}/stdio.js';
import { z } from '${zod}';
const server = new McpServer({ name: 'effect', version: '1' });
server.registerTool('do', { inputSchema: { id: z.string() } }, ({ id }) => {
  appendFileSync('effects.txt', id + '\\n');
  return { content: [{ type: 'text', text: 'done' }] };
});
await server.connect(new StdioServerTransport());
`,
});
const effects = join(folder, 'effects.txt');

const definition = (id: string, more: string, text: string) => ({
  path: `${id}.md`,
  content: `---\nname: ${id}\ntype: SCRIPT\nmodel: script/answers.json\n${more}---\nYou are ${id}.\n${text}`,
});
const servers = `mcpServers:\n  effect:\n    command: ${process.execPath}\n    args: [effect.mjs]\n`;
const imported = await fetch(`${url}/agents/import`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    files: [
      definition('a', servers, '\n## Collaborations\n- b: then'),
      definition('b', servers, '\n## Collaborations\n- a: then'),
      definition('busy', '', ''),
    ],
  }),
});
expect(await imported.json()).toMatchObject({ problems: [] });
for (const id of ['a', 'b', 'busy'])
  await ask(
    'mutation ($id: ID!) { answer: updateAgent(input: { id: $id, maxCapacity: 60 }) { __typename ... on Error { code message } } }',
    { id },
  );

const begin = async (agentId: string): Promise<string> => encodeId('session', await session(agentId));
const run = (...args: string[]): Promise<Running> => startRun(folder, ['--url', url, ...args]);

interface Read {
  session: {
    status: string;
    result: unknown;
    decisions: { text: string }[];
    turns: {
      nodes: {
        index: number;
        messages: { content: string }[];
        toolCalls: { result: string | null; error: string | null }[];
      }[];
    };
  };
}
const read = async (id: string): Promise<Read['session']> =>
  (
    await ask<Read>(
      `query ($id: ID!) { session(id: $id) { status result decisions { text }
        turns(last: 20) { nodes { index messages { content } toolCalls { result error } } } } }`,
      { id },
    )
  ).session;

const untilDone = (id: string): Promise<Read['session']> =>
  vi.waitFor(
    async () => {
      const found = await read(id);
      expect(found.status).toBe('COMPLETED');
      return found;
    },
    { timeout: 60_000, interval: 50 },
  );

/** As 30 s after the last sign of life of a runner. */
const lapse = () =>
  database.pool.query(
    "UPDATE agent_sessions SET claim_ends_at = now() - interval '1 second' WHERE claim_ends_at IS NOT NULL",
  );

const steps = tenures.flatMap((tenure) => [`${tenure} works`, `${tenure} ends`]);

/** Every step once and in order, every effect at most once, every act of Baton once. */
async function demandExact(id: string): Promise<{ done: number; unknown: number }> {
  const { result, decisions, turns } = await untilDone(id);
  expect(result).toBe('All is done');
  const said = turns.nodes.toSorted((x, y) => x.index - y.index).map(({ messages }) => messages[0]?.content);
  expect(said).toEqual(steps);
  expect(decisions.map(({ text }) => text)).toEqual(tenures);
  const calls = turns.nodes.flatMap(({ toolCalls }) => toolCalls);
  expect(calls.every((each) => each.result !== null || each.error !== null)).toBe(true);
  const happened = existsSync(effects) ? readFileSync(effects, 'utf8').trim().split('\n') : [];
  expect(new Set(happened).size).toBe(happened.length);
  return { done: happened.length, unknown: calls.filter(({ error }) => error !== null).length };
}

it(`goes on exactly where a runner was killed: ${kills} kills at random points of five handoffs`, async () => {
  let unknown = 0;
  for (let round = 0; round < kills; round += 1) {
    rmSync(effects, { force: true });
    const id = await begin('a');
    const victim = await run('a', 'b');
    await vi.waitFor(() => expect(victim.lines.length + victim.stderr().length).toBeGreaterThan(0), {
      timeout: 20_000,
      interval: 5,
    });
    const killed = Math.floor((round / kills) * steps.length);
    await vi.waitFor(
      () => expect(victim.lines.filter(({ event }) => event === 'step').length).toBeGreaterThanOrEqual(killed),
      {
        timeout: 30_000,
        interval: 1,
      },
    );
    // Anywhere within the step.
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 150));
    victim.kill('SIGKILL');
    await victim.exited;
    await lapse();
    const next = await run('a', 'b');
    unknown += (await demandExact(id)).unknown;
    next.kill('SIGTERM');
    await next.exited;
  }
  console.log(`${kills} kills: ${unknown} calls of tools were said to be unknown, none was made twice`);
  expect(await brokenInvariants(database.pool)).toEqual([]);
  const { agents } = await ask<{ agents: { nodes: { currentLoad: number }[] } }>(
    '{ agents { nodes { currentLoad } } }',
    {},
  );
  expect(agents.nodes.every(({ currentLoad }) => currentLoad === 0)).toBe(true);
}, 3_600_000);

it('lets two runners work for the same agents, each tenure by one of them', async () => {
  rmSync(effects, { force: true });
  const runners = await Promise.all([run('a', 'b', '--parallel', '2'), run('a', 'b', '--parallel', '2')]);
  const id = await begin('a');
  expect(await demandExact(id)).toEqual({ done: tenures.length, unknown: 0 });
  const others = await Promise.all(Array.from({ length: 6 }, () => begin('a')));
  for (const other of others) expect((await untilDone(other)).turns.nodes).toHaveLength(steps.length);
  for (const runner of runners) runner.kill('SIGTERM');
  await Promise.all(runners.map(({ exited }) => exited));
  const taken = runners.map(({ lines }) => lines.filter(({ event }) => event === 'step').length);
  expect(taken[0]! + taken[1]!).toBe(steps.length * (others.length + 1));
}, 300_000);

it('works on 50 sessions, 20 at once, with a model that answers in 200 ms', async () => {
  const ids = await Promise.all(Array.from({ length: 50 }, () => begin('busy')));
  const began = Date.now();
  const running = await run('busy', '--parallel', '20');
  atEnd(() => running.kill('SIGKILL'));
  // Without asking the server, which has enough to do.
  const ended = () => running.lines.filter(({ event }) => event === 'ended').length;
  await vi.waitFor(() => expect(ended()).toBe(ids.length), { timeout: 120_000, interval: 50 });
  const seconds = (Date.now() - began) / 1_000;
  const memory = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${running.pid}/status`, 'utf8'))![1]) / 1_024;
  running.kill('SIGTERM');
  await running.exited;
  const added = running.lines.flatMap(({ addedMs }) => addedMs ?? []).sort((x, y) => x - y);
  const at = (share: number): number => added[Math.floor(added.length * share)]!;
  console.log(
    `${added.length} steps in ${seconds.toFixed(1)} s: Baton added p50 ${at(0.5)} ms, p95 ${at(0.95)} ms; at most ${memory.toFixed(0)} MB`,
  );
  expect(added).toHaveLength(200);
  for (const id of ids) expect((await read(id)).status).toBe('COMPLETED');
  expect(memory).toBeLessThan(250);
}, 300_000);
