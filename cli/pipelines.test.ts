import { execFile } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { bundled } from '../test/bundle.ts';
import { testDatabase } from '../test/database.ts';
import { hashAllTables } from '../test/hash.ts';
import { adminKey } from '../test/keyring.ts';
import { startApp } from '../test/server.ts';
import { temporaryFolder } from '../test/temporary.ts';

// Every case starts a process.
vi.setConfig({ testTimeout: 120_000 });

const database = await testDatabase();
const { url } = await startApp(database, { variables: { BATON_ADMIN_KEY: adminKey } });
const story = join(import.meta.dirname, '../server/work/pipelines/story');

async function load(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const program = await bundled('cli/baton.ts');
  const { PATH, HOME, TMPDIR } = process.env;
  const env = { PATH, HOME, TMPDIR, BATON_URL: url, BATON_KEY: adminKey };
  return new Promise((resolve) =>
    execFile(process.execPath, [program, 'pipelines', 'import', ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    ),
  );
}

it('the pipeline that ships with Baton is had on an empty server by one command, which changes nothing when it is repeated', async () => {
  const line = 'story, version 1: orchestrator, analyst, implementer, reviewer, refactorer, documenter\n';
  const first = await load('story');
  expect(first).toMatchObject({ code: 0, stderr: '' });
  expect(first.stdout).toContain('6 agents: 6 created, 0 updated, 0 unchanged\n');
  expect(first.stdout.endsWith(line)).toBe(true);
  const before = await hashAllTables(database.pool);
  expect(await load('story')).toMatchObject({
    code: 0,
    stdout: `6 agents: 0 created, 0 updated, 6 unchanged\n${line}`,
  });
  expect(await hashAllTables(database.pool)).toEqual(before);
});

it('a file of its own is defined with the agents beside it, or without them', async () => {
  const folder = temporaryFolder('baton-pipeline');
  cpSync(join(story, 'reviewer.md'), join(folder, 'checker.md'));
  const stages = [{ name: 'only', role: 'nobody-has-this' }];
  const transitions = [{ from: 'only', outcome: 'DONE', to: null }];
  const file = join(folder, 'own.json');
  writeFileSync(file, JSON.stringify({ slug: 'own', name: 'Own', start: 'only', stages, transitions }));
  const { code, stdout, stderr } = await load(file, '--no-agents', '--json');
  expect([code, JSON.parse(stdout)]).toEqual([
    0,
    { pipeline: { slug: 'own', version: 1, stages: [{ name: 'only' }] } },
  ]);
  expect(stderr).toContain('nobody-has-this');
  const whole = JSON.parse((await load(file, '--json')).stdout) as { agents: { path: string }[] };
  expect(whole.agents).toHaveLength(1);
});

it.each([
  ['no JSON', '{"slug": ', 'is no JSON'],
  ['a list', '[]', 'must be a JSON object'],
  [
    'a definition that Baton refuses',
    JSON.stringify({ slug: 'x', name: 'X', start: 'a', stages: [], transitions: [] }),
    '',
  ],
])('a file with %s is refused with 1, and nothing is defined', async (_, text, message) => {
  const file = join(temporaryFolder('baton-pipeline'), 'bad.json');
  writeFileSync(file, text);
  const before = await hashAllTables(database.pool);
  const { code, stderr } = await load(file);
  expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
  expect(stderr).not.toMatch(/^ {4}at /m);
  expect(await hashAllTables(database.pool)).toEqual(before);
});

it('story is a file that the package has', () => {
  const { files } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')) as {
    files: string[];
  };
  expect(files).toContain('server/work/pipelines/story');
});
