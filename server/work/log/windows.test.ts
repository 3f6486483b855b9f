import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { imports } from '../../../test/imports.ts';
import { toolCall } from '../../../test/world.ts';
import { captureSnapshot } from './addToLog.ts';
import { importTranscript } from './importTranscript.ts';
import { prepareImport } from './prepareImport.ts';

// ContextSnapshot.tokenEstimate: the window that the agent had.
const { db, agent, session, reassign, turn, run, load: loadFrom } = await imports();
await agent('a', { maxCapacity: 100 });
await agent('b', { maxCapacity: 100 });

const checkpoint = async (sessionId: string): Promise<number> => {
  const { snapshotId } = await run(captureSnapshot, { sessionId });
  return (await db.prisma.contextSnapshot.findUniqueOrThrow({ where: { id: snapshotId } })).tokenEstimate;
};
const newest = async (sessionId: string, type: 'SESSION_START' | 'HANDOFF_INITIATED' | 'TRUNCATION'): Promise<number> =>
  (await db.prisma.contextSnapshot.findFirstOrThrow({ where: { sessionId, type }, orderBy: { id: 'desc' } }))
    .tokenEstimate;

const usage = (fields: object) => ({
  inputTokens: null,
  outputTokens: null,
  cacheCreationInputTokens: null,
  cacheReadInputTokens: null,
  model: null,
  ...fields,
});
const said = (text: string) => [{ role: 'ASSISTANT' as const, content: text }];

describe('without reported usage the estimate', () => {
  it('counts the names, arguments and results of tool calls, four bytes a token', async () => {
    const id = await session('a');
    await turn(id, {
      messages: said('ok'),
      toolCalls: [{ ...toolCall('c', 'Read', { arguments: { p: 'x'.repeat(1_000) } }), result: 'y'.repeat(100_000) }],
    });
    const bytes = 2 + 4 + '{"p": ""}'.length + 1_000 + 100_000;
    expect(await checkpoint(id)).toBe(Math.ceil(bytes / 4));
  });

  it('counts a result once when it is also a TOOL message', async () => {
    const id = await session('a');
    await turn(id, {
      messages: [{ role: 'TOOL', content: 'z'.repeat(4_000) }],
      toolCalls: [{ ...toolCall('c', 'Read', { arguments: null }), result: 'z'.repeat(4_000) }],
    });
    expect(await checkpoint(id)).toBe(Math.ceil((4_000 + 'Read'.length + '{}'.length) / 4));
  });

  it('counts only what follows a truncation', async () => {
    const id = await session('a');
    await turn(id, {
      messages: said('x'.repeat(40_000)),
      toolCalls: [{ ...toolCall('c', 'Read'), result: 'y'.repeat(40_000) }],
    });
    await turn(id, { messages: said('after'), truncated: true });
    expect(await newest(id, 'TRUNCATION')).toBeGreaterThan(20_000);
    expect(await checkpoint(id)).toBe(Math.ceil('after'.length / 4));
  });

  it('counts calls in a turn without messages', async () => {
    const id = await session('a');
    await turn(id, { messages: [], toolCalls: [{ ...toolCall('c', 'Read'), result: 'y'.repeat(400) }] });
    expect(await checkpoint(id)).toBeGreaterThan(100);
  });
});

describe('with reported usage the estimate', () => {
  it('is the last reported window plus what followed it', async () => {
    const id = await session('a');
    await turn(id, {
      messages: said('x'.repeat(4_000)),
      usage: usage({ inputTokens: 10, outputTokens: 20, cacheCreationInputTokens: 300, cacheReadInputTokens: 40_000 }),
    });
    expect(await checkpoint(id)).toBe(40_330);
    await turn(id, { messages: [{ role: 'USER', content: 'u'.repeat(400) }] });
    await turn(id, {
      messages: said('ok'),
      toolCalls: [{ ...toolCall('c', 'Read', { arguments: {} }), result: 'y'.repeat(394) }],
    });
    expect(await checkpoint(id)).toBe(40_330 + Math.ceil((400 + 2 + 4 + 2 + 394) / 4));
    await reassign(id, { agentId: 'b' });
    expect(await newest(id, 'HANDOFF_INITIATED')).toBe(40_330 + Math.ceil((400 + 2 + 4 + 2 + 394) / 4));
  });

  it('ignores the usage of another agent', async () => {
    const id = await session('a');
    await turn(id, { messages: said('four'), usage: usage({ inputTokens: 90_000 }) });
    await reassign(id, { agentId: 'b', skipHandoff: true });
    expect(await newest(id, 'SESSION_START')).toBe(1);
    expect(await checkpoint(id)).toBe(1);
  });

  it('ignores usage from before a truncation', async () => {
    const id = await session('a');
    await turn(id, { messages: said('four'), usage: usage({ inputTokens: 90_000 }) });
    await turn(id, { messages: said('four'), truncated: true });
    expect(await newest(id, 'TRUNCATION')).toBe(90_000);
    expect(await checkpoint(id)).toBe(1);
  });
});

describe('an imported session', () => {
  const line = (fields: object, uuid: string) =>
    JSON.stringify({ uuid, sessionId: 's1', timestamp: '2026-01-01T00:00:00Z', ...fields });
  const user = (text: string, uuid: string) => line({ type: 'user', message: { role: 'user', content: text } }, uuid);
  const agentSaid = (text: string, read: number, uuid: string, isSidechain = false) =>
    line(
      {
        type: 'assistant',
        isSidechain,
        message: {
          id: `m${uuid}`,
          role: 'assistant',
          content: [{ type: 'text', text }],
          usage: { input_tokens: 1, output_tokens: 9, cache_read_input_tokens: read },
        },
      },
      uuid,
    );
  const load = (sessionId: string, lines: string[]) =>
    loadFrom(Readable.from(lines.map((one) => `${one}\n`)), { sessionId });

  it('takes the window of its last request, not the sum of the turn nor that of a sub-agent', async () => {
    const id = await session('a');
    await load(id, [
      user('go', 'u1'),
      agentSaid('one', 1_000, 'a1'),
      agentSaid('two', 2_000, 'a2'),
      agentSaid('aside', 90_000, 'a3', true),
    ]);
    const sidechainBytes = 'aside'.length;
    expect(await checkpoint(id)).toBeGreaterThanOrEqual(2_010);
    expect(await checkpoint(id)).toBeLessThanOrEqual(2_010 + sidechainBytes);
  });

  it('takes the window before a compaction for its snapshot, and the window after it for later ones', async () => {
    const id = await session('a');
    const compacted = line({ type: 'system', subtype: 'compact_boundary', content: 'Conversation compacted' }, 'c1');
    const before = [user('go', 'u1'), agentSaid('one', 150_000, 'a1')];
    await load(id, [...before, compacted, user('This session is being continued', 'u2')]);
    expect(await newest(id, 'TRUNCATION')).toBe(150_010);
    expect(await checkpoint(id)).toBeLessThan(100);
    await load(id, [
      ...before,
      compacted,
      user('This session is being continued', 'u2'),
      agentSaid('two', 5_000, 'a2'),
    ]);
    expect(await checkpoint(id)).toBe(5_010);
  });

  it('reads each reported window a few times, however many compactions there are', async () => {
    const id = await session('a');
    const rounds = 300;
    const lines = Array.from({ length: rounds }, (_, n) => [
      agentSaid('one', 1_000 + n, `a${n}`),
      line({ type: 'system', subtype: 'compact_boundary', content: 'Conversation compacted' }, `c${n}`),
    ]).flat();
    const transcript = await prepareImport(db.pool, {
      sessionId: id,
      format: 'AUTO',
      sidechain: false,
      chunks: Readable.from(lines.map((one) => `${one}\n`)),
    });
    let reads = 0;
    transcript.windows = transcript.windows.map(({ line: at, ...window }) => ({
      ...window,
      get line() {
        return ((reads += 1), at);
      },
    }));
    expect(transcript.windows).toHaveLength(rounds);
    await run(importTranscript, { sessionId: id, agentId: null, transcript });
    expect(reads).toBeLessThan(6 * rounds);
    const captured = await db.prisma.contextSnapshot.findMany({
      where: { sessionId: id, type: 'TRUNCATION' },
      orderBy: { sequenceEnd: 'asc' },
    });
    expect(captured.map(({ tokenEstimate }) => tokenEstimate)).toEqual(
      Array.from({ length: rounds }, (_, n) => 1_010 + n),
    );
  });
});
