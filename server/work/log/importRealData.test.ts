import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { hashAllTables } from '../../../test/hash.ts';
import { brokenInvariants } from '../../../test/invariants.ts';
import { expectedOf, isSubagent, realDataFolder, realPath, realTranscripts } from '../../../test/realData.ts';
import { world } from '../../../test/world.ts';
import { importTranscript } from './importTranscript.ts';
import { prepareImport } from './prepareImport.ts';
import { usageOfSessions } from './queries.ts';

// Whether what is stored says the same is checked here; whether it is read right, beside the readers.
const db = await testDatabase();
const { agent, session, reassign, run } = world(db.pool);
await agent('ada', { maxCapacity: 100 });
await agent('bob', { maxCapacity: 100 });

interface Expected {
  tool_calls: Record<string, number>;
  tool_errors?: number;
  files_modified?: string[];
  apply_patch_files?: string[];
  user_messages?: { human: number };
  usage_once_per_message_id?: Record<
    'input_tokens' | 'output_tokens' | 'cache_creation_input_tokens' | 'cache_read_input_tokens',
    number
  >;
}

async function load(sessionId: string, name: string) {
  const transcript = await prepareImport(db.pool, {
    sessionId,
    format: 'AUTO',
    sidechain: isSubagent(name),
    chunks: createReadStream(realPath(name)),
  });
  return (await run(importTranscript, { sessionId, agentId: null, transcript })).report;
}

/** What a session's log holds, in the words of the expected facts. */
async function stored(sessionId: string) {
  const calls = await db.prisma.toolCall.findMany({ where: { sessionId } });
  const usage = (await usageOfSessions(db.pool, [sessionId])).get(sessionId);
  const byName: Record<string, number> = {};
  for (const { name } of calls) byName[name] = (byName[name] ?? 0) + 1;
  return {
    tool_calls: byName,
    tool_errors: calls.filter(({ error }) => error !== null).length,
    files: [...new Set(calls.flatMap(({ filesModified }) => filesModified))].sort(),
    people: await db.prisma.message.count({ where: { sessionId, role: 'USER' } }),
    usage: {
      input_tokens: usage?.inputTokens,
      output_tokens: usage?.outputTokens,
      cache_creation_input_tokens: usage?.cacheCreationInputTokens,
      cache_read_input_tokens: usage?.cacheReadInputTokens,
    },
  };
}

const expectedFacts = async (name: string): Promise<Expected> =>
  JSON.parse(await readFile(expectedOf(realPath(name)), 'utf8')) as Expected;

async function agrees(sessionId: string, name: string): Promise<void> {
  const expected = await expectedFacts(name);
  const found = await stored(sessionId);
  expect(found).toMatchObject({
    tool_calls: expected.tool_calls,
    files: expected.files_modified ?? expected.apply_patch_files,
  });
  if (expected.usage_once_per_message_id === undefined) return;
  const { total: _total, ...usage } = expected.usage_once_per_message_id as Record<string, number>;
  expect(found).toMatchObject({ tool_errors: expected.tool_errors, people: expected.user_messages?.human, usage });
}

describe.runIf(realDataFolder !== undefined)('an imported real transcript', () => {
  afterEach(async () => {
    expect(await brokenInvariants(db.pool)).toEqual([]);
  });

  it.each(realTranscripts())(
    '%s is stored once with its expected facts, and the session can be handed off',
    async (name) => {
      const id = await session('ada');
      const first = await load(id, name);
      await agrees(id, name);
      const before = await hashAllTables(db.pool);
      expect(await load(id, name)).toEqual({
        ...first,
        messagesAdded: 0,
        turnsAdded: 0,
        toolCallsAdded: 0,
        redactions: 0,
        alreadyKnown: first.lines,
      });
      expect(await hashAllTables(db.pool)).toEqual(before);
      await reassign(id, { agentId: 'bob' });
    },
  );

  const byName = (part: string): string => realTranscripts().find((name) => name.includes(part)) ?? '';

  it('gives the same log in two parts as in one', async () => {
    const id = await session('ada');
    const first = await load(id, byName('incremental-turn1'));
    const second = await load(id, byName('incremental-turn2'));
    expect(second).toMatchObject({ resultsFilled: 1, alreadyKnown: first.lines, turnsAdded: 0 });
    await agrees(id, byName('incremental-turn2'));
    expect(await db.prisma.turn.count({ where: { sessionId: id } })).toBe(1);
  });

  it('accepts the files of its sub-agents', async () => {
    const [parent = '', ...files] = [byName('compact.jsonl'), ...realTranscripts().filter(isSubagent)];
    expect(files.length).toBeGreaterThan(0);
    const id = await session('ada');
    await load(id, parent);
    for (const file of files)
      expect(await load(id, file)).toMatchObject({ humanMessages: 0, turnsAdded: 1, alreadyKnown: 0 });
    expect(await db.prisma.message.count({ where: { sessionId: id, role: 'USER' } })).toBe(1);
    expect(await db.prisma.contextSnapshot.count({ where: { sessionId: id, type: 'TRUNCATION' } })).toBe(1);
  });
});

if (realDataFolder === undefined)
  it.skip('is skipped: set BATON_REAL_DATA to the folder of real transcripts', () => undefined);
