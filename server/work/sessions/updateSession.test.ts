import { describe, expect, it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { hashAllTables } from '../../../test/hash.ts';
import { brokenInvariants } from '../../../test/invariants.ts';
import { startApp } from '../../../test/server.ts';
import { world } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import { workspaceId } from '../../core/workspace.ts';
import { cancelSession } from './changeSession.ts';
import { updateSession } from './updateSession.ts';

const db = await testDatabase();
const { url } = await startApp(db);
const { post } = client(url);
const { agent, session, initiate, turn, run } = world(db.pool);
await agent('b', { maxCapacity: 100 });
await agent('a', { maxCapacity: 100, collaborators: ['b'] });

interface Shown {
  version: number;
  title: string;
  metadata: unknown;
  handoffsEnabled: boolean;
  maxHandoffs: number;
  externalId: string | null;
  project: string | null;
  priority: string;
  lastActivityAt: string;
  contextVariables: { name: string; value: unknown; setBy: string }[];
}
async function update(sessionId: string, fields: object): Promise<Shown> {
  const { data, errors } = await post<{ answer: { session: Shown } }>(
    `mutation ($input: UpdateSessionInput!) { answer: updateSession(input: $input) { ... on UpdateSessionPayload {
       session { version title metadata handoffsEnabled maxHandoffs externalId project priority lastActivityAt contextVariables { name value setBy } } } } }`,
    { input: { sessionId: encodeId('session', sessionId), ...fields } },
  );
  expect(errors).toBeUndefined();
  return data.answer.session;
}

describe('updateSession', () => {
  it('changes the given fields, keeps the others, and increments the version', async () => {
    const id = await session('a', { title: 'Old', metadata: { ticket: 1 } });
    expect(await update(id, { title: 'New', handoffsEnabled: false, maxHandoffs: 0 })).toMatchObject({
      version: 2,
      title: 'New',
      handoffsEnabled: false,
      maxHandoffs: 0,
      metadata: { ticket: 1 },
    });
    expect(await update(id, { metadata: { ticket: 2 }, expectedVersion: 2 })).toMatchObject({
      version: 3,
      title: 'New',
      metadata: { ticket: 2 },
    });
    expect(await update(id, { metadata: null })).toMatchObject({ version: 4, metadata: null });
    expect(await brokenInvariants(db.pool)).toEqual([]);
  });

  it('sets, changes and removes where the work is done, without credentials', async () => {
    const id = await session('a', { title: 'Old' });
    const place = { host: 'box', folder: '/srv/shop', branch: 'main' };
    const read = async () =>
      (
        await post<{ session: { version: number; workspace: object | null } }>(
          '{ session(id: "' +
            encodeId('session', id) +
            '") { version workspace { id host folder repository branch commit } } }',
        )
      ).data.session;
    expect(await read()).toEqual({ version: 1, workspace: null });
    await update(id, { workspace: { ...place, repository: 'https://me:word@example.org/o/shop.git' } });
    const shown = {
      ...{ ...place, commit: null, repository: 'https://example.org/o/shop.git' },
      id: workspaceId('box', '/srv/shop'),
    };
    expect(await read()).toEqual({ version: 2, workspace: shown });
    await update(id, { workspace: { ...place, repository: 'https://example.org/o/shop.git' } });
    expect(await read()).toEqual({ version: 2, workspace: shown });
    await update(id, { workspace: { ...place, folder: '/srv/other' } });
    expect((await read()).workspace).toMatchObject({ id: workspaceId('box', '/srv/other'), repository: null });
    await update(id, { workspace: null });
    expect(await read()).toEqual({ version: 4, workspace: null });
  });

  it('merges variables, removes those that are null, and keeps setBy of unchanged ones', async () => {
    const id = await session('a', { contextVariables: { kept: 1, same: [1], changed: 1, removed: 1 } });
    const { contextVariables } = await update(id, {
      contextVariables: { same: [1], changed: 2, added: 3, removed: null, absent: null },
    });
    expect(contextVariables).toEqual([
      { name: 'added', value: 3, setBy: 'loopback' },
      { name: 'changed', value: 2, setBy: 'loopback' },
      { name: 'kept', value: 1, setBy: 'operator' },
      { name: 'same', value: [1], setBy: 'operator' },
    ]);
  });

  it.each([
    [
      'a repeat',
      {
        title: 'A piece of work',
        metadata: { b: 1, a: [2] },
        handoffsEnabled: true,
        maxHandoffs: 5,
        contextVariables: { a: 1, absent: null },
      },
    ],
    ['no field', {}],
    ['null for fields without null', { title: null, contextVariables: null, handoffsEnabled: null, maxHandoffs: null }],
  ])('changes nothing and writes no event for %s', async (_what, fields) => {
    const id = await session('a', { metadata: { a: [2], b: 1 }, contextVariables: { a: 1 } });
    const before = await hashAllTables(db.pool);
    expect(await update(id, fields)).toMatchObject({ version: 1 });
    expect(await hashAllTables(db.pool)).toEqual(before);
  });

  it('applies handoffsEnabled and maxHandoffs to the next handoff of an agent', async () => {
    const id = await session('a');
    await update(id, { handoffsEnabled: false });
    await expect(initiate(id, 'b')).rejects.toMatchObject({ code: 'HANDOFFS_DISABLED' });
    await update(id, { handoffsEnabled: true, maxHandoffs: 0 });
    await expect(initiate(id, 'b')).rejects.toMatchObject({ code: 'MAX_HANDOFFS_REACHED' });
    await update(id, { maxHandoffs: 1 });
    await expect(initiate(id, 'b')).resolves.toMatchObject({ sessionId: id });
  });

  it('sets and removes external id and project, sets the priority, and leaves lastActivityAt alone', async () => {
    const id = await session('a', { externalId: 'A-1', project: 'shop', priority: 'LOW' });
    const { lastActivityAt } = await update(id, { priority: 'URGENT' });
    expect(await update(id, { externalId: 'A-2', project: 'bank' })).toMatchObject({
      version: 3,
      externalId: 'A-2',
      project: 'bank',
      priority: 'URGENT',
      lastActivityAt,
    });
    expect(await update(id, { externalId: 'A-2', priority: null })).toMatchObject({ version: 3, priority: 'URGENT' });
    expect(await update(id, { externalId: null, project: null })).toMatchObject({
      version: 4,
      externalId: null,
      project: null,
    });
    await turn(id);
    const { updatedAt, lastActivityAt: afterTurn } = await db.prisma.session.findUniqueOrThrow({ where: { id } });
    expect(afterTurn).toEqual(updatedAt);
  });

  it('keeps an external id unique among open sessions, also when ten calls give it at once', async () => {
    const ids = await Promise.all(Array.from({ length: 10 }, () => session('a')));
    const answers = await Promise.allSettled(
      ids.map((sessionId) => run(updateSession, { sessionId, externalId: 'B-1', expectedVersion: null })),
    );
    const created = await Promise.allSettled(Array.from({ length: 5 }, () => session(null, { externalId: 'C-1' })));
    for (const [all, externalId] of [
      [answers, 'B-1'],
      [created, 'C-1'],
    ] as const) {
      const refused = all.filter(({ status }) => status === 'rejected');
      const holder = await db.prisma.session.findFirstOrThrow({ where: { externalId } });
      expect(refused).toHaveLength(all.length - 1);
      for (const one of refused)
        expect(one).toMatchObject({ reason: { code: 'CONFLICT', sessionId: encodeId('session', holder.id) } });
      await run(cancelSession, { sessionId: holder.id, expectedVersion: null, reason: null });
      await session(null, { externalId });
    }
  });

  it('redacts secrets', async () => {
    const secret = `ghp_${'a1B2c3D4e5F6g7H8i9J0'.repeat(2).slice(0, 36)}`;
    const shown = await update(await session('a'), {
      title: `Rotate ${secret}`,
      metadata: { note: secret },
      contextVariables: { note: secret },
    });
    expect(JSON.stringify(shown)).not.toContain(secret);
    expect(shown.title).toContain('[redacted');
  });
});
