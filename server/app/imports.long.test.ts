import { expect, test } from 'vitest';
import { setTimeout as pause } from 'node:timers/promises';
import { testDatabase } from '../../test/database.ts';
import { send } from '../../test/graphql.ts';
import { startProbed } from '../../test/probed.ts';
import { transcriptShapes } from '../../test/transcripts.ts';
import { world } from '../../test/world.ts';

const db = await testDatabase();
await world(db.pool).agent('ada', { maxCapacity: 100 });
const { url, longestTurn } = await startProbed(db.url);

async function post(path: string, body: string, type: string): Promise<number> {
  for (;;) {
    const { status } = await send(`${url}${path}`, { method: 'POST', body, headers: { 'content-type': type } });
    if (status !== 503) return status;
    await pause(1_000);
  }
}
const upload = (body: string) => post('/sessions/new/transcript?agentId=ada', body, 'application/x-ndjson');

const MB = 1_000_000;
/** Cheap shapes are larger. `bench -- uploads` goes to 64 MB. */
const size: Record<string, number> = {
  'a long day of work': 8 * MB,
  'giant lines': 8 * MB,
  'parts of one message': 8 * MB,
};

test.each(Object.entries(transcriptShapes))(
  'an import of %s holds no turn of the event loop for 100 ms',
  async (name, make) => {
    expect(await upload(make(200_000))).toBe(200);
    await longestTurn();
    expect(await upload(make(size[name] ?? 2 * MB))).toBe(200);
    expect(await longestTurn()).toBeLessThan(100);
  },
  600_000,
);

const text = (characters: number): string => 'Do the work well, with `code`. '.repeat(characters / 31);
const named = (count: number, line: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => line(n)).join('\n');
const definitions: Record<string, [count: number, content: (n: number) => string]> = {
  'long instructions': [340, (n) => `# Agent ${n}\n\n${text(23_000)}`],
  'many collaborations': [
    340,
    (n) => `# Agent ${n}\n\n## Collaborations\n\n${named(199, (at) => `- Agent ${at} (${text(80)})`)}`,
  ],
  'front matter': [
    60,
    (n) => `---\nname: Agent ${n}\n${named(1_500, (at) => `key-${at}: [a, b]`)}\n---\n${text(5_000)}`,
  ],
  secrets: [200, (n) => `# Agent ${n}\n\n${'api_key=abc '.repeat(2_000)}`],
};

test.each(Object.entries(definitions))(
  'an import of definitions of %s holds no turn of the event loop for 100 ms',
  async (_name, [count, content]) => {
    const files = Array.from({ length: count }, (_, n) => ({ path: `${n}.md`, content: content(n) }));
    for (const dryRun of [true, false]) {
      await longestTurn();
      expect(
        await post('/agents/import', JSON.stringify({ defaultType: 'CLAUDE', dryRun, files }), 'application/json'),
      ).toBe(200);
      expect(await longestTurn()).toBeLessThan(100);
    }
  },
  600_000,
);
