import { mkdirSync, writeFileSync } from 'node:fs';
import { execFile } from 'node:child_process';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { bundled } from '../test/bundle.ts';
import { testDatabase } from '../test/database.ts';
import { startApp } from '../test/server.ts';
import { world } from '../test/world.ts';
import { encodeId } from '../server/core/ids.ts';
import { temporaryFolder } from '../test/temporary.ts';

// Every case starts processes.
vi.setConfig({ testTimeout: 120_000 });

const database = await testDatabase();
const { url } = await startApp(database);
const { agent, session, initiate } = world(database.pool);

const folder = temporaryFolder('baton-inbox');
mkdirSync(join(folder, '.git'));
writeFileSync(join(folder, '.git/HEAD'), 'ref: refs/heads/main\n');
beforeAll(async () => {
  for (const id of ['reviewer', 'stranger']) await agent(id, { maxCapacity: 100 });
  await agent('author', { maxCapacity: 100, collaborators: ['reviewer'] });
});

async function baton(
  args: string[],
  env: Record<string, string> = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  const program = await bundled('cli/baton.ts');
  const { PATH, HOME } = process.env;
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [program, ...args],
      { cwd: folder, env: { PATH, HOME, BATON_URL: url, ...env } },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

describe('baton handoff', () => {
  it('hands the session of this folder off, as text and as JSON', async () => {
    const externalId = `${hostname()}:${folder}#main`;
    const id = encodeId('session', await session('author', { externalId }));
    const { code, stdout } = await baton(['handoff', 'reviewer', '--reason', 'Please review']);
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(new RegExp(`^handoff_\\w+: author handed ${id} off to reviewer\\n$`)),
    ]);
    const other = encodeId('session', await session('author'));
    const { stdout: json } = await baton(['handoff', 'reviewer', '--session', other, '--json']);
    expect(JSON.parse(json)).toMatchObject({
      handoff: { status: 'INITIATED', targetAgent: { id: 'reviewer' } },
      session: { id: other },
    });
  });

  it('takes with it what the program of its holder wrote in the folder, which no hook has sent', async () => {
    await agent('codex-2', { type: 'CODEX', collaborators: ['reviewer'] });
    writeFileSync(join(folder, '.git/HEAD'), 'ref: refs/heads/port\n');
    const id = await session('codex-2', { externalId: `${hostname()}:${folder}#port` });
    const codexHome = join(folder, 'codex home');
    const day = join(codexHome, 'sessions/2026/11/27');
    mkdirSync(day, { recursive: true });
    const rollout = (name: string, cwd: string, text: string) => {
      const line = (type: string, payload: object) =>
        JSON.stringify({ timestamp: new Date().toISOString(), type, payload });
      const message = (role: string, type: string, words: string) =>
        line('response_item', { type: 'message', role, content: [{ type, text: words }] });
      writeFileSync(
        join(day, `rollout-2026-11-27T10-00-00-${name}.jsonl`),
        [
          line('session_meta', { id: name, cwd, originator: 'codex_exec', cli_version: '0.169.0' }),
          message('user', 'input_text', 'Which port?'),
          message('assistant', 'output_text', text),
          '',
        ].join('\n'),
      );
    };
    rollout('00000000-0000-4000-8000-000000000001', folder, 'Found port 6123.');
    rollout('00000000-0000-4000-8000-000000000002', tmpdir(), 'Elsewhere.');
    const env = { CODEX_HOME: codexHome, XDG_STATE_HOME: join(folder, 'state') };
    expect(await baton(['handoff', 'reviewer', '--reason', 'Go on'], env)).toMatchObject({ code: 0, stderr: '' });
    const { rows } = await database.pool.query<{ content: string }>(
      "SELECT content FROM messages WHERE session_id = $1 AND role IN ('USER', 'ASSISTANT') ORDER BY sequence",
      [id],
    );
    expect(rows.map(({ content }) => content)).toEqual(['Which port?', 'Found port 6123.']);
    const { stdout } = await baton(['inbox', 'reviewer', '--prompt']);
    expect(stdout).toContain('Found port 6123.');
  });

  it('exits with 1 and the code of the refusal, and changes nothing', async () => {
    const id = await session('author');
    const { code, stdout, stderr } = await baton(['handoff', 'stranger', '--session', encodeId('session', id)]);
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(/^NOT_A_COLLABORATOR: /)]);
    const { rows } = await database.pool.query('SELECT agent_id FROM sessions WHERE id = $1', [id]);
    expect(rows).toEqual([{ agent_id: 'author' }]);
  });
});

describe('baton inbox', () => {
  it('lists what waits for the agent, oldest first, with prompts when asked', async () => {
    await agent('reader', { maxCapacity: 100 });
    expect(await baton(['inbox', 'reader'])).toMatchObject({ code: 0, stdout: 'No handoff waits for reader\n' });
    await agent('writer', { maxCapacity: 100, collaborators: ['reader'] });
    for (const title of ['First', 'Second\u001B[31m'])
      await initiate(await session('writer', { title }), 'reader', { reason: 'Read it' });
    const { stdout } = await baton(['inbox', 'reader']);
    expect(stdout).toMatch(
      /^handoff_\w+ {2}writer {2}Read it {2}First\nhandoff_\w+ {2}writer {2}Read it {2}Second\uFFFD\[31m\n$/,
    );
    expect(
      (await baton(['inbox', 'reader', '--prompt'])).stdout.match(/^# Handoff from writer to reader$/gm),
    ).toHaveLength(2);
    const waiting = JSON.parse((await baton(['inbox', 'reader', '--json'])).stdout) as object[];
    expect(waiting).toMatchObject([
      { session: { title: 'First' }, sourceAgent: { id: 'writer' } },
      { reason: 'Read it' },
    ]);
    expect(waiting[0]).not.toHaveProperty('contextPrompt');
  });
});

it.each([['inbox'], ['handoff']])(
  'baton %s exits with 2 without an agent and with 75 when nothing answers',
  async (command) => {
    expect(await baton([command])).toMatchObject({ code: 2, stdout: '' });
    expect(await baton([command, 'reviewer'], { BATON_URL: 'http://127.0.0.1:1' })).toMatchObject({
      code: 75,
      stdout: '',
      stderr: expect.stringMatching(/Nothing answers/) as string,
    });
  },
);
