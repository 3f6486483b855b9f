import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { bundled } from '../test/bundle.ts';
import { testDatabase } from '../test/database.ts';
import { adminKey } from '../test/keyring.ts';
import { startApp } from '../test/server.ts';
import { temporaryFolder } from '../test/temporary.ts';

// Every case starts processes.
vi.setConfig({ testTimeout: 120_000 });

const root = temporaryFolder('baton-doctor');

const database = await testDatabase();
const { url } = await startApp(database);

/** A folder with spaces and quotes, whose programs work as `names` of their own. */
function workplace(name: string) {
  const folder = join(mkdtempSync(join(root, 'it\'s "here" ')), 'my work');
  mkdirSync(folder);
  const names = { 'claude-code': `${name}-claude`, codex: `${name}-codex` };
  const home = join(folder, '../home');
  return {
    folder,
    names,
    run: async (
      args: string[],
      env: Record<string, string> = {},
      cwd = folder,
    ): Promise<{ code: number; stdout: string; stderr: string }> => {
      const program = await bundled('cli/baton.ts');
      return new Promise((resolve) => {
        execFile(
          process.execPath,
          [program, ...args],
          { cwd, env: { PATH: process.env['PATH'], HOME: home, BATON_URL: url, ...env } },
          (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
        );
      });
    },
    async connect(): Promise<void> {
      for (const [tool, other] of [
        ['claude-code', 'codex'],
        ['codex', 'claude-code'],
      ] as const)
        expect(await this.run(['connect', tool, '--agent', names[tool], '--with', names[other]])).toMatchObject({
          code: 0,
        });
      expect(
        await this.run(['connect', 'codex', '--agent', names.codex, '--with', names['claude-code']]),
      ).toMatchObject({
        code: 0,
      });
    },
  };
}

const wrong = (stdout: string): string[] =>
  stdout.split('\n').flatMap((line) => /^WRONG {2}([^:]+):/.exec(line)?.[1] ?? []);

it('finds every step right in a folder in which both programs are connected, and changes nothing', async () => {
  const place = workplace('well');
  await place.connect();
  const before = await database.pool.query('SELECT count(*) FROM events');
  const { code, stdout, stderr } = await place.run(['doctor']);
  expect([code, stderr, stdout.match(/^right {2}[^:]+/gm)?.map((line) => line.slice(7))]).toEqual([
    0,
    '',
    [
      'state',
      'server',
      'key',
      ...['claude-code', 'codex'].flatMap((tool) =>
        ['hooks', 'agent', 'tools', 'handoff'].map((step) => `${tool}, ${step}`),
      ),
    ],
  ]);
  expect((await database.pool.query('SELECT count(*) FROM events')).rows).toEqual(before.rows);
});

it('tries the handoff of the session of the folder', async () => {
  const place = workplace('tried');
  await place.connect();
  const { PATH } = process.env;
  const program = await bundled('cli/baton.ts');
  const hook = execFile(
    process.execPath,
    [program, 'hook', 'claude-code', '--agent', place.names['claude-code'], '--wait', '30000'],
    { env: { PATH, HOME: join(place.folder, '../home'), BATON_URL: url } },
  );
  hook.stdin!.end(JSON.stringify({ hook_event_name: 'SessionStart', cwd: place.folder }));
  await new Promise((resolve) => hook.once('exit', resolve));
  expect((await place.run(['doctor'])).stdout).toContain(
    `right  claude-code, handoff: the session of this folder could go to ${place.names.codex} now`,
  );
  await database.pool.query("UPDATE agents SET administrative_status = 'DRAINING' WHERE id = $1", [place.names.codex]);
  const { code, stdout } = await place.run(['doctor']);
  expect([code, wrong(stdout)]).toEqual([1, ['claude-code, handoff', 'codex, agent']]);
  expect(stdout).toMatch(/DRAINING/);
});

it.each<[string, (place: ReturnType<typeof workplace>) => unknown, string[], Record<string, string>?]>([
  ['the server is away', () => undefined, ['server'], { BATON_URL: 'http://127.0.0.1:1' }],
  ['the state folder cannot be written', () => undefined, ['state'], { XDG_STATE_HOME: '/proc/nowhere' }],
  [
    'the agent is drained',
    ({ names }) =>
      database.pool.query("UPDATE agents SET administrative_status = 'DRAINING' WHERE id = $1", [names.codex]),
    ['codex, agent'],
  ],
  [
    'nothing may be handed off',
    ({ names }) => database.pool.query('DELETE FROM agent_collaborators WHERE agent_id = $1', [names.codex]),
    ['codex, handoff'],
  ],
  [
    'the hooks start a program that is gone',
    ({ folder }) => {
      const path = join(folder, '.claude/settings.local.json');
      writeFileSync(path, readFileSync(path, 'utf8').replaceAll(/\/[^ "']*\.mjs/g, '/nowhere/baton.mjs'));
    },
    ['claude-code, hooks'],
  ],
  ['the hooks are gone', ({ folder }) => rmSync(join(folder, '.claude'), { recursive: true }), ['claude-code, hooks']],
  ['the MCP server is gone', ({ folder }) => rmSync(join(folder, '.mcp.json')), ['claude-code, tools']],
])('says what is wrong and what to do when %s', async (what, spoil, steps, env) => {
  const place = workplace(`ill-${what.length}`);
  await place.connect();
  await spoil(place);
  const { code, stdout, stderr } = await place.run(['doctor'], env);
  expect([wrong(stdout), code]).toEqual([steps, steps.length === 0 ? 0 : 1]);
  expect(stdout.match(/^ {7}\S.*\.$/gm) ?? []).toHaveLength(steps.length);
  expect(stderr).toBe(steps.length === 0 ? '' : '1 step is wrong\n');
});

it('says what is wrong when nothing is connected, the folder was moved, or the key is missing', async () => {
  const place = workplace('moved');
  expect(wrong((await place.run(['doctor'])).stdout)).toEqual(['programs']);
  await place.connect();
  const moved = join(place.folder, '../moved');
  renameSync(place.folder, moved);
  expect(wrong((await place.run(['doctor'], {}, moved)).stdout)).toEqual(['claude-code, tools', 'codex, tools']);
  const { url: closed } = await startApp(await testDatabase(), { variables: { BATON_ADMIN_KEY: adminKey } });
  expect(wrong((await place.run(['doctor', '--url', closed], {}, moved)).stdout)).toEqual(['key']);
});
