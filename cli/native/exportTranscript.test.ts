import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { encodeId } from '../../server/core/ids.ts';
import { AwayError, StartError } from '../../server/core/startError.ts';
import { bundled } from '../../test/bundle.ts';
import { testDatabase } from '../../test/database.ts';
import { listen } from '../../test/hooks.ts';
import { startApp } from '../../test/server.ts';
import { world } from '../../test/world.ts';
import { exportTranscript, type ExportOptions } from './exportTranscript.ts';
import { projectName, type Program } from './toolFolders.ts';
import { temporaryFolder } from '../../test/temporary.ts';

const database = await testDatabase();
const { url } = await startApp(database);
const { agent, session, turn } = world(database.pool);

let uuid = '';
let home = '';
beforeAll(() => agent('ada', { maxCapacity: 100 }));
beforeEach(async () => {
  uuid = await session('ada');
  await turn(uuid, { messages: [{ role: 'USER', content: 'Water the roses.' }] });
  home = temporaryFolder('baton-export');
});

const options = (as: Program, more: Partial<ExportOptions> = {}): ExportOptions => ({
  ...{
    url,
    key: undefined,
    sessionId: encodeId('session', uuid),
    as,
    folder: '/home/me/my.garden',
    out: null,
    maxTokens: null,
  },
  ...{ env: { CLAUDE_CONFIG_DIR: join(home, 'claude'), CODEX_HOME: join(home, 'codex') } },
  ...more,
});
const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => statSync(join(folder, name)).isFile());

describe.each([
  ['claude-code', /^claude\/projects\/-home-me-my-garden\/([\da-f-]{36})\.jsonl$/, ['claude', '--resume']],
  [
    'codex',
    /^codex\/sessions\/\d{4}\/\d\d\/\d\d\/rollout-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-([\da-f-]{36})\.jsonl$/,
    ['codex', 'resume'],
  ],
] as const)('exported for %s, a session', (as, place, command) => {
  it('is where resume finds it, for its owner only', async () => {
    const { path, id, resume } = await exportTranscript(options(as));
    expect([filesIn(home), place.exec(path.slice(home.length + 1))?.[1], resume]).toEqual([
      [path.slice(home.length + 1)],
      id,
      [...command, id],
    ]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const text = readFileSync(path, 'utf8');
    expect(text).toBe(
      await (await fetch(`${url}/sessions/${encodeId('session', uuid)}.${as}.jsonl?folder=/home/me/my.garden`)).text(),
    );
    expect(text).toContain('Water the roses.');
  });

  it('is not overwritten, and is a new file when the log went on', async () => {
    const { path, id } = await exportTranscript(options(as));
    writeFileSync(path, 'The program went on.');
    await expect(exportTranscript(options(as))).rejects.toThrow(
      new StartError(
        `${path} exists and was not changed: go on with '${[...command, id].join(' ')}', or give another file with --out`,
      ),
    );
    expect([readFileSync(path, 'utf8'), filesIn(home)]).toEqual([
      'The program went on.',
      [path.slice(home.length + 1)],
    ]);
    await expect(exportTranscript(options(as, { reuse: true }))).rejects.toThrow('exists and was not changed');
    await turn(uuid);
    expect((await exportTranscript(options(as))).id).not.toBe(id);
  });

  it('may be the file of before, if nobody wrote into it', async () => {
    const first = await exportTranscript(options(as));
    expect(first).toMatchObject({ isWhole: true, entries: 1 });
    expect(await exportTranscript(options(as, { reuse: true }))).toEqual(first);
  });

  it('goes into a given file that does not exist yet', async () => {
    const out = join(home, 'out.jsonl');
    expect(await exportTranscript(options(as, { out }))).toMatchObject({ path: out });
    await expect(exportTranscript(options(as, { out }))).rejects.toThrow(
      `${out} exists and was not changed: give another file with --out`,
    );
    expect(filesIn(home)).toEqual(['out.jsonl']);
  });
});

it.each([
  ['/home/me/my.garden', '-home-me-my-garden'],
  // Seen with Claude Code 2.1.197.
  [
    `/tmp/native-lf-aMDSKF/${'a'.repeat(120)}/${'gär.ten'.repeat(15)}`,
    `-tmp-native-lf-aMDSKF-${'a'.repeat(120)}-${'g-r-ten'.repeat(8)}g-evsa22`,
  ],
])('knows the name that Claude Code gives the folder %s', (folder, name) => {
  expect(projectName(folder)).toBe(name);
});

it('leaves no file when the server breaks off, is busy, or refuses', async () => {
  const broken = await listen(
    createServer((_request, response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('{"type":"custom-title"', () => response.destroy());
    }),
  );
  await expect(exportTranscript(options('claude-code', { url: broken }))).rejects.toThrow(
    new AwayError(`${broken} broke off: nothing was written, try again`),
  );
  const busy = await listen(
    createServer((_request, response) =>
      response.writeHead(503).end('{"errors":[{"message":"Later.","extensions":{"code":"UNAVAILABLE"}}]}'),
    ),
  );
  await expect(exportTranscript(options('claude-code', { url: busy }))).rejects.toThrow(
    new AwayError('UNAVAILABLE: Later.'),
  );
  await expect(exportTranscript(options('claude-code', { url: 'http://127.0.0.1:1' }))).rejects.toBeInstanceOf(
    AwayError,
  );
  await expect(exportTranscript(options('claude-code', { sessionId: '../x' }))).rejects.toThrow(
    new StartError('NOT_FOUND: There is no session with this id.'),
  );
  await expect(exportTranscript(options('codex', { maxTokens: 'all' }))).rejects.toThrow(
    /^BAD_USER_INPUT: maxTokens is 'all'/,
  );
  const odd = await listen(createServer((_request, response) => response.end('{"sessionId":"../../x; touch y"}\n')));
  await expect(exportTranscript(options('claude-code', { url: odd }))).rejects.toThrow(
    new StartError('Baton sent no transcript'),
  );
  expect(filesIn(home)).toEqual([]);
});

describe('baton export', () => {
  async function baton(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    const program = await bundled('cli/baton.ts');
    const env = { PATH: process.env['PATH'], HOME: home, BATON_URL: url };
    return new Promise((resolve) =>
      execFile(process.execPath, [program, 'export', ...args], { cwd: home, env }, (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
      ),
    );
  }

  it('prints the file and the command that goes on with it, as text or JSON, or the transcript alone', async () => {
    const id = encodeId('session', uuid);
    const { code, stdout } = await baton(id, '--as', 'codex');
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(
        /^\/.*\.codex\/sessions\/.*\.jsonl\n\nGo on in this folder:\n\n {2}codex resume [\da-f-]{36}\n$/,
      ),
    ]);
    const json = JSON.parse((await baton(id, '--as', 'claude-code', '--json')).stdout) as { path: string; id: string };
    expect(json).toEqual({
      path: join(home, '.claude/projects', home.replaceAll(/\W|_/g, '-'), `${json.id}.jsonl`),
      id: json.id,
      resume: ['claude', '--resume', json.id],
    });
    expect((await baton(id, '--as', 'claude-code', '--out', '-')).stdout).toBe(readFileSync(json.path, 'utf8'));
  }, 120_000);

  it.each([[[]], [['session_x']], [['session_x', '--as', 'emacs']], [['session_x', 'y', '--as', 'codex']]])(
    'exits with 2 for the arguments %j',
    async (args) => {
      expect(await baton(...args)).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining('--as <program>') as string,
      });
    },
    120_000,
  );
});
