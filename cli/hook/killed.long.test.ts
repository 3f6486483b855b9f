import fc from 'fast-check';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { calls, entry, listen, passOn, resultOf, workplace } from '../../test/hooks.ts';
import { hookServer } from '../../test/hookServer.ts';

const { url, sessionOf, eventually } = await hookServer();
vi.setConfig({ testTimeout: 570_000 });

type Kind = 'hook' | 'background' | 'resident';

/** Processes of hooks with this state folder: those that a tool waits for, those that import behind them, and the one that stays. */
const processesOf = (state: string): { pid: number; kind: Kind }[] =>
  readdirSync('/proc').flatMap((pid) => {
    try {
      if (!readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`XDG_STATE_HOME=${state}\0`)) return [];
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      if (command === '') return [];
      const kind = command.endsWith('\0hook\0resident\0')
        ? 'resident'
        : command.includes('\0--background\0')
          ? 'background'
          : 'hook';
      return [{ pid: Number(pid), kind }];
    } catch {
      return [];
    }
  });
const importing = (state: string) => processesOf(state).filter(({ kind }) => kind !== 'resident');
function kill(state: string, kinds: readonly Kind[]): number {
  let count = 0;
  for (const { pid, kind } of processesOf(state))
    if (kinds.includes(kind))
      try {
        process.kill(pid, 'SIGKILL');
        count += 1;
      } catch {
        // It has ended.
      }
  return count;
}

const events = ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'Stop'] as const;
const all: Kind[] = ['hook', 'background', 'resident'];
type Moment = { after: number } | { request: number | 'transcript'; done: boolean };
interface Step {
  event: (typeof events)[number];
  victims: Kind[];
  moment: Moment;
  /** As the settings of a tool start it. */
  script: boolean;
}
const step: fc.Arbitrary<Step> = fc.record({
  event: fc.constantFrom(...events),
  victims: fc.constantFrom<Kind[]>(all, ['hook'], ['background'], ['resident']),
  moment: fc.oneof(
    fc.record({ after: fc.integer({ min: 0, max: 900 }) }),
    // `done`: the server did it and the hook does not know; before the server has the request otherwise.
    fc.record({ request: fc.constantFrom<number | 'transcript'>(0, 1, 2, 'transcript'), done: fc.boolean() }),
  ),
  script: fc.boolean(),
});
/** Each event, killed at its first request and at its import. */
const eachEvent = [false, true].map((done): [Step[]] => [
  events.flatMap((event) =>
    ([0, 'transcript'] as const).map((request): Step => ({
      event,
      victims: all,
      moment: { request, done },
      script: done,
    })),
  ),
]);

it('loses and doubles nothing when hooks, their imports and the process that stays are killed at any moment', async () => {
  let killed = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 6 }), async (steps) => {
      let onRequest: (path: string, isDone: boolean) => boolean = () => false;
      const server = await listen(
        createServer((request, response) => {
          const isGone = new Promise<boolean>((resolve) => response.once('close', () => resolve(true)));
          const pass = async (): Promise<void> => {
            // All of it may be here, although its process is killed: it is as if it had not arrived.
            if (onRequest(request.url!, false) && (await Promise.race([isGone, delay(300, false)]))) return;
            await passOn(url, request, response, () => onRequest(request.url!, true));
          };
          void pass().catch(() => undefined);
        }),
      );
      const place = workplace(server);
      const state = join(dirname(place.transcript), 'state');
      const expected: { messages: string[]; calls: string[] } = { messages: [], calls: [] };
      const turn = (n: number): void => {
        place.write(
          entry('user', `Question ${n}`),
          calls('Bash', `call-${n}`, { command: 'dig' }),
          resultOf(`call-${n}`, 'ok'),
          entry('assistant', [{ type: 'text', text: `Answer ${n}` }]),
        );
        expected.messages.push(`Question ${n}`, `Answer ${n}`);
        expected.calls.push(`call-${n}: ok`);
      };
      try {
        for (const [n, { event, victims, moment, script }] of steps.entries()) {
          if (event === 'Stop' || event === 'PreToolUse') turn(n);
          const more = { source: 'resume', tool_name: 'mcp__baton__baton_handoff', tool_input: { target: 'codex-1' } };
          let asked = -1;
          onRequest = (path, isDone) => {
            if (!isDone) asked += 1;
            if (!('request' in moment) || isDone !== moment.done) return false;
            if (moment.request === 'transcript' ? !path.includes('/transcript') : asked !== moment.request)
              return false;
            const count = kill(state, victims);
            killed += count;
            return count > 0;
          };
          // What a killed hook printed may be cut.
          const hook = place.hook(event, more, { script }).catch(() => undefined);
          if ('after' in moment) {
            await delay(moment.after);
            killed += kill(state, victims);
          }
          await hook;
          await vi.waitFor(() => expect(importing(state)).toEqual([]), { timeout: 60_000 });
        }
        // Nothing is killed any more.
        onRequest = () => false;
        turn(steps.length);
        await place.hook('SessionStart', { source: 'resume' });
        await place.hook('Stop');
        await eventually(place, expected);
        await vi.waitFor(() => expect(importing(state)).toEqual([]), { timeout: 60_000 });
        expect(await sessionOf(place)).toMatchObject({ holder: 'claude-1', ...expected });
      } finally {
        kill(state, all);
      }
    }),
    { numRuns: 8, endOnFailure: true, examples: eachEvent },
  );
  expect(killed).toBeGreaterThan(0);
});
