import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { createLog, silentLog } from '../../infra/log.ts';
import { Spool, type Kept, type SpoolOptions } from './spool.ts';
import { temporaryFolder } from '../../../test/temporary.ts';

const folder = async (): Promise<string> => {
  const made = temporaryFolder('baton-spool');
  return made;
};

function open(options: SpoolOptions, log = silentLog): Spool {
  const spool = new Spool(log, options);
  onTestFinished(() => spool.close());
  return spool;
}

test('returns every value as it was put, in any order, however few blocks are in memory', async () => {
  const value = fc.oneof(
    fc.json(),
    fc.array(fc.string({ unit: 'binary', maxLength: 10_000 }), { maxLength: 3 }),
    fc.string({ size: 'max', maxLength: 70_000 }),
  );
  const steps = fc.array(fc.record({ value, reads: fc.array(fc.nat(), { maxLength: 3 }), settles: fc.boolean() }), {
    maxLength: 12,
  });
  await fc.assert(
    fc.asyncProperty(steps, fc.nat({ max: 3 }), async (todo, blocksInMemory) => {
      const spool = new Spool(silentLog, { blocksInMemory });
      const put: { kept: Kept<unknown>; value: unknown }[] = [];
      for (const { value, reads, settles } of todo) {
        put.push({ kept: spool.put(value), value });
        if (settles) await spool.settle();
        for (const nth of reads) expect(await put[nth % put.length]!.kept.read()).toEqual(put[nth % put.length]!.value);
      }
      for (const { kept, value } of put) expect(await kept.read()).toEqual(value);
      await spool.close();
    }),
    { numRuns: 30 },
  );
});

test('leaves no name in the folder and nothing readable in the file', async () => {
  const here = await folder();
  const spool = open({ folder: here, blocksInMemory: 0 });
  const secret = 'AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY';
  const kept = spool.put({ secret });
  await spool.settle();
  expect(await readdir(here)).toEqual([]);
  expect(await kept.read()).toEqual({ secret });
  if (process.platform !== 'linux') return;
  const file = readdirSync('/proc/self/fd')
    .map((number) => `/proc/self/fd/${number}`)
    .find((link) => linkOf(link).startsWith(here))!;
  const written = readFileSync(file, 'latin1');
  expect(written).toHaveLength(JSON.stringify({ secret }).length);
  expect(written).not.toMatch(/AWS|secret/);
});

const linkOf = (link: string): string => {
  try {
    return readlinkSync(link);
  } catch {
    return '';
  }
};

test('keeps the values in memory and says so once when the folder takes no file', async () => {
  const lines: string[] = [];
  const spool = open(
    { folder: join(await folder(), 'missing'), blocksInMemory: 0 },
    createLog({ destination: { write: (line) => void lines.push(line) } }),
  );
  const kept = ['one', 'two'].map((value) => spool.put(value));
  await spool.settle();
  await spool.settle();
  expect(await Promise.all(kept.map((each) => each.read()))).toEqual(['one', 'two']);
  expect(lines).toEqual([expect.stringMatching(/An import stays in memory.*TMPDIR/)]);
});
