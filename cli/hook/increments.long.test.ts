import fs, { appendFileSync, statSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { testDatabase } from '../../test/database.ts';
import { calls, entry, resultOf, uploadsTo, workplace } from '../../test/hooks.ts';
import { startServer } from '../../test/server.ts';
import { workTranscript } from '../../test/transcripts.ts';
import { world } from '../../test/world.ts';
import { sendNew } from './send.ts';
import { StateFile } from './state.ts';
import { workIn } from './work.ts';

const MB = 1024 * 1024;
const tables = ['turns', 'messages', 'tool_calls', 'import_lines', 'import_usages', 'context_snapshots', 'events'];

it('reads, sends and writes only what is new after 50 MB, also while the turn still runs', async () => {
  const database = await testDatabase();
  const { url: server } = await startServer({ databaseUrl: database.url });
  await world(database.pool).agent('claude-1');
  const { url, uploads } = await uploadsTo(server);
  const place = workplace(url);
  vi.stubEnv('XDG_STATE_HOME', join(dirname(place.transcript), 'state'));
  appendFileSync(place.transcript, `${workTranscript(50 * MB)}\n`);

  const read = vi.spyOn(fs, 'readSync');
  syncBuiltinESMExports();
  const rows = async (): Promise<number> =>
    Number(
      (
        await database.pool.query<{ rows: string }>(
          `SELECT ${tables.map((table) => `(SELECT count(*) FROM ${table})`).join(' + ')} AS rows`,
        )
      ).rows[0]!.rows,
    );
  const found = async () =>
    (
      await database.pool.query<{ turns: number; open: string }>(
        `SELECT turn_count AS turns, (SELECT count(*) FROM tool_calls WHERE result IS NULL AND error IS NULL) AS open FROM sessions`,
      )
    ).rows[0];

  /** Sends once, and returns what that cost. */
  async function send(isEnd: boolean): Promise<{ read: number; sent: number; rows: number }> {
    const before = await rows();
    read.mockClear();
    uploads.length = 0;
    const { size } = statSync(place.transcript);
    const sending = {
      server: { url, key: undefined },
      agent: 'claude-1',
      work: workIn(place.folder),
      transcript: { path: place.transcript, format: 'CLAUDE_CODE' as const },
      turnEnd: isEnd ? size : null,
      handsOff: false,
      compacts: false,
      ends: false,
    };
    expect(await sendNew(new StateFile(url, place.transcript), sending, AbortSignal.timeout(240_000))).toMatchObject({
      refusal: null,
    });
    const readOfFile = read.mock.results.reduce((sum, { value }) => sum + Number(value), 0);
    return { read: readOfFile, sent: uploads.reduce((sum, bytes) => sum + bytes, 0), rows: (await rows()) - before };
  }
  const write = (...entries: object[]): number => {
    const { size } = statSync(place.transcript);
    place.write(...entries);
    return statSync(place.transcript).size - size;
  };

  try {
    expect((await send(true)).sent).toBeGreaterThan(50 * MB);
    const turn = write(
      entry('user', 'Dig.'),
      calls('Bash', 'dig', { command: 'dig' }),
      resultOf('dig', 'deep'),
      entry('assistant', [{ type: 'text', text: 'Dug.' }]),
    );
    const small = await send(true);
    expect(small).toMatchObject({ sent: turn, rows: 11 });
    expect(small.read).toBeLessThan(turn + 10_000);

    // A turn of 5 MB that goes on, with a compaction after each small step.
    write(
      entry('user', 'Water.'),
      ...Array.from({ length: 50 }, (_, n) => [
        calls('Read', `read-${n}`, { path: `${n}` }),
        resultOf(`read-${n}`, 'x'.repeat(100_000)),
      ]).flat(),
      calls('Bash', 'open-0', {}),
    );
    expect((await send(false)).sent).toBeGreaterThan(5_000_000);
    for (let n = 0; n < 3; n += 1) {
      const step = write(resultOf(`open-${n}`, 'wet'), calls('Bash', `open-${n + 1}`, {}));
      const { sent, read: bytes, rows: written } = await send(false);
      expect([sent - step < 2_000, bytes - sent < 10_000, written]).toEqual([true, true, 5]);
    }
    write(resultOf('open-3', 'wet'), entry('assistant', [{ type: 'text', text: 'Watered.' }]));
    const { turns } = (await found())!;
    expect((await send(true)).sent).toBeLessThan(5_000);
    expect(await found()).toEqual({ turns, open: '0' });
  } finally {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  }
}, 400_000);
