import { randomUUID } from 'node:crypto';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { movableClock } from '../../../test/clock.ts';
import { testDatabase } from '../../../test/database.ts';
import { world } from '../../../test/world.ts';
import { contexts } from '../../api/graphql/context.ts';
import { createMaskError } from '../../api/graphql/errors/maskError.ts';
import { schema } from '../../api/graphql/schema.ts';
import { encodeId } from '../../core/ids.ts';
import { batonItself } from '../../core/work.ts';
import { silentLog } from '../../infra/log.ts';
import { acceptHandoff } from '../../work/handoffs/changeHandoff.ts';
import { createStamper } from '../live/stamp.ts';
import { Archive, type ArchiveOptions } from './archive.ts';
import { createRecords } from './records.ts';
import { temporaryFolder } from '../../../test/temporary.ts';

const db = await testDatabase();
const clock = await movableClock(db);
const { pool, prisma } = db;
const { agent, session, reassign, run } = world(pool);
const { now: positioned } = createStamper({ pool, log: silentLog, stamped: () => undefined });
const records = createRecords({
  schema,
  createContext: () =>
    contexts({ prisma, pool, env: { staleAfterMinutes: 30, handoffsEnabled: true }, log: silentLog })(
      batonItself('archive'),
    ),
});
const folder = temporaryFolder('baton-archive');
for (const id of ['ada', 'bob']) await agent(id, { maxCapacity: 50 });

const archive = (fields: Partial<ArchiveOptions> = {}) =>
  new Archive({ folder, pool, positioned, records, maskError: createMaskError(silentLog), log: silentLog, ...fields });
const handOff = async (): Promise<string> => (await reassign(await session('ada'), { agentId: 'bob' })).handoffId!;
const statusOf = async (id: string) =>
  (JSON.parse(await readFile(join(folder, `${encodeId('handoff', id)}.json`), 'utf8')) as { status: string }).status;

it('writes new and changed handoffs after the clock stepped back two hours', async () => {
  const before = await handOff();
  const running = archive();
  await running.catchUp();
  await clock.move('-2 hours');
  const after = await handOff();
  await run(acceptHandoff, { handoffId: before });
  await running.catchUp();
  expect([await statusOf(before), await statusOf(after)]).toEqual(['ACCEPTED', 'INITIATED']);
});

it('writes everything after a restart, however the clock stepped meanwhile', async () => {
  const ids: string[] = [];
  for (const step of ['3 hours', '-9 hours', '1 day', '-2 days']) {
    ids.push(await handOff());
    await archive().catchUp();
    await clock.move(step);
    ids.push(await handOff());
  }
  expect(await archive().catchUp()).toBe(1);
  for (const id of ids) expect(await statusOf(id)).toBe('INITIATED');
});

it('replaces an outdated file that another process wrote late', async () => {
  const other = archive();
  await other.catchUp();
  const id = await handOff();
  let [rendered, goOn] = [() => {}, () => {}];
  const isRendered = new Promise<void>((resolve) => (rendered = resolve));
  const mayGoOn = new Promise<void>((resolve) => (goOn = resolve));
  const late = archive({
    records: {
      ...records,
      async handoffJson(asked, form) {
        const text = await records.handoffJson(asked, form);
        rendered();
        await mayGoOn;
        return text;
      },
    },
  }).catchUp();
  await isRendered;
  await run(acceptHandoff, { handoffId: id });
  await other.catchUp();
  goOn();
  await late;
  await other.catchUp();
  expect(await statusOf(id)).toBe('ACCEPTED');
});

it('writes everything again for another database and for one that went back, also when its numbers are given again', async () => {
  const id = await handOff();
  await archive().catchUp();
  const all = await prisma.handoff.count();
  const mark = await readFile(join(folder, '.caught-up'), 'utf8');
  const [database, position] = mark.trim().split(' ') as [string, string];
  for (const other of [
    `${randomUUID()} ${position}\n`,
    `${database} ${Number(position) + 1}\n`,
    `${database} ${position} ${randomUUID()}\n`,
    `${new Date().toISOString()}\n`,
  ]) {
    await writeFile(join(folder, '.caught-up'), other);
    await rm(join(folder, `${encodeId('handoff', id)}.md`));
    expect(await archive().catchUp()).toBe(all);
    expect((await stat(join(folder, `${encodeId('handoff', id)}.md`))).size).toBeGreaterThan(0);
    expect(await readFile(join(folder, '.caught-up'), 'utf8')).toBe(mark);
  }
});
