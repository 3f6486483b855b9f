import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { testDatabase } from '../test/database.ts';
import { entry, hookProcess, workplace } from '../test/hooks.ts';
import { hookServer } from '../test/hookServer.ts';
import { adminKey, secretFor } from '../test/keyring.ts';
import { startApp } from '../test/server.ts';
import { world } from '../test/world.ts';

const { url } = await hookServer();

describe('baton hook', () => {
  it.each([
    ['{'],
    ['{}'],
    ['null'],
    ['{"hook_event_name": "Unheard"}'],
    ['{"hook_event_name": "Stop", "transcript_path": "/nowhere"}'],
    ['{"hook_event_name": "Stop", "transcript_path": 7}'],
  ])('exits with 0 and without output for input %s', async (input) => {
    const place = workplace(url);
    expect(
      await hookProcess(['hook', 'codex', '--url', url], input, { XDG_STATE_HOME: join(place.transcript, '../state') }),
    ).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it.each([[[]], [['cursor']], [['codex', '--colour']], [['codex', '--url', 'x']], [['codex', '--wait', 'long']]])(
    'exits with 1 for arguments %j: 2 would forbid the tool what it does',
    async (args) => {
      expect(await hookProcess(['hook', ...args], '', {})).toMatchObject({ code: 1, stdout: '' });
    },
  );

  it('keeps its state for the user alone', async () => {
    const place = workplace('http://127.0.0.1:1');
    await place.hook('SessionStart');
    const state = join(place.transcript, '../state/baton');
    expect([statSync(state).mode & 0o777, statSync(join(state, 'hook.log')).mode & 0o777]).toEqual([0o700, 0o600]);
  });

  it("works with the agent's own key, also for the rest of a turn that handed off", async () => {
    const keyed = await testDatabase();
    const { url: closed } = await startApp(keyed, { variables: { BATON_ADMIN_KEY: adminKey } });
    const story = world(keyed.pool);
    await story.agent('codex-1');
    await story.agent('claude-1', { collaborators: ['codex-1'] });
    const place = workplace(closed, { key: await secretFor(keyed.pool, 'AGENT', 'claude-1') });
    expect((await place.hook('SessionStart')).context).toMatch(/session_\w{26}/);
    place.write(entry('user', 'Dig.'), entry('assistant', [{ type: 'text', text: 'Dug.' }]));
    await place.hook('Stop');
    const messages = async (): Promise<string[]> =>
      (await keyed.pool.query<{ content: string }>('SELECT content FROM messages ORDER BY sequence')).rows.map(
        ({ content }) => content,
      );
    await vi.waitFor(async () => expect(await messages()).toEqual(['Dig.', 'Dug.']), { timeout: 60_000 });
    place.write(entry('user', 'Hand it off.'));
    await place.hook('PreToolUse', { tool_name: 'mcp__baton__baton_handoff' });
    const { rows } = await keyed.pool.query<{ id: string }>('SELECT id FROM sessions');
    await story.initiate(rows[0]!.id, 'codex-1');
    place.write(entry('assistant', [{ type: 'text', text: 'It is handed off.' }]));
    await place.hook('Stop');
    await vi.waitFor(async () => expect((await messages()).at(-1)).toBe('It is handed off.'), { timeout: 60_000 });
    expect(place.logged()).toEqual([]);
  });
});
