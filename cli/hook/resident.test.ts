import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { delimiter, join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { bundled } from '../../test/bundle.ts';
import { testDatabase } from '../../test/database.ts';
import { listen, passOn, workplace } from '../../test/hooks.ts';
import { startApp } from '../../test/server.ts';
import { world } from '../../test/world.ts';
import { temporaryFolder } from '../../test/temporary.ts';

// Every case starts processes.
vi.setConfig({ testTimeout: 120_000 });

const database = await testDatabase();
const { url } = await startApp(database);
const agents = ['claude-1', 'claude-2', 'claude-3'];
beforeAll(async () => {
  for (const id of agents) await world(database.pool).agent(id, { maxCapacity: 1_000 });
});

type Place = ReturnType<typeof workplace>;
const states: string[] = [];

/** A state folder with a process that stays. */
async function residence(): Promise<{ state: string; pid: number }> {
  const state = temporaryFolder('baton-state');
  states.push(state);
  expect(await workplace(url, { state }).hook('Stop', {}, { script: true })).toMatchObject({ code: 0 });
  await vi.waitFor(() => expect(existsSync(join(state, 'baton/hook.sock'))).toBe(true), { timeout: 60_000 });
  return { state, pid: residents(state)[0]! };
}

/** The processes that stay for a state folder. */
const residents = (state: string): number[] =>
  readdirSync('/proc').flatMap((pid) => {
    try {
      const isResident = readFileSync(`/proc/${pid}/cmdline`, 'utf8').endsWith('\0hook\0resident\0');
      const isOurs = readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`XDG_STATE_HOME=${state}\0`);
      return isResident && isOurs ? [Number(pid)] : [];
    } catch {
      return [];
    }
  });

afterEach(() => {
  for (const pid of states.splice(0).flatMap(residents)) process.kill(pid, 'SIGKILL');
});

const script = { script: true };

it('answers every event as a process of its own does, whatever came before', async () => {
  const { state, pid } = await residence();
  const event = fc.oneof(
    fc.constantFrom(
      { name: 'SessionStart', source: 'startup' },
      { name: 'SessionStart', source: 'resume' },
      { name: 'UserPromptSubmit' },
      { name: 'Stop' },
      { name: 'PreToolUse', tool_name: 'mcp__baton__baton_note', tool_input: { text: 'Found' } },
      { name: 'Unknown' },
    ),
    fc.record({ name: fc.constant('UserPromptSubmit'), prompt: fc.string({ unit: 'binary', maxLength: 300 }) }),
  );
  // What it proposes comes from the background, before a later event or after it.
  const last = fc.constantFrom([], [{ name: 'PreCompact' }]);
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 2, maxLength: 5 }), last, async (before, after) => {
      const events = [...before, ...after];
      const [one, other] = [workplace(url, { state }), workplace(url)];
      const said = async (place: Place, isScript: boolean): Promise<string[]> => {
        const all: string[] = [];
        for (const { name, ...more } of events) {
          const { stderr, ...answer } = await place.hook(name, more, { script: isScript });
          expect(stderr).toBe('');
          all.push(JSON.stringify(answer).replaceAll(/session_\w{26}/g, 'session'));
        }
        return all;
      };
      expect(await said(one, true)).toEqual(await said(other, false));
    }),
    { numRuns: 4, endOnFailure: true },
  );
  expect(residents(state)).toEqual([pid]);
});

it('serves programs at once, each with its own key, agent, folder and server', async () => {
  const asked = new Map<string, Set<string | undefined>>();
  const recording = async (name: string): Promise<string> => {
    asked.set(name, new Set());
    return listen(
      createServer((request, response) => {
        if (request.url === '/graphql') asked.get(name)!.add(request.headers.authorization);
        void passOn(url, request, response);
      }),
    );
  };
  const { state } = await residence();
  const places = await Promise.all(
    agents.map(async (agent) => ({
      agent,
      place: workplace(await recording(agent), { state, agent, key: `key-of-${agent}` }),
    })),
  );
  const answers = await Promise.all(places.map(({ place }) => place.hook('SessionStart', {}, script)));
  expect(answers.map(({ context }) => /^You work as agent (\S+)\./.exec(context!)![1])).toEqual(agents);
  expect([...asked]).toEqual(agents.map((agent) => [agent, new Set([`Bearer key-of-${agent}`])]));
  const ids = answers.map(({ context }) => /session_\w+/.exec(context!)![0]);
  expect(new Set(ids).size).toBe(3);
});

it('says again what nothing has read', async () => {
  const { state } = await residence();
  const place = workplace(url, { state });
  await place.hook('UserPromptSubmit', {}, { ...script, closed: true });
  const { context } = await place.hook('UserPromptSubmit', {}, script);
  expect(context).toMatch(/^You work as agent claude-1/);
  expect((await place.hook('UserPromptSubmit', {}, script)).context).toBeNull();
});

describe('without a process that stays', () => {
  const says = async (place: Place, env: Record<string, string> = {}): Promise<void> =>
    expect((await place.hook('SessionStart', { source: 'resume' }, { ...script, env })).context).toMatch(
      /^You work as/,
    );

  it('answers the same when it was killed, and starts another', async () => {
    const { state, pid } = await residence();
    const place = workplace(url, { state });
    process.kill(pid, 'SIGKILL');
    await vi.waitFor(() => expect(residents(state)).toEqual([]));
    await says(place);
    await vi.waitFor(() => expect(residents(state)).toHaveLength(1), { timeout: 60_000 });
    await says(place);
  });

  it('answers the same without curl, and starts none', async () => {
    const state = temporaryFolder('baton-state');
    states.push(state);
    const programs = join(state, 'bin');
    execFile('mkdir', [programs]);
    await vi.waitFor(() => expect(existsSync(programs)).toBe(true));
    for (const name of ['sh', 'cat', 'git']) {
      const found = process.env['PATH']!.split(delimiter).map((folder) => join(folder, name));
      symlinkSync(
        found.find((path) => existsSync(path))!,
        join(programs, name),
      );
    }
    await says(workplace(url, { state }), { PATH: programs });
    expect(residents(state)).toEqual([]);
  });

  it('answers the same for another Node and where no socket can be', async () => {
    const { state, pid } = await residence();
    const place = workplace(url, { state });
    const [loaded, trace] = [join(state, 'loaded.cjs'), join(state, 'loaded')];
    writeFileSync(loaded, `require('node:fs').writeFileSync(${JSON.stringify(trace)}, '')`);
    await says(place, { NODE_OPTIONS: `--require "${loaded}"` });
    expect([residents(state), existsSync(trace)]).toEqual([[pid], true]);
    const long = join(state, 'x'.repeat(120));
    states.push(long);
    await says(workplace(url, { state: long }));
    expect(residents(long)).toEqual([]);
    const { context } = await workplace(url, { state: '/proc/nowhere' }).hook('SessionStart', {}, script);
    expect(context).toContain('The folder /proc/nowhere/baton/hooks cannot be made');
  });
});

it('ends when its program is another one, after which the next hook starts anew', async () => {
  const { state, pid } = await residence();
  const program = await bundled('cli/baton.ts');
  const place = workplace(url, { state });
  utimesSync(program, new Date(), new Date());
  expect((await place.hook('SessionStart', {}, script)).context).toMatch(/^You work as/);
  await vi.waitFor(() => expect(residents(state)).not.toContain(pid), { timeout: 60_000 });
  await place.hook('UserPromptSubmit', {}, script);
  await vi.waitFor(() => expect(residents(state)).toHaveLength(1), { timeout: 60_000 });
});
