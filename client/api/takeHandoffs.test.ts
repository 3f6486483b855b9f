import { expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { decodeId, encodeId } from '../../server/core/ids.ts';
import { cancelHandoff } from '../../server/work/handoffs/changeHandoff.ts';
import { testDatabase } from '../../test/database.ts';
import { startApp } from '../../test/server.ts';
import { world } from '../../test/world.ts';
import { takeHandoffs, type TakeOptions, type TakenHandoff } from './takeHandoffs.ts';

const database = await testDatabase();
const { url } = await startApp(database);
const { agent, session, reassign, run } = world(database.pool);
await agent('coder', { maxCapacity: 20 });
await agent('writer', { maxCapacity: 20 });

const handOver = async (title: string, agentId = 'writer'): Promise<string> =>
  encodeId('handoff', (await reassign(await session('coder', { title }), { agentId })).handoffId!);
const take = (work: (handoff: TakenHandoff) => Promise<void>, options: Partial<TakeOptions> = {}): Promise<void> =>
  takeHandoffs({ url, agentId: 'writer', webSocket: WebSocket, ...options }, work);

it('throws what the work throws, and gives the accepted handoff again to the next call, the oldest first', async () => {
  const ids = [await handOver('First'), await handOver('Second')];
  await expect(take(async () => Promise.reject(new Error('the model is away')))).rejects.toThrow('the model is away');
  const stopping = new AbortController();
  const taken: string[] = [];
  await take(
    async ({ id, status, contextPrompt }) => {
      expect([status, contextPrompt.text]).toEqual([
        'ACCEPTED',
        expect.stringContaining('# Handoff from coder to writer'),
      ]);
      if (taken.push(id) === ids.length) stopping.abort();
    },
    { signal: stopping.signal },
  );
  expect(taken).toEqual(ids);
});

it('reports a handoff that was taken back while it waited, and goes on with the next', async () => {
  await agent('reviewer');
  const [first, second, third] = [
    await handOver('First', 'reviewer'),
    await handOver('Second', 'reviewer'),
    await handOver('Third', 'reviewer'),
  ];
  const stopping = new AbortController();
  const refused: unknown[] = [];
  const taken: string[] = [];
  await take(
    async ({ id }) => {
      taken.push(id);
      if (id === first) await run(cancelHandoff, { handoffId: decodeId(second)!.uuid, reason: null });
      if (id === third) stopping.abort();
    },
    {
      agentId: 'reviewer',
      signal: stopping.signal,
      onRefused: ({ handoffId, accepted, error }) => refused.push([handoffId, accepted, error.code]),
    },
  );
  expect([taken, refused]).toEqual([[first, third], [[second, false, 'INVALID_STATE']]]);
});

it('resolves at once when its signal has aborted', async () => {
  await take(async () => Promise.reject(new Error('not to be called')), { signal: AbortSignal.abort() });
});
