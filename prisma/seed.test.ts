import { describe, expect, it } from 'vitest';
import { silentLog } from '../server/infra/log.ts';
import { testDatabase } from '../test/database.ts';
import { brokenInvariants } from '../test/invariants.ts';
import { seed } from './seed.ts';

const db = await testDatabase();

describe('the demonstration', () => {
  it('has sessions in every status, a chain with every kind of ending, and something that waits for a person, and keeps the invariants', async () => {
    expect(await seed({ pool: db.pool, log: silentLog })).toBe(true);
    expect(await brokenInvariants(db.pool)).toEqual([]);

    const sessions = await db.prisma.session.findMany({ orderBy: { id: 'asc' } });
    expect(sessions.map(({ title, status, agentId }) => [title, status, agentId])).toEqual([
      ['Add rate limits to the public API', 'RUNNING', 'claude-1'],
      ['Fix the flaky login test', 'RUNNING', 'codex-1'],
      ['Upgrade to Node 24', 'PAUSED', 'claude-1'],
      ['Triage the crash reports', 'PAUSED', null],
      ['Write the release notes', 'COMPLETED', 'reviewer-1'],
      ['Migrate the billing schema', 'FAILED', 'codex-1'],
      ['Prototype dark mode', 'CANCELLED', 'reviewer-1'],
      ['Let customers export their invoices', 'COMPLETED', 'documenter'],
      ['Rotate the signing keys', 'RUNNING', 'codex-1'],
      ['Store the invoices', 'PAUSED', 'claude-1'],
    ]);
    const stays = await db.prisma.stageEntry.findMany({
      where: { sessionId: sessions[7]!.id },
      orderBy: { number: 'asc' },
    });
    expect(stays.map(({ stage, outcome }) => `${stage} ${outcome}`)).toEqual([
      'orchestrator DONE',
      'analyst DONE',
      'implementer DONE',
      'reviewer REJECT',
      'implementer DONE',
      'reviewer APPROVE',
      'refactorer DONE',
      'documenter DONE',
    ]);
    const waiting = await db.prisma.approval.findMany({ orderBy: { id: 'asc' } });
    expect(waiting.map(({ kind, agentId, decidedAt }) => [kind, agentId, decidedAt])).toEqual([
      ['HANDOFF', 'codex-1', null],
      ['QUESTION', 'claude-1', null],
    ]);
    const chain = await db.prisma.handoff.findMany({
      where: { sessionId: sessions[0]!.id },
      orderBy: { depth: 'asc' },
    });
    expect(chain.map(({ status }) => status)).toEqual(['REJECTED', 'TIMED_OUT', 'CANCELLED', 'COMPLETED', 'INITIATED']);
  });

  it('is not loaded into a database with data', async () => {
    const before = await db.prisma.event.count();
    expect(await seed({ pool: db.pool, log: silentLog })).toBe(false);
    expect(await db.prisma.event.count()).toBe(before);
  });
});
