import { appendFile, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it, vi } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { bodiesOf } from '../../../test/delivering.ts';
import { world } from '../../../test/world.ts';
import { silentLog } from '../../infra/log.ts';
import { createStamper } from '../live/stamp.ts';
import { EventLog, startEventLog, type EventLogOptions } from './eventLog.ts';
import { temporaryFolder } from '../../../test/temporary.ts';

const db = await testDatabase();
const { agent, session, reassign, turn } = world(db.pool);
const { now: positioned } = createStamper({ pool: db.pool, log: silentLog, stamped: () => undefined });
const bodies = bodiesOf(db);
for (const id of ['ada', 'bob']) await agent(id, { maxCapacity: 100 });

let folder = '';
let file = '';
beforeEach(async () => {
  folder = temporaryFolder('baton-events');
  file = join(folder, 'events.jsonl');
});

const options = (fields: Partial<EventLogOptions> = {}): EventLogOptions => ({
  file,
  bytes: 1_000_000,
  pool: db.pool,
  positioned,
  bodies,
  log: silentLog,
  ...fields,
});
async function write(fields: Partial<EventLogOptions> = {}): Promise<number> {
  const log = new EventLog(options(fields));
  const count = await log.catchUp();
  await log.close();
  return count;
}
const some = async () => {
  const id = await session('ada');
  await turn(id);
  await reassign(id, { agentId: 'bob' });
};
const linesOf = async (...files: string[]) =>
  (await Promise.all(files.map((one) => readFile(one, 'utf8'))))
    .join('')
    .trimEnd()
    .split('\n')
    .map(
      (line) => JSON.parse(line) as { position: number; event: { id: string; type: string; session: object | null } },
    );
/** Every event of the database once, in the one order. */
const whole = async (...files: string[]) => {
  const lines = await linesOf(...files);
  const { rows } = await db.pool.query<{ position: number; type: string }>(
    'SELECT p.position::float8, e.type FROM event_positions p JOIN events e ON e.id = p.event_id ORDER BY p.position',
  );
  expect(lines.map(({ position, event }) => ({ position, type: event.type }))).toEqual(rows);
  return lines;
};

it('has every event in order, as a subscription has it, readable by its owner only', async () => {
  await some();
  const written = await write();
  const lines = await whole(file);
  expect(lines).toHaveLength(written);
  expect(lines.at(-1)).toMatchObject({
    event: {
      type: 'SESSION_REASSIGNED',
      agent: { id: 'bob' },
      actor: { principal: 'operator' },
      cursor: expect.any(String) as string,
      session: { title: 'A piece of work' },
    },
  });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

it('goes on with what is missing, also after a kill within a line', async () => {
  await some();
  await write();
  const before = await readFile(file, 'utf8');
  expect(await write()).toBe(0);
  await some();
  const added = await write();
  const { size } = await stat(file);
  // Everywhere in what was added last: within a line, at its end, and after its newline.
  const lengths = [Buffer.byteLength(before), Buffer.byteLength(before) + 1, Buffer.byteLength(before) + 700, size - 1];
  for (const length of lengths) {
    await truncate(file, length);
    expect(await write()).toBeGreaterThan(0);
    await whole(file);
  }
  expect(added).toBe(4);
});

it('tells the database how far it is before it reads on, so that nothing is pruned that it lacks, and goes on after a gap', async () => {
  await some();
  const log = new EventLog(options());
  const told = async (): Promise<number | undefined> =>
    (
      await db.pool.query<{ position: number }>('SELECT position::float8 FROM event_followers WHERE name LIKE $1', [
        `event log %${file}`,
      ])
    ).rows[0]?.position;
  await log.catchUp();
  await log.close();
  expect(await told()).toBe(0);
  await write();
  const last = (await linesOf(file)).at(-1)!.position;
  expect(await told()).toBe(last);
  await some();
  await positioned();
  const gone = await db.pool.query(
    'DELETE FROM event_positions WHERE position = (SELECT min(position) FROM event_positions WHERE position > $1)',
    [last],
  );
  expect([gone.rowCount, await write()]).toEqual([1, 3]);
});

it('is rotated by size, keeps five old files, and goes on after a kill in between', async () => {
  await rm(file, { force: true });
  await some();
  await write();
  for (let number = 0; number < 3; number += 1) {
    await some();
    await write({ bytes: 1 });
  }
  await whole(`${file}.3`, `${file}.2`, `${file}.1`, file);
  // As a kill leaves it between the renaming and the first line.
  await rename(file, `${file}.moved`);
  for (const number of [3, 2, 1]) await rename(`${file}.${number}`, `${file}.${number + 1}`);
  await rename(`${file}.moved`, `${file}.1`);
  expect(await write()).toBe(0);
  await some();
  await write();
  await whole(...[4, 3, 2, 1].map((number) => `${file}.${number}`), file);
  for (let number = 0; number < 3; number += 1) {
    await some();
    await write({ bytes: 1 });
  }
  await stat(`${file}.5`);
  await expect(stat(`${file}.6`)).rejects.toMatchObject({ code: 'ENOENT' });
});

it('begins again for another database, and in a file that was removed while it runs', async () => {
  await some();
  await write();
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replaceAll(/"database":"[^"]{8}/g, '"database":"00000000'));
  const all = (await linesOf(file)).length;
  expect(await write()).toBe(all);
  const running = new EventLog(options());
  await running.catchUp();
  await rm(file);
  expect(await running.catchUp()).toBe(all);
  await whole(file);
  await appendFile(file, 'half a li');
  await some();
  await running.catchUp();
  await whole(file);
  await running.close();
});

it('keeps the place of an event that cannot be read', async () => {
  await some();
  const count = await write({ bodies: async (events) => events.map(() => null) });
  const lines = await linesOf(file);
  expect(lines).toHaveLength(count);
  expect(lines[0]).toMatchObject({ position: 1, event: null });
});

it('logs a missing folder once, and writes when it is back', async () => {
  await some();
  const said: string[] = [];
  const log = { ...silentLog, info: () => void said.push('info'), warn: () => void said.push('warn') };
  await rm(folder, { recursive: true });
  const background = startEventLog(options({ log }), 5);
  await vi.waitFor(() => expect(said).toEqual(['warn']), { timeout: 20_000, interval: 5 });
  const there = temporaryFolder('baton-events');
  await rename(there, folder);
  await vi.waitFor(() => expect(said).toEqual(['warn', 'info']), { timeout: 20_000, interval: 5 });
  await background.stop();
  await whole(file);
});
