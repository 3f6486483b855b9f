import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { workspaceId } from '../../server/core/workspace.ts';
import { handoffOfPrompt, isBatonPrompt } from '../../server/work/log/transcripts/batonPrompt.ts';
import { givenTo } from './given.ts';

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const here = {
  id: workspaceId('box', '/srv/baton'),
  host: 'box',
  folder: '/srv/baton',
  repository: null,
  branch: 'main',
  commit: null,
};
const given = (text: string, title = 'A title', history: Parameters<typeof givenTo>[3] = null) =>
  givenTo(
    'codex-1',
    'http://127.0.0.1:4000',
    {
      id: 'handoff_01m82tr28ceyasx65gfkrd9xkj',
      sourceAgent: { id: 'claude-1' },
      session: { id: 'session_01m82tr1mafdfaeqqchwj6dz55', title },
      targetAgentSession: { traceparent },
      contextPrompt: { text },
    },
    history,
    here,
  );

it('names agent, session and handoff before the prompt, and recognises that later', () => {
  const { prompt } = given('# Handoff from claude-1 to codex-1');
  expect(prompt).toMatch(
    /^You are agent codex-1 of Baton\. You took session session_01m82tr1mafdfaeqqchwj6dz55 over by handoff handoff_01m82tr28ceyasx65gfkrd9xkj\./,
  );
  expect(prompt).toMatch(/\n\n# Handoff from claude-1 to codex-1\n$/);
  expect([isBatonPrompt(prompt), handoffOfPrompt(`{"content":"${prompt}"}`)]).toEqual([
    true,
    'handoff_01m82tr28ceyasx65gfkrd9xkj',
  ]);
});

it('recognises the first prompt of a text that quotes another', () => {
  const inner = given('Inner').prompt.replace('handoff_01m82tr28', 'handoff_01m82tr29');
  expect(handoffOfPrompt(given(inner).prompt)).toBe('handoff_01m82tr28ceyasx65gfkrd9xkj');
  expect(isBatonPrompt(`Look: ${inner}`)).toBe(false);
});

it('puts no recorded text into the environment', () => {
  const { env } = given('$(touch /tmp/x)', '`touch /tmp/x`');
  expect(env).toEqual({
    BATON_URL: 'http://127.0.0.1:4000',
    BATON_AGENT: 'codex-1',
    BATON_SESSION: 'session_01m82tr1mafdfaeqqchwj6dz55',
    BATON_HANDOFF: 'handoff_01m82tr28ceyasx65gfkrd9xkj',
    // Those of a command around this one do not count.
    BATON_RESUME: '',
    BATON_TRANSCRIPT: '',
    TRACEPARENT: traceparent,
    TRACESTATE: '',
  });
  expect(execFileSync('sh', ['-c', 'echo $BATON_SESSION'], { env, encoding: 'utf8' })).toBe(
    'session_01m82tr1mafdfaeqqchwj6dz55\n',
  );
});

it('names the history that the command goes on with', () => {
  const { prompt, env } = given('Go on', 'A title', {
    id: 'id-1',
    path: '/home/me/id-1.jsonl',
    args: '--resume id-1',
    isWhole: true,
  });
  expect(env).toMatchObject({ BATON_RESUME: 'id-1', BATON_TRANSCRIPT: '/home/me/id-1.jsonl' });
  expect(prompt).toContain('The conversation before this message is the log of the session');
  expect([isBatonPrompt(prompt), handoffOfPrompt(prompt)]).toEqual([true, 'handoff_01m82tr28ceyasx65gfkrd9xkj']);
});

it.each([
  ['@/etc/passwd', '\\@/etc/passwd'],
  ['see @src/a.ts and\n@"b c.ts"', 'see \\@src/a.ts and\n\\@"b c.ts"'],
  ['(@a) `@b` 。@c', '(\\@a) `\\@b` 。\\@c'],
  ['\\@a', '\\@a'],
  ['me@example.org, @ once', 'me@example.org, @ once'],
])('writes %j so that Claude Code includes no file', (text, expected) => {
  expect(given(text).prompt).toContain(`\n\n${expected}\n`);
});
