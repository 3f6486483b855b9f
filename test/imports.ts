import { createReadStream } from 'node:fs';
import { beforeEach, expect } from 'vitest';
import type { Caller } from '../server/core/work.ts';
import { silentLog } from '../server/infra/log.ts';
import { importTranscript } from '../server/work/log/importTranscript.ts';
import { prepareImport } from '../server/work/log/prepareImport.ts';
import { Spool } from '../server/work/log/spool.ts';
import { testDatabase } from './database.ts';
import { brokenInvariants } from './invariants.ts';
import { fixture } from './readTranscripts.ts';
import { world } from './world.ts';

export interface How {
  /** Default: the test's Session. */
  sessionId?: string;
  agentId?: string;
  sidechain?: boolean;
  caller?: Caller;
}

/** Imports transcripts and reads the log afterwards. `here` is the running test's Session and its holder, new for each test. */
export async function imports() {
  const db = await testDatabase();
  const story = world(db.pool);
  const { agent, session, run } = story;
  const here = { id: '', holder: '' };
  let count = 0;
  const another = async (): Promise<string> => {
    const id = `agent-${(count += 1)}`;
    await agent(id);
    return id;
  };
  beforeEach(async () => {
    here.holder = await another();
    here.id = await session(here.holder);
    return async () => expect(await brokenInvariants(db.pool)).toEqual([]);
  });

  async function load(
    chunks: AsyncIterable<Uint8Array | string>,
    { sessionId = here.id, agentId, sidechain = false, caller }: How = {},
  ) {
    // Without blocks in memory, all texts pass through the file.
    const spool = new Spool(silentLog, { blocksInMemory: 0 });
    try {
      const transcript = await prepareImport(db.pool, { sessionId, format: 'AUTO', sidechain, chunks, spool });
      return (await run(importTranscript, { sessionId, agentId: agentId ?? null, transcript }, caller && { caller }))
        .report;
    } finally {
      await spool.close();
    }
  }

  return {
    ...story,
    db,
    here,
    another,
    load,
    loadFixture: (name: string, how?: How) => load(createReadStream(fixture(name)), how),
    messages: async () =>
      (
        await db.prisma.message.findMany({
          where: { sessionId: here.id },
          orderBy: { sequence: 'asc' },
          include: { turn: true },
        })
      ).map(({ role, content, turn: of }) => `${of?.index ?? '-'} ${role}: ${content}`),
    turns: () => db.prisma.turn.findMany({ where: { sessionId: here.id }, orderBy: { index: 'asc' } }),
    lastTenure: (agentId: string) =>
      db.prisma.agentSession.findFirstOrThrow({
        where: { agentId, sessionId: here.id },
        orderBy: { startedAt: 'desc' },
      }),
  };
}
