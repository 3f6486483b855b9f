import { readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GraphQLError } from 'graphql';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { startServer } from '../../../test/server.ts';
import { world } from '../../../test/world.ts';
import { contexts } from '../../api/graphql/context.ts';
import { createMaskError } from '../../api/graphql/errors/maskError.ts';
import { schema } from '../../api/graphql/schema.ts';
import { encodeId } from '../../core/ids.ts';
import { batonItself, type Logger } from '../../core/work.ts';
import { silentLog } from '../../infra/log.ts';
import { acceptHandoff } from '../../work/handoffs/changeHandoff.ts';
import { createStamper } from '../live/stamp.ts';
import { Archive, startArchiving, type ArchiveOptions } from './archive.ts';
import { createRecords, type Records } from './records.ts';
import { temporaryFolder } from '../../../test/temporary.ts';

const { pool, prisma, url } = await testDatabase();
const { agent, session, reassign, run } = world(pool);
const { now: positioned } = createStamper({ pool, log: silentLog, stamped: () => undefined });
const records = createRecords({
  schema,
  createContext: () =>
    contexts({ prisma, pool, env: { staleAfterMinutes: 30, handoffsEnabled: true }, log: silentLog })(
      batonItself('archive'),
    ),
});
const maskError = createMaskError(silentLog);
let folder = '';

beforeAll(async () => {
  await agent('ada', { maxCapacity: 500 });
  await agent('bob', { maxCapacity: 500 });
});
beforeEach(async () => {
  folder = temporaryFolder('baton-archive');
});

const options = (fields: Partial<ArchiveOptions> = {}): ArchiveOptions => ({
  folder,
  pool,
  positioned,
  records,
  maskError,
  log: silentLog,
  ...fields,
});
const archive = (fields: Partial<ArchiveOptions> = {}): Archive => new Archive(options(fields));
const handOff = async (): Promise<string> => (await reassign(await session('ada'), { agentId: 'bob' })).handoffId!;
const file = (id: string, form: 'md' | 'json'): string => join(folder, `${encodeId('handoff', id)}.${form}`);
const statusOf = async (id: string): Promise<string> =>
  (JSON.parse(await readFile(file(id, 'json'), 'utf8')) as { status: string }).status;

describe('the archive', () => {
  it('holds every handoff as complete Markdown and JSON, readable by its owner only', async () => {
    const ids = [await handOff(), await handOff()];
    await archive().catchUp();
    for (const id of ids) {
      expect(await readFile(file(id, 'md'), 'utf8')).toBe(await records.handoffMarkdown(encodeId('handoff', id)));
      expect(JSON.parse(await readFile(file(id, 'json'), 'utf8'))).toMatchObject({
        id: encodeId('handoff', id),
        status: 'INITIATED',
      });
      expect((await stat(file(id, 'md'))).mode & 0o777).toBe(0o600);
      expect((await stat(file(id, 'json'))).mode & 0o777).toBe(0o600);
    }
    expect((await readdir(folder)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('follows each change and writes only what changed', async () => {
    const id = await handOff();
    const running = archive();
    await running.catchUp();
    expect(await running.catchUp()).toBe(0);
    await run(acceptHandoff, { handoffId: id });
    expect(await running.catchUp()).toBe(1);
    expect(await statusOf(id)).toBe('ACCEPTED');
  });

  it('is continued by another process after the first one died', async () => {
    const first = await handOff();
    await archive().catchUp();
    const second = await handOff();
    await run(acceptHandoff, { handoffId: first });
    await archive().catchUp();
    expect([await statusOf(first), await statusOf(second)]).toEqual(['ACCEPTED', 'INITIATED']);
  });

  it('continues after a restart where it stopped, and starts over in a new folder', async () => {
    const old = await handOff();
    await pool.query(`UPDATE handoffs SET initiated_at = initiated_at - interval '2 hours' WHERE id = $1`, [old]);
    const all = await archive().catchUp();
    await rm(file(old, 'md'));
    // The mark says that what is old is written already.
    const again = await archive().catchUp();
    expect(again).toBeLessThan(all);
    await expect(stat(file(old, 'md'))).rejects.toMatchObject({ code: 'ENOENT' });
    await rm(folder, { recursive: true });
    folder = temporaryFolder('baton-archive');
    expect(await archive().catchUp()).toBe(all);
  });

  it('writes more handoffs than one batch', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 120; n += 1) ids.push(await handOff());
    await archive().catchUp();
    const names = await readdir(folder);
    expect(ids.filter((id) => !names.includes(`${encodeId('handoff', id)}.md`))).toEqual([]);
  });

  it('may be written by several processes at once', async () => {
    const id = await handOff();
    await Promise.all([archive().catchUp(), archive().catchUp(), archive().catchUp()]);
    expect(await statusOf(id)).toBe('INITIATED');
    expect((await readdir(folder)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('keeps the old file when the new one cannot be written', async () => {
    const id = await handOff();
    const running = archive();
    await running.catchUp();
    await run(acceptHandoff, { handoffId: id });
    await rename(folder, `${folder}-away`);
    await expect(running.catchUp()).rejects.toMatchObject({ code: 'ENOENT' });
    await rename(`${folder}-away`, folder);
    expect(await statusOf(id)).toBe('INITIATED');
    await running.catchUp();
    expect(await statusOf(id)).toBe('ACCEPTED');
  });

  it('removes the unfinished files of a dead process, and keeps those that are being written', async () => {
    const [dead, alive] = [join(folder, '.handoff_x.md.1.aa.tmp'), join(folder, '.handoff_y.md.2.bb.tmp')];
    for (const path of [dead, alive]) await writeFile(path, 'half');
    await utimes(dead, new Date(0), new Date(0));
    await archive().catchUp();
    expect((await readdir(folder)).filter((name) => name.endsWith('.tmp'))).toEqual(['.handoff_y.md.2.bb.tmp']);
  });

  it('skips a handoff that cannot be rendered, and stops while the database is away', async () => {
    const [bad, good] = [await handOff(), await handOff()];
    const broken = (error: Error): Records => ({
      ...records,
      handoffMarkdown: (id) => (id === encodeId('handoff', bad) ? Promise.reject(error) : records.handoffMarkdown(id)),
    });
    await archive({ records: broken(new Error('a bug')) }).catchUp();
    expect(await statusOf(good)).toBe('INITIATED');
    await expect(stat(file(bad, 'md'))).rejects.toMatchObject({ code: 'ENOENT' });
    await rm(join(folder, '.caught-up'));
    const away = new GraphQLError('away', { originalError: Object.assign(new Error('away'), { code: '57P01' }) });
    await expect(archive({ records: broken(away) }).catchUp()).rejects.toMatchObject({
      extensions: { code: 'UNAVAILABLE' },
    });
  });
});

describe('archiving in the background', () => {
  interface Said {
    level: string;
    message: string;
  }
  const logged = (): { log: Logger; said: Said[] } => {
    const said: Said[] = [];
    const at = (level: string) => (_fields: object, message: string) => said.push({ level, message });
    return { said, log: { info: at('info'), warn: at('warn'), error: at('error') } };
  };

  it('writes a committed handoff shortly after', async () => {
    const background = startArchiving(options(), 5);
    const id = await handOff();
    await vi.waitFor(() => stat(file(id, 'json')), { timeout: 30_000, interval: 5 });
    await background.stop();
  });

  it('logs a missing folder once, and continues when the folder is back', async () => {
    const { log, said } = logged();
    await rm(folder, { recursive: true });
    const tries = vi.spyOn(Archive.prototype, 'catchUp');
    const background = startArchiving(options({ log }), 5);
    await vi.waitFor(
      () =>
        expect(said).toEqual([{ level: 'warn', message: expect.stringContaining('could not be written') as string }]),
      { timeout: 30_000, interval: 5 },
    );
    const id = await handOff();
    // It fails again and again meanwhile.
    await vi.waitFor(() => expect(tries.mock.calls.length).toBeGreaterThan(3), { timeout: 30_000, interval: 5 });
    expect(said).toHaveLength(1);
    await expect(stat(folder)).rejects.toMatchObject({ code: 'ENOENT' });
    const there = temporaryFolder('baton-archive');
    await rename(there, folder);
    await vi.waitFor(() => stat(file(id, 'md')), { timeout: 30_000, interval: 5 });
    await vi.waitFor(() => expect(said.map(({ level }) => level)).toEqual(['warn', 'info']), {
      timeout: 30_000,
      interval: 5,
    });
    await background.stop();
    tries.mockRestore();
  });

  it('stops between two handoffs', async () => {
    for (let n = 0; n < 5; n += 1) await handOff();
    const running = archive();
    running.stop();
    expect(await running.catchUp()).toBe(0);
  });
});

it('a server with BATON_ARCHIVE_DIR fills the folder, and after a kill writes what it missed', async () => {
  const start = () => startServer({ databaseUrl: url, env: { BATON_ARCHIVE_DIR: folder } });
  const [first, server] = [await handOff(), await start()];
  await vi.waitFor(() => stat(file(first, 'json')), { timeout: 20_000, interval: 20 });
  await server.kill('SIGKILL');
  const second = await handOff();
  const again = await start();
  await vi.waitFor(() => stat(file(second, 'json')), { timeout: 20_000, interval: 20 });
  await again.kill();
}, 60_000);
