import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { entry, hookProcess, workplace } from '../../test/hooks.ts';
import { hookServer } from '../../test/hookServer.ts';
import { world } from '../../test/world.ts';
import { completeSession, pauseSession } from '../../server/work/sessions/changeSession.ts';

const { database, url, agent, reassign, run, idOf, eventually } = await hookServer();

type Place = ReturnType<typeof workplace>;

describe('the end of a session', () => {
  const status = async (id: string) =>
    (
      await database.pool.query<{ status: string; summary: string | null }>(
        'SELECT status, summary FROM sessions WHERE id = $1',
        [id],
      )
    ).rows[0];
  const sessionsOf = async ({ folder }: { folder: string }) =>
    (
      await database.pool.query<{ id: string; turns: number }>(
        'SELECT id, turn_count AS turns FROM sessions WHERE external_id = $1 ORDER BY id',
        [`${hostname()}:${folder}#main`],
      )
    ).rows;
  const stateOf = ({ transcript }: Place): string => join(transcript, '../state/baton/hooks');
  const dug = [entry('user', 'Dig.'), entry('assistant', [{ type: 'text', text: 'Dug.' }])];

  it('comes when the conversation is cleared, after its last lines; the next prompt begins another session', async () => {
    const place = workplace(url);
    place.write(...dug);
    await place.hook('SessionEnd', { reason: 'other' });
    await eventually(place, { messages: ['Dig.', 'Dug.'] });
    const first = await idOf(place);
    place.write(entry('user', 'Water.'));
    await place.hook('SessionEnd', { reason: 'clear' });
    await vi.waitFor(
      async () =>
        expect(await status(first)).toEqual({ status: 'COMPLETED', summary: 'The conversation was cleared.' }),
      { timeout: 60_000 },
    );
    await place.hook('UserPromptSubmit');
    expect((await sessionsOf(place)).map(({ id, turns }) => [id === first, turns])).toEqual([
      [true, 2],
      [false, 0],
    ]);
  });

  it('does not come by clearing when another agent had the session', async () => {
    const place = workplace(url);
    place.write(...dug);
    await place.hook('SessionStart');
    const id = await idOf(place);
    await reassign(id, { agentId: 'codex-1', skipHandoff: true });
    await reassign(id, { agentId: 'claude-1', skipHandoff: true });
    await place.hook('SessionEnd', { reason: 'clear' });
    await eventually(place, { messages: ['Dig.', 'Dug.'] });
    expect(await status(id)).toMatchObject({ status: 'RUNNING' });
  });

  it('by a tool leaves out the rest of that turn, and the next turn begins another session', async () => {
    const place = workplace(url);
    place.write(...dug);
    await place.hook('PreToolUse', { tool_name: 'mcp__baton__baton_handoff' });
    const first = await idOf(place);
    await run(completeSession, { sessionId: first, expectedVersion: null, result: null, summary: null });
    place.write(entry('assistant', [{ type: 'text', text: 'It is completed.' }]));
    await place.hook('Stop');
    const [file] = readdirSync(stateOf(place)).filter((name) => name.endsWith('.json'));
    await vi.waitFor(
      () => expect(JSON.parse(readFileSync(join(stateOf(place), file!), 'utf8'))).toMatchObject({ handedOff: null }),
      { timeout: 60_000 },
    );
    // The last words of a conversation begin no session.
    place.write(entry('user', 'Bye.'));
    const ending = JSON.stringify({
      path: place.transcript,
      folder: place.folder,
      turnEnd: null,
      ending: null,
      compacts: false,
      ends: true,
      clears: false,
    });
    await hookProcess(['hook', 'claude-code', '--agent', 'claude-1', '--url', url, '--background', ending], '', {
      XDG_STATE_HOME: join(stateOf(place), '../..'),
    });
    expect(await sessionsOf(place)).toHaveLength(1);
    place.write(entry('user', 'And now?'), entry('assistant', [{ type: 'text', text: 'Something else.' }]));
    await place.hook('Stop');
    await vi.waitFor(
      async () =>
        expect((await sessionsOf(place)).map(({ id, turns }) => [id === first, turns])).toEqual([
          [true, 1],
          [false, 2],
        ]),
      { timeout: 60_000 },
    );
    const { rows } = await database.pool.query<{ content: string }>(
      'SELECT content FROM messages WHERE session_id = ANY ($1) ORDER BY session_id, sequence',
      [(await sessionsOf(place)).map(({ id }) => id)],
    );
    expect(rows.map(({ content }) => content)).toEqual(['Dig.', 'Dug.', 'Bye.', 'And now?', 'Something else.']);
    expect(place.logged()).toEqual([]);
  });

  it('comes after a week without a turn, by the next start in another folder, which also forgets old transcripts', async () => {
    await agent('idle-1', { maxCapacity: 100 });
    const [left, used, paused, here] = [0, 1, 2, 3].map(() => workplace(url, { agent: 'idle-1' })) as [
      Place,
      Place,
      Place,
      Place,
    ];
    for (const place of [left, used, paused, here]) {
      mkdirSync(stateOf(place), { recursive: true });
      writeFileSync(join(stateOf(place), 'tidied'), '');
      await place.hook('SessionStart');
    }
    const ids = await Promise.all([left, used, paused, here].map(idOf));
    const foreign = await world(database.pool).session('idle-1', { externalId: `another-machine:/garden#${ids[0]!}` });
    const aged = [ids[0], ids[2], ids[3], foreign];
    await run(pauseSession, { sessionId: ids[2]!, expectedVersion: null });
    await database.pool.query("UPDATE sessions SET last_activity_at = now() - interval '8 days' WHERE id = ANY ($1)", [
      aged,
    ]);

    const state = stateOf(here);
    const days = (count: number): Date => new Date(Date.now() - count * 24 * 60 * 60 * 1_000);
    for (const [name, age] of [
      ['old.json', 31],
      ['older.lock', 40],
      ['recent.json', 29],
      ['tidied', 2],
    ] as const) {
      writeFileSync(join(state, name), '{}');
      utimesSync(join(state, name), days(age), days(age));
    }
    await here.hook('SessionStart');
    await vi.waitFor(
      async () => expect(await status(ids[0]!)).toEqual({ status: 'COMPLETED', summary: 'No turn for 7 days.' }),
      { timeout: 60_000 },
    );
    expect((await Promise.all([...ids.slice(1), foreign].map((id) => status(id)))).map((row) => row?.status)).toEqual([
      'RUNNING',
      'PAUSED',
      'RUNNING',
      'RUNNING',
    ]);
    expect(
      readdirSync(state)
        .filter((name) => !/\.(told|left)$/.test(name))
        .sort(),
    ).toEqual(['recent.json', 'tidied']);
    expect(statSync(join(state, 'tidied')).mtimeMs).toBeGreaterThan(days(1).getTime());
    expect(here.logged()).toEqual([]);
  });
});
