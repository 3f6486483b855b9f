import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { bundled } from '../../../test/bundle.ts';
import { dataFolder } from '../../../test/dataFolder.ts';
import { emptyDatabase, testDatabase } from '../../../test/database.ts';
import { startServer } from '../../../test/server.ts';
import { rawSocket } from '../../../test/socket.ts';
import { createCursors, type Cursors } from '../../work/events/cursors.ts';
import { temporaryFolder } from '../../../test/temporary.ts';

const database = await testDatabase();
const run = promisify(execFile);
const { PATH, HOME, TMPDIR } = process.env;
const migrate = async (args: string[], env: Record<string, string>) =>
  run(process.execPath, [await bundled('cli/baton.ts'), 'migrate', ...args], {
    env: { PATH, HOME, TMPDIR, ...env },
  });

async function cursorFrom(url: string): Promise<string> {
  const socket = await rawSocket(url);
  await socket.init();
  socket.subscribe('1', 'subscription { event: handoffEvents { cursor } }');
  const { data } = await socket.result<{ event: { cursor: string } }>('1');
  socket.close();
  return data!.event.cursor;
}

async function codeOf(url: string, after: string): Promise<string | undefined> {
  const socket = await rawSocket(url);
  await socket.init();
  socket.subscribe('1', 'subscription ($after: String) { event: handoffEvents(after: $after) { cursor } }', { after });
  const { errors } = await socket.result('1');
  socket.close();
  return errors?.[0]?.extensions.code;
}

describe('npm run migrate -- renew-cursors', () => {
  test.each([
    ['on DATABASE_URL', async (): Promise<Record<string, string>> => ({ DATABASE_URL: database.url })],
    [
      'on the embedded database',
      async () => {
        const folder = temporaryFolder('baton-renew', dataFolder());
        return { BATON_DATA: folder };
      },
    ],
  ])(
    'makes every earlier cursor expire, %s',
    async (_name, place) => {
      const env = await place();
      const first = await startServer({ env });
      const cursor = await cursorFrom(first.url);
      await first.kill();
      const same = await startServer({ env });
      expect(await codeOf(same.url, cursor)).toBeUndefined();
      await same.kill();
      expect((await migrate(['renew-cursors'], env)).stdout).toMatch(/All earlier cursors are invalid/);
      const again = await startServer({ env });
      expect(await codeOf(again.url, cursor)).toBe('CURSOR_EXPIRED');
      expect(await codeOf(again.url, await cursorFrom(again.url))).toBeUndefined();
      await again.kill();
    },
    180_000,
  );

  test('prints what is missing in a database without tables', async () => {
    const { url } = await emptyDatabase();
    await expect(migrate(['renew-cursors'], { DATABASE_URL: url })).rejects.toMatchObject({
      stderr: 'This database has no cursors yet: run npm run migrate first\n',
    });
  });
});

test('a cursor is valid in its own database only', () => {
  const of = (id: string, byte: number): Cursors => createCursors({ id, key: Buffer.alloc(32, byte) });
  const place = { stream: 'inbox', of: 'ada', number: 7 } as const;
  expect(of('a', 1).decode(of('a', 1).encode(place, null))).toEqual(place);
  expect(of('a', 1).decode(of('a', 2).encode(place, null))).toBeNull();
  expect(of('a', 1).decode(of('b', 1).encode(place, null))).toBeNull();
});
