import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { entry, hookProcess, listen, passOn, workplace } from '../../test/hooks.ts';
import { hookServer } from '../../test/hookServer.ts';

const { url, eventually } = await hookServer();

describe('without Baton', async () => {
  const dead = 'http://127.0.0.1:1';
  // Accepts requests and never answers.
  const hanging = await listen(createServer(() => undefined));
  const failing = await listen(createServer((_request, response) => response.writeHead(500).end('oops')));

  it.each([
    ['nothing listens', dead, /nothing answers .* \(ECONNREFUSED\)/],
    ['Baton answers 500', failing, /answered 500/],
  ])('exits with 0 and logs one line when %s, and sends the turn next time', async (_what, away, line) => {
    const place = workplace(away);
    expect(await place.hook('SessionStart')).toEqual({ code: 0, context: null, stderr: '' });
    expect(place.logged()).toEqual([expect.stringMatching(line)]);
    place.write(entry('user', 'Dig.'), entry('assistant', [{ type: 'text', text: 'Dug.' }]));
    expect(await place.hook('Stop')).toEqual({ code: 0, context: null, stderr: '' });
    await vi.waitFor(() => expect(place.logged()).toEqual([expect.anything(), expect.stringMatching(line)]), {
      timeout: 60_000,
    });
    place.moveTo(url);
    place.write(entry('user', 'Water.'), entry('assistant', [{ type: 'text', text: 'Wet.' }]));
    await place.hook('Stop');
    await eventually(place, { turns: 2, messages: ['Dig.', 'Dug.', 'Water.', 'Wet.'] });
  });

  it.each([
    ['hangs', null],
    ['answers 500', 500],
    ['is not ready', 503],
  ])('asks a server that %s once, and says what it could not say when the server is back', async (_what, status) => {
    const asked: string[] = [];
    let isBack = false;
    const server = await listen(
      createServer((request, response) => {
        asked.push(`${request.method} ${request.url}`);
        if (isBack) void passOn(url, request, response);
        else if (status !== null) response.writeHead(status).end();
      }),
    );
    const place = workplace(server, { wait: null });
    let ofFirst = 0;
    for (const event of ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'UserPromptSubmit']) {
      expect(await place.hook(event, { tool_name: 'mcp__baton__baton_handoff' })).toMatchObject({
        code: 0,
        context: null,
        stderr: '',
      });
      ofFirst ||= asked.length;
    }
    expect(asked.slice(ofFirst).filter((line) => line === 'POST /graphql')).toEqual([]);
    expect(place.logged()).toHaveLength(1);
    isBack = true;
    if (status === null) place.forgetServer();
    await vi.waitFor(
      async () => expect((await place.hook('UserPromptSubmit')).context).toMatch(/^You work as agent claude-1\./),
      { timeout: 60_000, interval: 100 },
    );
    expect((await place.hook('UserPromptSubmit')).context).toBeNull();
  });

  it('says again what a tool did not read', async () => {
    const place = workplace(url);
    await place.hook('SessionStart', {}, { closed: true });
    expect((await place.hook('UserPromptSubmit')).context).toMatch(/^You work as agent claude-1\./);
  });

  it.each(['/proc/nowhere', '/dev/null', '/proc/1/state'])(
    'ends, and tells the model that nothing is recorded, when its state cannot be kept in %s',
    async (state) => {
      const place = workplace(url);
      const env = { XDG_STATE_HOME: state };
      for (const event of ['SessionStart', 'UserPromptSubmit'])
        expect(await place.hook(event, {}, { env })).toMatchObject({
          code: 0,
          context: expect.stringMatching(
            /^Nothing of this work is recorded in Baton.* cannot be (made|used)/,
          ) as string,
          stderr: '',
        });
      expect(await place.hook('Stop', {}, { env })).toEqual({ code: 0, context: null, stderr: '' });
    },
  );

  it('does not wait for a server that hangs', async () => {
    const place = workplace(hanging);
    const state = { XDG_STATE_HOME: join(place.transcript, '../state') };
    // The server never answers: that these end at all is the promise.
    for (const event of ['SessionStart', 'UserPromptSubmit', 'Stop', 'PreToolUse']) {
      const input = JSON.stringify({
        hook_event_name: event,
        cwd: place.folder,
        transcript_path: place.transcript,
        tool_name: 'mcp__baton__baton_handoff',
      });
      expect(await hookProcess(['hook', 'claude-code', '--url', hanging], input, state)).toEqual({
        code: 0,
        stdout: event === 'PreToolUse' ? (expect.stringContaining('Baton does not answer') as string) : '',
        stderr: '',
      });
    }
    expect(readFileSync(join(state.XDG_STATE_HOME, 'baton/hook.log'), 'utf8')).toMatch(/did not answer in time/);
  });
});
