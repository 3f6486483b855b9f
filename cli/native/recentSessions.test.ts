import { execFile } from 'node:child_process';
import fs, { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { bundled } from '../../test/bundle.ts';
import { testDatabase } from '../../test/database.ts';
import { startApp } from '../../test/server.ts';
import { chosen, formatSessions, recentSessions } from './recentSessions.ts';
import { temporaryFolder } from '../../test/temporary.ts';

vi.setConfig({ testTimeout: 120_000 });

const database = await testDatabase();
const { url } = await startApp(database);

let home = '';
beforeEach(() => {
  home = temporaryFolder('baton-recent');
  vi.stubEnv('XDG_STATE_HOME', join(home, 'state'));
});

const env = (): NodeJS.ProcessEnv => ({ CLAUDE_CONFIG_DIR: join(home, '.claude'), CODEX_HOME: join(home, '.codex') });
const idOf = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

function put(path: string, entries: readonly object[], minutesAgo: number): string {
  const whole = join(home, path);
  mkdirSync(dirname(whole), { recursive: true });
  writeFileSync(whole, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
  const at = new Date(Date.now() - minutesAgo * 60_000);
  utimesSync(whole, at, at);
  return whole;
}
const claude = (n: number, request: string, minutesAgo: number, more: object[] = []): string =>
  put(
    `.claude/projects/-home-me-garden/${idOf(n)}.jsonl`,
    [
      {
        type: 'user',
        uuid: `u${n}`,
        sessionId: idOf(n),
        cwd: '/home/me/garden',
        timestamp: '2026-03-01T08:00:00Z',
        message: { role: 'user', content: request },
      },
      ...more,
    ],
    minutesAgo,
  );
const codex = (n: number, request: string, minutesAgo: number): string =>
  put(
    `.codex/sessions/2026/03/0${n}/rollout-2026-03-0${n}T08-00-00-${idOf(n)}.jsonl`,
    [
      {
        timestamp: '2026-03-01T08:00:00Z',
        type: 'session_meta',
        payload: { id: idOf(n), cwd: '/home/me/roof', instructions: 'x'.repeat(40_000) },
      },
      {
        timestamp: '2026-03-01T08:00:00Z',
        type: 'response_item',
        payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: request }] },
      },
    ],
    minutesAgo,
  );

describe('recent sessions', () => {
  it('are those of both programs, newest first, with title, folder, time and size', async () => {
    const paths = [claude(1, 'Water the roses', 5), codex(2, 'Mend the roof', 70), claude(3, 'Dig a hole', 9_000)];
    put(`.claude/projects/-home-me-garden/${idOf(1)}/subagents/agent-1.jsonl`, [{ type: 'user' }], 1);
    put('.claude/projects/-home-me-garden/notes.jsonl', [{ type: 'user' }], 1);
    const { sessions, more } = await recentSessions({ url, limit: 20, env: env() });
    expect([more, sessions]).toMatchObject([
      0,
      [
        {
          program: 'claude-code',
          path: paths[0],
          title: 'Water the roses',
          folder: '/home/me/garden',
          imported: 'no',
          exportedFrom: null,
        },
        { program: 'codex', path: paths[1], title: 'Mend the roof', folder: '/home/me/roof', imported: 'no' },
        { program: 'claude-code', path: paths[2], title: 'Dig a hole' },
      ],
    ]);
    const list = formatSessions(sessions, new Date()).split('\n');
    expect(list[0]).toMatch(
      /^1 {2}claude-code {2}5 min {3}1 KB {3}not imported {2}\/home\/me\/garden {2}Water the roses$/,
    );
    expect(list[1]).toMatch(/^2 {2}codex {8}1 h {5}40 KB {2}not imported {2}\/home\/me\/roof {4}Mend the roof$/);
    expect(list[2]).toMatch(/^3 {2}claude-code {2}6 days /);
  });

  it('are listed without files that are no transcripts, and without the folders of the programs', async () => {
    expect(await recentSessions({ url, limit: 20, env: env() })).toEqual({ sessions: [], more: 0 });
    put(`.claude/projects/x/${idOf(7)}.jsonl`, [{ nothing: '\u001B[31m' }], 1);
    expect((await recentSessions({ url, limit: 20, env: env() })).sessions).toMatchObject([
      { title: null, folder: null },
    ]);
  });

  it('read only the beginnings of the files that are listed', async () => {
    for (let n = 0; n < 2_000; n += 1)
      claude(
        n,
        `Request number ${n}`,
        2_000 - n,
        n === 1_999 ? [{ type: 'progress', data: 'x'.repeat(1_000_000) }] : [],
      );
    const [opened, read] = [vi.spyOn(fs, 'openSync'), vi.spyOn(fs, 'readSync')];
    const { syncBuiltinESMExports } = await import('node:module');
    syncBuiltinESMExports();
    const { sessions, more } = await recentSessions({ url, limit: 20, env: env() });
    expect([sessions.length, more, sessions[0]!.title]).toEqual([20, 1_980, 'Request number 1999']);
    const transcripts = opened.mock.calls.filter(([path]) => String(path).includes('.claude'));
    expect(transcripts).toHaveLength(20);
    expect(read.mock.results.reduce((sum, { value }) => sum + Number(value), 0)).toBeLessThan(20 * 128 * 1024);
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });

  it('are chosen by their number, none by Enter', async () => {
    claude(1, 'Water the roses', 5);
    const { sessions } = await recentSessions({ url, limit: 20, env: env() });
    expect(['1', ' 1\n', '', '0', '2', 'x', '1.0', '-1'].map((answer) => chosen(answer, sessions))).toEqual([
      sessions[0],
      sessions[0],
      null,
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('baton import without a file', () => {
  async function baton(args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    const program = await bundled('cli/baton.ts');
    return new Promise((resolve) => {
      const settings = { PATH: process.env['PATH'], HOME: home, BATON_URL: url, XDG_STATE_HOME: join(home, 'state') };
      const child = execFile(
        process.execPath,
        [program, 'import', ...args],
        { env: settings },
        (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
      );
      child.stdin!.end();
    });
  }

  it('lists, and exits with 2 and what to do when nobody can choose; --json lists and exits with 0', async () => {
    const path = claude(1, 'Water the roses', 5);
    codex(2, 'Mend the roof', 70);
    expect(await baton(['--limit', '1'])).toMatchObject({
      code: 2,
      stdout: expect.stringMatching(/Water the roses\n1 older: list more with --limit\n$/) as string,
      stderr: expect.stringMatching(/^Choose one and import it: .*import.* new <file>/) as string,
    });
    expect((await baton(['new', path])).code).toBe(0);
    expect(JSON.parse((await baton(['--json'])).stdout)).toMatchObject([
      { path, imported: 'yes' },
      { program: 'codex', imported: 'no' },
    ]);
    claude(1, 'Water the roses', 4, [{ type: 'progress', data: 'more' }]);
    expect(JSON.parse((await baton(['--json'])).stdout)).toMatchObject([{ path, imported: 'partly' }, {}]);
    expect(await baton(['--limit', '0'])).toMatchObject({ code: 2, stdout: '' });
  });
});
