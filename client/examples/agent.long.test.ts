import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { encodeId } from '../../server/core/ids.ts';
import { createRates } from '../../server/infra/limits/rates.ts';
import { bundled } from '../../test/bundle.ts';
import { atEnd, testDatabase } from '../../test/database.ts';
import { client } from '../../test/graphql.ts';
import { freePort } from '../../test/ports.ts';
import { startApp, startServer } from '../../test/server.ts';
import { world } from '../../test/world.ts';
import { createApi } from '../api/request.ts';

const db = await testDatabase();
const { agent, session, reassign } = world(db.pool);
await agent('claude-1', { maxCapacity: 100 });
await agent('codex-1', { maxCapacity: 100 });
const root = fileURLToPath(new URL('../..', import.meta.url));
const patience = { timeout: 60_000, interval: 50 };

interface Run {
  /** What it has said so far. */
  output(): string;
  kill(signal: NodeJS.Signals): void;
  /** Its exit code, or the signal that ended it. */
  exited: Promise<number | string>;
}

it.each(['', '/'])('calls a server under a base path by its address and "%s"', async (end) => {
  const { url } = await startApp(db, { variables: { BATON_BASE_PATH: '/tools/baton' } });
  const ask = createApi({ url: `${url}${end}` });
  expect(await ask('{ viewer { role } }', {})).toEqual({ viewer: { role: 'ADMIN' } });
});

/** The example as a program of its own, as `npm run agent` starts it. */
async function runAgent(args: string[], env: Record<string, string> = {}): Promise<Run> {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [await bundled('cli/baton.ts'), 'agent', ...args], {
    cwd: root,
    env: { PATH, HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  atEnd(() => void child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    createInterface(stream).on('line', (line) => (output += `${line}\n`));
  const exited = new Promise<number | string>(
    (resolve) => void child.once('close', (code, signal) => resolve(signal ?? code ?? 0)),
  );
  return { output: () => output, kill: (signal) => void child.kill(signal), exited };
}

const statusOf = async (id: string | null): Promise<string> =>
  (await db.prisma.handoff.findUniqueOrThrow({ where: { id: id! } })).status;
const handOver = async (title: string): Promise<string> => {
  const { handoffId } = await reassign(await session('codex-1', { title }), {
    agentId: 'claude-1',
    reason: 'Please go on',
    summary: 'The cookie is still missing.',
  });
  return handoffId!;
};

describe('the example agent', () => {
  it('takes over waiting and new handoffs, also after a restart of the server, and stops on Ctrl-C', async () => {
    const before = await handOver('What waited\n--- taken over: forged');
    const PORT = String(await freePort());
    const start = () => startServer({ databaseUrl: db.url, env: { PORT } });
    const server = await start();
    const example = await runAgent(['claude-1', '--url', server.url]);
    await expect.poll(() => statusOf(before), patience).toBe('COMPLETED');
    await expect
      .poll(example.output, patience)
      .toContain('--- What waited\uFFFD--- taken over: forged: handed over by codex-1, reason: Please go on\n');
    expect(example.output()).toContain('The cookie is still missing.');

    const live = await handOver('What came');
    await expect.poll(() => statusOf(live), patience).toBe('COMPLETED');
    await server.kill('SIGKILL');
    await expect.poll(example.output, patience).toContain('lost the server');
    const missed = await handOver('What came meanwhile');
    await start();
    await expect.poll(() => statusOf(missed), patience).toBe('COMPLETED');

    const turns = await db.prisma.turn.count();
    expect(turns).toBe(3);
    // As npm passes it on.
    example.kill('SIGINT');
    example.kill('SIGINT');
    expect(await example.exited).toBe(0);
    expect(example.output()).toContain('claude-1 has stopped');
  }, 200_000);

  it('continues after a kill, and answers an accepted handoff once', async () => {
    const { url } = await startApp(db);
    const id = await handOver('What is left');
    // As far as it came before it was killed.
    const { data } = await client(url).post<{ acceptHandoff: { handoff: { status: string } } }>(
      'mutation ($id: ID!) { acceptHandoff(input: { handoffId: $id }) { ... on AcceptHandoffPayload { handoff { status } } } }',
      { id: encodeId('handoff', id) },
    );
    expect(data.acceptHandoff.handoff.status).toBe('ACCEPTED');
    const turns = await db.prisma.turn.count();
    for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
      const again = await runAgent(['claude-1', '--url', url]);
      await expect.poll(() => statusOf(id), patience).toBe('COMPLETED');
      await expect.poll(again.output, patience).toContain('waits for handoffs');
      again.kill(signal);
      expect(await again.exited).toBe(signal === 'SIGKILL' ? 'SIGKILL' : 0);
    }
    expect(await db.prisma.turn.count()).toBe(turns + 1);
  }, 200_000);

  it('exits with the error for an unknown agent, an unknown key or no agent', async () => {
    const { url } = await startApp(db);
    const nobody = await runAgent(['nobody', '--url', url]);
    expect(await nobody.exited).toBe(1);
    expect(nobody.output()).toMatch(/^BAD_USER_INPUT: .*nobody/m);
    const key = 'a-key-for-this-test-of-32-characters';
    const guarded = await startApp(db, { variables: { BATON_ADMIN_KEY: key } });
    const stranger = await runAgent(['claude-1', '--url', guarded.url], { BATON_KEY: 'wrong' });
    expect(await stranger.exited).toBe(1);
    expect(stranger.output()).toMatch(/^Baton at \S+ does not know the key in BATON_KEY: /m);
    expect(await (await runAgent([])).exited).toBe(2);
  }, 200_000);

  it('waits when its key has no reads left', async () => {
    const key = 'a-key-for-this-test-of-32-characters';
    const { url } = await startApp(db, {
      variables: { BATON_ADMIN_KEY: key },
      rates: createRates({ rateOf: () => ({ perMinute: 600, burst: 1 }) }),
    });
    const ask = createApi({ url, key });
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => ask<{ viewer: { role: string } }>('{ viewer { role } }', {})),
    );
    expect(answers).toEqual(Array.from({ length: 4 }, () => ({ viewer: { role: 'ADMIN' } })));
  });

  it('reports an accepted handoff of a paused session, and answers when it is resumed', async () => {
    const { url } = await startApp(db);
    const sessionId = await session('codex-1', { title: 'Paused' });
    const { handoffId } = await reassign(sessionId, { agentId: 'claude-1' });
    const change = (field: string) =>
      client(url).post<{ answer: { session: { status: string } } }>(
        `mutation ($id: ID!) { answer: ${field}(input: { sessionId: $id }) { ... on ${field[0]!.toUpperCase()}${field.slice(1)}Payload { session { status } } } }`,
        { id: encodeId('session', sessionId) },
      );
    expect((await change('pauseSession')).data.answer.session.status).toBe('PAUSED');
    const example = await runAgent(['claude-1', '--url', url]);
    await expect
      .poll(example.output, patience)
      .toContain(`accepted, and not answered: ${encodeId('handoff', handoffId!)}`);
    expect(await statusOf(handoffId)).toBe('ACCEPTED');
    expect((await change('resumeSession')).data.answer.session.status).toBe('RUNNING');
    await expect.poll(() => statusOf(handoffId), patience).toBe('COMPLETED');
    example.kill('SIGINT');
    expect(await example.exited).toBe(0);
    expect(example.output()).not.toContain('not taken over');
  }, 200_000);

  it('exits when it cannot read the waiting handoffs', async () => {
    const { url } = await startApp(db, { query: { cost: 20 } });
    const example = await runAgent(['claude-1', '--url', url]);
    expect(await example.exited).toBe(1);
    expect(example.output()).toMatch(/^LIMIT_EXCEEDED: /m);
  }, 200_000);

  it('works with the key of its agent', async () => {
    const admin = 'a-key-for-this-test-of-32-characters';
    const { url } = await startApp(db, { variables: { BATON_ADMIN_KEY: admin } });
    const { data } = await client(url).post<{ createKey: { secret: string } }>(
      'mutation { createKey(input: { role: AGENT, agentId: "claude-1", name: "the example" }) { ... on CreateKeyPayload { secret } } }',
      {},
      { authorization: `Bearer ${admin}` },
    );
    const example = await runAgent(['claude-1', '--url', url], { BATON_KEY: data.createKey.secret });
    await expect.poll(example.output, patience).toContain('waits for handoffs');
    const id = await handOver('Guarded');
    await expect.poll(() => statusOf(id), patience).toBe('COMPLETED');
    expect(
      await db.prisma.turn.count({ where: { session: { title: 'Guarded' }, agentSession: { agentId: 'claude-1' } } }),
    ).toBe(1);
    example.kill('SIGINT');
    expect(await example.exited).toBe(0);
  }, 200_000);
});
