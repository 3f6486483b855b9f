import { describe, expect, it } from 'vitest';
import { silentLog } from '../infra/log.ts';
import { testDatabase } from '../../test/database.ts';
import { hashAllTables } from '../../test/hash.ts';
import { operator, world } from '../../test/world.ts';
import { ConflictError } from './errors.ts';
import { runWork } from './runWork.ts';
import type { Work } from './work.ts';

const db = await testDatabase();
const { agent, session, reassign } = world(db.pool);
await agent('a');
await agent('b');

const options = { pool: db.pool, log: silentLog, caller: operator, mutation: 'test', input: {} };

/** A command that writes something. */
const rename = (id: string, name: string) => (work: Work) => {
  work.change('agents', { id }, { name });
  return Promise.resolve({ id });
};

describe('a transaction', () => {
  it('runs its effects only after the commit', async () => {
    const seen: string[] = [];
    await runWork(options, async (work) => {
      await work.begin();
      work.afterCommit(() => seen.push('effect'));
      const answer = await rename('a', 'Ada')(work);
      seen.push('command');
      return answer;
    });
    expect(seen).toEqual(['command', 'effect']);
    expect((await db.prisma.agent.findUniqueOrThrow({ where: { id: 'a' } })).name).toBe('Ada');
  });

  it('writes nothing and runs no effect when it is refused', async () => {
    const before = await hashAllTables(db.pool);
    let effects = 0;
    const refused = runWork(options, async (work) => {
      await work.begin();
      work.afterCommit(() => (effects += 1));
      await rename('a', 'Eve')(work);
      await work.flush();
      throw new ConflictError('no');
    });
    await expect(refused).rejects.toThrow(ConflictError);
    expect(effects).toBe(0);
    expect(await hashAllTables(db.pool)).toEqual(before);
  });

  it('stays committed when an effect throws', async () => {
    await runWork(options, async (work) => {
      await work.begin();
      work.afterCommit(() => {
        throw new Error('nobody listens');
      });
      return rename('a', 'Ann')(work);
    });
    expect((await db.prisma.agent.findUniqueOrThrow({ where: { id: 'a' } })).name).toBe('Ann');
  });

  it('is tried again at most three times after a deadlock', async () => {
    for (const [losses, fate] of [
      [3, 'resolves'],
      [4, 'rejects'],
    ] as const) {
      let attempts = 0;
      const run = runWork(options, async (work) => {
        attempts += 1;
        await work.begin();
        if (attempts <= losses) throw Object.assign(new Error('deadlock detected'), { code: '40P01' });
        return rename('a', `after ${attempts}`)(work);
      });
      if (fate === 'resolves') await run;
      else await expect(run).rejects.toMatchObject({ code: 'UNAVAILABLE', outcome: 'unchanged' });
      expect(attempts).toBe(4);
    }
  });

  it('rejects with UNAVAILABLE when its connection dies, and the next transaction gets another connection', async () => {
    const dying = runWork(options, async (work) => {
      await work.begin();
      const [row] = await work.query<{ pid: number }>({ name: 'pid', text: 'SELECT pg_backend_pid() AS pid' }, []);
      await db.pool.query('SELECT pg_terminate_backend($1)', [row!.pid]);
      return rename('a', 'gone')(work);
    });
    await expect(dying).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await runWork(options, async (work) => {
      await work.begin();
      return rename('a', 'back')(work);
    });
    expect((await db.prisma.agent.findUniqueOrThrow({ where: { id: 'a' } })).name).toBe('back');
  });
});

it('a connection returns to the pool without extra listeners, after a commit and after a refusal', async () => {
  const client = await db.pool.connect();
  const listening = client.listenerCount('error');
  client.release();
  for (let n = 0; n < 3; n += 1) {
    await runWork(options, async (work) => {
      await work.begin();
      return rename('a', `Ada ${n}`)(work);
    });
    await runWork(options, () => Promise.reject(new ConflictError('no'))).catch(() => undefined);
  }
  const again = await db.pool.connect();
  expect(again).toBe(client);
  expect(again.listenerCount('error')).toBe(listening);
  again.release();
});

describe('a failure to build the Context', () => {
  it('fails the whole reassign and changes nothing', async () => {
    const id = await session('a');
    await db.pool.query('ALTER TABLE decisions RENAME TO decisions_away');
    const before = await hashAllTables(db.pool);
    await expect(reassign(id, { agentId: 'b' })).rejects.toThrow('relation "decisions" does not exist');
    expect(await hashAllTables(db.pool)).toEqual(before);
    await db.pool.query('ALTER TABLE decisions_away RENAME TO decisions');
    await expect(reassign(id, { agentId: 'b' })).resolves.toMatchObject({ handoffCreated: true });
  });
});
