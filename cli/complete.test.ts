import { execFile } from 'node:child_process';
import { expect, it, vi } from 'vitest';
import { bundled } from '../test/bundle.ts';
import { testDatabase } from '../test/database.ts';
import { startApp } from '../test/server.ts';
import { world } from '../test/world.ts';
import { commands } from './commands.ts';

// Every case starts a process.
vi.setConfig({ testTimeout: 120_000 });

const database = await testDatabase();
const { url } = await startApp(database);
const { agent } = world(database.pool);
await agent('reviewer');
await agent('writer');

async function baton(args: string[], at = url): Promise<{ code: number; stdout: string }> {
  const program = await bundled('cli/baton.ts');
  const { PATH, HOME } = process.env;
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], { env: { PATH, HOME, BATON_URL: at } }, (error, stdout) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout }),
    );
  });
}

/** What may stand in the place of the last word. */
async function completed(...words: string[]): Promise<string[]> {
  const { code, stdout } = await baton(['complete', '--', ...words]);
  expect(code).toBe(0);
  return stdout
    .trimEnd()
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split('\t')[0]!)
    .sort();
}

it('completes every command', async () => {
  expect(await completed('')).toEqual([...new Set(Object.keys(commands).map((name) => name.split(' ')[0]))].sort());
  expect(await completed('pip')).toEqual(['pipelines']);
  expect(await completed('pipelines', '')).toEqual(['import']);
});

it("completes a command's options, also beside --help", async () => {
  expect(await completed('watch', '--ag')).toEqual(['--agent']);
  expect(await completed('agents', 'import', '--')).toEqual(['--dry-run', '--json', '--type', '--url', '--watch']);
  expect(await completed('agents', 'import', '--help', '--dr')).toEqual(['--dry-run']);
});

it('completes agents of the server where one is named, and nothing when none answers', async () => {
  for (const words of [
    ['inbox', ''],
    ['handoff', ''],
    ['watch', '--agent', ''],
    ['connect', 'codex', '--with', ''],
  ])
    expect(await completed(...words), words.join(' ')).toEqual(['reviewer', 'writer']);
  expect(await completed('inbox', 're')).toEqual(['reviewer']);
  expect(await baton(['complete', '--', 'inbox', ''], 'http://127.0.0.1:1')).toEqual({ code: 0, stdout: ':4\n' });
});

it('reads every option of every usage', async () => {
  const { optionsOf } = await import('./complete.ts');
  for (const [name, { load }] of Object.entries(commands)) {
    const { usage } = await load();
    const listed = new Set([...usage.matchAll(/^ {2}--([\w-]+)/gm)].map(([, option]) => option));
    expect(new Set(optionsOf(usage).map(({ option }) => option)), name).toEqual(listed);
  }
});

it.each(['bash', 'zsh', 'fish'])('prints what makes %s ask', async (shell) => {
  expect(await baton(['complete', shell])).toEqual({
    code: 0,
    stdout: expect.stringContaining('baton complete --') as string,
  });
});

it.each([[[]], [['powershell']], [['bash', 'now']]])('refuses %j', async (args) => {
  expect(await baton(['complete', ...args])).toEqual({ code: 2, stdout: '' });
});
