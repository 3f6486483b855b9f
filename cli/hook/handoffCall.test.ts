import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { entry, listen, passOn, workplace } from '../../test/hooks.ts';
import { hookServer } from '../../test/hookServer.ts';
import { encodeId } from '../../server/core/ids.ts';
import { acceptHandoff } from '../../server/work/handoffs/changeHandoff.ts';

const { database, url, initiate, run, sessionOf, idOf, eventually } = await hookServer();

type Place = ReturnType<typeof workplace>;

/** The model calls for a handoff that does not say which session. */
const handOff = (place: Place) =>
  place.hook('PreToolUse', { tool_name: 'mcp__baton__baton_handoff', tool_input: { target: 'x' } });
const forbidden = (reason: RegExp): object => ({
  code: 0,
  permissionDecision: 'deny',
  permissionDecisionReason: expect.stringMatching(reason) as string,
});

describe('before a handoff tool', () => {
  it('imports the turn that hands off, and its rest into the tenure that it ended', async () => {
    const place = workplace(url);
    place.write(entry('user', 'Hand it off.'), entry('assistant', [{ type: 'text', text: 'I hand off.' }]));
    expect(await place.hook('PreToolUse', { tool_name: 'mcp__baton__transfer_to_codex-1' })).toMatchObject({
      code: 0,
      context: null,
      updatedInput: { _handoff_session: encodeId('session', await idOf(place)) },
    });
    // Without waiting: the tool runs next.
    expect(await sessionOf(place)).toMatchObject({ messages: ['Hand it off.', 'I hand off.'] });
    const { handoffId } = await initiate(await idOf(place), 'codex-1');
    place.write(entry('assistant', [{ type: 'text', text: 'It is handed off.' }]));
    await place.hook('Stop');
    await eventually(place, { holder: 'codex-1', messages: expect.arrayContaining(['It is handed off.']) as string[] });
    const { rows } = await database.pool.query(
      'SELECT a.agent_id AS agent FROM turns t JOIN agent_sessions a ON a.id = t.agent_session_id WHERE t.session_id = $1 ORDER BY t.index',
      [await idOf(place)],
    );
    expect(rows).toEqual([{ agent: 'claude-1' }, { agent: 'claude-1' }]);
    await run(acceptHandoff, { handoffId });

    place.write(entry('user', 'And now?'));
    await place.hook('Stop');
    await vi.waitFor(() => expect(place.logged()).toEqual([expect.stringMatching(/'codex-1' holds session/)]), {
      timeout: 60_000,
    });
  });

  it('names the session of its folder in calls that name none, for work that the agent holds', async () => {
    const [place, other] = [workplace(url), workplace(url)];
    const call = async (of: Place, tool: string, input: object = {}) =>
      of.hook('PreToolUse', { tool_name: `mcp__baton__${tool}`, tool_input: input });
    await place.hook('SessionStart');
    await other.hook('SessionStart');
    const id = encodeId('session', await idOf(place));
    // Claude Code asks the user as ever.
    expect(await call(place, 'baton_note', { text: 'Found' })).toEqual({
      code: 0,
      context: null,
      hookEventName: 'PreToolUse',
      updatedInput: { text: 'Found', session: id },
      stderr: '',
    });
    expect(await call(place, 'baton_handoff', { target: 'codex-1' })).toMatchObject({
      updatedInput: { target: 'codex-1', session: id },
    });
    for (const named of [{ session: 'session_1' }, { _handoff_session: 'session_1' }])
      expect(await call(place, 'baton_note', named)).toEqual({ code: 0, context: null, stderr: '' });
    await initiate(await idOf(other), 'codex-1');
    expect(await call(other, 'baton_note')).toEqual({ code: 0, context: null, stderr: '' });
  });

  it('records the working tree of its repository in the handoff, and tells the next agent how its own files differ', async () => {
    const place = workplace(url);
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], { cwd: place.folder });
    git('init', '-q', '-b', 'main');
    writeFileSync(join(place.folder, 'fence.txt'), 'one\n');
    git('add', '.');
    git('commit', '-qm', 'Begin');
    const commit = git('rev-parse', 'HEAD').toString().trim();
    writeFileSync(join(place.folder, 'fence.txt'), 'one\ntwo\n');
    writeFileSync(join(place.folder, 'a "gate".txt'), '');
    place.write(entry('user', 'Hand it off.'));
    await place.hook('PreToolUse', { tool_name: 'mcp__baton__baton_handoff', tool_input: { target: 'codex-1' } });
    const { handoffId } = await initiate(await idOf(place), 'codex-1', { reason: 'Paint it' });
    const { rows } = await database.pool.query<{ tree: object }>(
      "SELECT context -> 'workingTree' AS tree FROM handoffs WHERE id = $1",
      [handoffId],
    );
    expect(rows[0]!.tree).toMatchObject({
      branch: 'main',
      commit,
      status: ' M fence.txt\n?? "a \\"gate\\".txt"',
      diffstat: expect.stringMatching(/fence\.txt \| 1 \+/) as string,
      agentId: 'claude-1',
    });
    const start = async () => (await place.hook('SessionStart', {}, { agent: 'codex-1' })).context;
    const same = await start();
    expect(same).toMatch(/^The handoff handoff_\w+ of this work waits for you, agent codex-1, reason.*"Paint it"/);
    expect(same).not.toContain('differ');
    // The prompt comes once, with baton_accept.
    expect(same).not.toContain('# Handoff from');
    git('commit', '-qam', 'Two');
    writeFileSync(join(place.folder, 'more.txt'), '');
    expect(await start()).toMatch(
      /The files of your folder differ from those that were recorded at \S+: the commit; 1 of the changes that were there are not here; 1 change is here that was not there\./,
    );
    expect(place.logged()).toEqual([]);
  });

  it('takes three requests, one after the other, and two when nothing is new: each may take 1.5 s', async () => {
    const asked: string[] = [];
    const server = await listen(
      createServer((request, response) => {
        void passOn(url, request, response).then((body) => {
          if (request.method === 'POST') asked.push(/Hook\w+/.exec(body.toString())?.[0] ?? 'transcript');
        });
      }),
    );
    const place = workplace(server);
    execFileSync('git', ['init', '-q', '-b', 'main'], { cwd: place.folder });
    await place.hook('SessionStart');
    place.write(entry('user', 'Hand it off.'));
    const call = async (): Promise<string[]> => {
      asked.length = 0;
      await handOff(place);
      // The first start of a day also looks for idle sessions.
      return asked.filter((each) => each !== 'HookIdle');
    };
    expect(await call()).toEqual(['HookSession', 'transcript', 'HookTree']);
    expect(await call()).toEqual(['HookSession', 'HookTree']);
  });

  it('is forbidden with the reason until the log is read to its end, and then hands off with all of it', async () => {
    let goOn: () => void = () => undefined;
    const isFast = new Promise<void>((resolve) => (goOn = resolve));
    const slow = await listen(
      createServer((request, response) => {
        const isReady = request.url!.includes('/transcript') ? isFast : Promise.resolve();
        // Some are gone by then.
        void isReady.then(() => passOn(url, request, response)).catch(() => undefined);
      }),
    );
    const place = workplace(slow, { wait: '1500' });
    await vi.waitFor(async () => expect((await place.hook('SessionStart')).context).toMatch(/^You work/), {
      timeout: 60_000,
    });
    place.write(entry('user', 'Hand it off.'), entry('assistant', [{ type: 'text', text: 'I hand off.' }]));
    for (let n = 0; n < 2; n += 1)
      expect(await handOff(place)).toMatchObject(forbidden(/^Baton has read 0 of 1 KB of this conversation/));
    expect(await sessionOf(place)).toMatchObject({ messages: [] });
    goOn();
    await vi.waitFor(
      async () =>
        expect((await handOff(place)).updatedInput).toEqual({
          target: 'x',
          session: encodeId('session', await idOf(place)),
        }),
      { timeout: 60_000 },
    );
    expect(await sessionOf(place)).toMatchObject({ messages: ['Hand it off.', 'I hand off.'] });
  });

  it('is forbidden once when Baton refuses the log, with the reason and the way out', async () => {
    const refusing = await listen(
      createServer((request, response) => {
        if (!request.url!.includes('/transcript')) return void passOn(url, request, response);
        request.resume();
        response.writeHead(400, { 'content-type': 'application/json' });
        response.end('{"errors":[{"message":"Line 3 is no JSON","extensions":{"code":"BAD_USER_INPUT"}}]}');
      }),
    );
    const place = workplace(refusing);
    await place.hook('SessionStart');
    place.write(entry('user', 'Hand it off.'));
    expect(await handOff(place)).toMatchObject(
      forbidden(/did not record your turn \(BAD_USER_INPUT: Line 3 is no JSON\).*call the tool again/),
    );
    expect(await handOff(place)).toMatchObject({ updatedInput: { target: 'x' } });
  });

  it('is forbidden once while Baton does not answer the hook: over MCP it may, and the turn would be missing', async () => {
    const place = workplace('http://127.0.0.1:1');
    place.write(entry('user', 'Hand it off.'));
    expect(await handOff(place)).toMatchObject(
      forbidden(/did not record your turn \(.*ECONNREFUSED.*call the tool again/),
    );
    expect(await handOff(place)).toEqual({ code: 0, context: null, stderr: '' });
  });

  it('leaves other tools alone', async () => {
    const place = workplace(url);
    place.write(entry('user', 'Dig.'));
    await place.hook('PreToolUse', { tool_name: 'Bash' });
    expect(await sessionOf(place)).toBeNull();
  });
});
