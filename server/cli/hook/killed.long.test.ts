import fc from 'fast-check';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { calls, entry, resultOf, workplace } from '../../../test/hooks.ts';
import { hookServer } from '../../../test/hookServer.ts';

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

const step = fc.record({
  event: fc.constantFrom('SessionStart', 'UserPromptSubmit', 'PreToolUse', 'Stop', 'Stop'),
  victims: fc.constantFrom<Kind[]>(['hook'], ['background'], ['resident'], ['hook', 'background', 'resident']),
  after: fc.integer({ min: 0, max: 900 }),
  script: fc.boolean(),
});

it('loses and doubles nothing when hooks, their imports and the process that stays are killed at any moment', async () => {
  let killed = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 6 }), async (steps) => {
      const place = workplace(url);
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
        for (const [n, { event, victims, after, script }] of steps.entries()) {
          if (event === 'Stop' || event === 'PreToolUse') turn(n);
          const more = { source: 'resume', tool_name: 'mcp__baton__baton_handoff', tool_input: { target: 'codex-1' } };
          // What a killed hook printed may be cut.
          const hook = place.hook(event, more, { script }).catch(() => undefined);
          await delay(after);
          killed += kill(state, victims);
          await hook;
        }
        // Nothing is killed any more.
        turn(steps.length);
        await place.hook('SessionStart', { source: 'resume' });
        await place.hook('Stop');
        await eventually(place, expected);
        await vi.waitFor(() => expect(processesOf(state).filter(({ kind }) => kind !== 'resident')).toEqual([]), {
          timeout: 60_000,
        });
        expect(await sessionOf(place)).toMatchObject({ holder: 'claude-1', ...expected });
      } finally {
        kill(state, ['hook', 'background', 'resident']);
      }
    }),
    { numRuns: 8, endOnFailure: true },
  );
  expect(killed).toBeGreaterThan(0);
});
