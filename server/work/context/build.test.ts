import { describe, expect, it } from 'vitest';
import { byUser, someSources } from '../../../test/contexts.ts';
import { ran } from '../../../test/recordedLogs.ts';
import { buildContext, contentHash, type BuildInput } from './build.ts';
import { isOwnVariable, mergeVariables } from './context.ts';
import { itemsOf } from './items.ts';
import { pack } from './pack.ts';
import { piecesOf } from './sections.ts';
import type { Sources } from './sources.ts';

const sources = someSources;
const input: BuildInput = { summary: null, variables: {}, instructions: null };

describe('a Context', () => {
  it('holds the unfinished tasks in their order', () => {
    expect(buildContext(sources(), input).pendingTasks).toEqual(['fix it', 'tell people']);
  });

  const completed = {
    sequence: 9,
    role: 'ASSISTANT' as const,
    content: `All of it is done: ${'the tables are one, and the readers know it. '.repeat(4)}`,
    shortened: false,
    agentId: 'ada',
  };

  it('holds no task that was begun before the agent said that all is done, unless others wait', () => {
    const begun = { content: 'run the tests', status: 'IN_PROGRESS' as const, sequence: 3 };
    const other = { content: 'tell people', status: 'PENDING' as const, sequence: 3 };
    const left = (fields: Partial<Sources>): string[] =>
      buildContext(sources({ tools: [], lastAssistant: completed, ...fields }), input).pendingTasks;
    expect(left({ tasks: [begun] })).toEqual([]);
    expect(left({ tasks: [begun, other] })).toEqual(['run the tests', 'tell people']);
    expect(left({ tasks: [{ ...begun, sequence: 9 }] })).toEqual(['run the tests']);
    expect(left({ tasks: [begun], lastAssistant: { ...completed, content: 'Done.' } })).toEqual(['run the tests']);
  });

  it('holds what is open in the files that the agent wrote, unless files or tasks are withheld, and counts no tasks that it does not know', () => {
    const calls = [ran('a', "cat <<'EOF' > plan.md\n- [x] one\n- [ ] two\nEOF")];
    const build = (withheld: Partial<BuildInput>) =>
      buildContext(sources({ calls, tasks: [] }), { ...input, ...withheld });
    const context = build({});
    const move = { title: '', sourceAgentId: null, targetAgentId: null, lastSpeaker: null, chain: [], leftOut: null };
    const text = pack(itemsOf(context, { reason: null }), move, { maxTokens: 2_000, maxCharacters: null }).text;
    expect(text).toContain('## Open in files that the agent wrote (1)\n```\n- plan.md (1 open): two\n```');
    expect(text).not.toContain('Tasks left');
    expect(build({ tasksWithheld: true })).not.toHaveProperty('openBoxes');
    expect(build({ filesWithheld: true })).not.toHaveProperty('openBoxes');
  });

  it('holds what failed and what worked instead, which a prompt tells apart from what never worked', () => {
    const calls = [
      ran('a', 'git push', { error: 'Exit code 1\nfatal: no upstream' }),
      ran('b', 'git push -u origin x'),
      ran('c', './deploy', { error: 'Exit code 1\nerror: no key' }),
    ];
    const context = buildContext(sources({ calls }), input);
    expect(context.solved).toMatchObject([{ what: 'git push', worked: 'git push -u origin x' }]);
    const pieces = piecesOf(itemsOf(context, { reason: null }), { lastSpeaker: null, leftOut: null });
    expect(
      pieces.flatMap(({ item, section, full }) => (item.kind === 'FAILED_ATTEMPT' ? [[section, full]] : [])),
    ).toEqual([
      [{ title: 'Failed and not repeated with success', list: true, total: 1 }, '- ./deploy (call c) -> error: no key'],
      [
        { title: 'Failed, and what worked instead', list: true, total: 1 },
        '- git push (call a) -> fatal: no upstream; worked: git push -u origin x',
      ],
    ]);
  });

  it('tells what worked instead in little room too, rather than the whole of the error', () => {
    const calls = [
      ran('a', 'git push', { error: `Exit code 1\nfatal: ${'there is no upstream for this branch '.repeat(4)}` }),
      ran('b', 'git push -u origin x'),
    ];
    const pieces = piecesOf(itemsOf(buildContext(sources({ calls }), input), { reason: null }), {
      lastSpeaker: null,
      leftOut: null,
    });
    const [piece] = pieces.filter(({ item }) => item.kind === 'FAILED_ATTEMPT');
    for (let characters = 40; characters < piece!.full.length; characters += 1) {
      const short = piece!.short(characters);
      expect(short.length).toBeLessThanOrEqual(characters);
      if (characters >= 80) expect(short).toContain('; worked: git push -u origin x');
    }
  });

  it('holds no message of an agent from before the summary of a cut window, but its last words before a person’s while the summary is still true', () => {
    const compaction = { sequence: 6, role: 'SYSTEM' as const, content: 'So far: half of it.', shortened: false };
    const byUsers = [byUser(1, 'Fix the login'), byUser(4, 'and the logout')];
    const recent = [
      { sequence: 2, role: 'ASSISTANT' as const, content: 'The cookie has no domain.' },
      { sequence: 3, role: 'ASSISTANT' as const, content: 'The login is fixed because it has one now.' },
      { sequence: 5, role: 'ASSISTANT' as const, content: 'The logout has another cookie.' },
      { sequence: 7, role: 'ASSISTANT' as const, content: 'It has two of them.' },
    ];
    const told = (last: typeof completed): number[] =>
      buildContext(sources({ byUsers, recent, compaction, lastAssistant: last }), input)
        .recentMessages.filter(({ role }) => role === 'ASSISTANT')
        .map(({ sequence }) => sequence!);
    expect(told({ ...completed, content: 'It is red.' })).toEqual([3, 7, 9]);
    expect(told(completed)).toEqual([7, 9]);
  });

  it('names no files in which programs of agents keep plans and notes of their own', () => {
    const files = ['/home/ada/.claude/plans/x.md', '.claude/plans/y.md', '.claude/agents/z.md', 'docs/plans/w.md'];
    expect(buildContext(sources({ files, calls: [] }), input).filesModified).toEqual(files.slice(2));
  });

  it('composes a summary from the log when the caller gives none', () => {
    expect(buildContext(sources(), input).summary).toBe(
      '"Fix the login": 2 turns so far, 3 tool calls (1 failed). 2 files changed, last b.ts. 2 tasks left, next: fix it. Last decision: wait for the cookie.',
    );
    expect(buildContext(sources({ turns: 1, tools: [], files: [], tasks: [], decisions: [] }), input).summary).toBe(
      '"Fix the login": 1 turn so far. No file was changed.',
    );
  });

  it('keeps the summary that the caller gives', () => {
    expect(buildContext(sources(), { ...input, summary: 'half done' }).summary).toBe('half done');
  });

  it('always holds the last assistant message, even when later messages would fill the budget', () => {
    const talk = Array.from({ length: 20 }, (_, n) => ({
      sequence: 100 + n,
      role: 'ASSISTANT' as const,
      content: 'x'.repeat(1_900),
    }));
    const context = buildContext(
      sources({
        recent: talk,
        lastAssistant: { sequence: 2, role: 'ASSISTANT', content: 'my last words', shortened: false, agentId: 'ada' },
      }),
      input,
    );
    expect(context.recentMessages.slice(0, 2)).toMatchObject([
      { role: 'USER' },
      { role: 'ASSISTANT', content: 'my last words' },
    ]);
    expect(context.recentMessages.slice(2).every(({ content }) => content === 'x'.repeat(1_900))).toBe(true);
    expect(context.recentMessages.length).toBeGreaterThan(3);
  });

  it('holds every message of a user that carries a request, whatever agents wrote later', () => {
    const byUsers = [
      byUser(1, 'Fix the login'),
      byUser(2, '/exit'),
      ...Array.from({ length: 40 }, (_, n) => byUser(3 + n, `step ${n}`)),
    ];
    const talk = Array.from({ length: 20 }, (_, n) => ({
      sequence: 100 + n,
      role: 'ASSISTANT' as const,
      content: 'x'.repeat(1_900),
    }));
    const { recentMessages } = buildContext(sources({ byUsers, recent: talk }), input);
    expect(recentMessages.filter(({ role }) => role === 'USER').map(({ sequence }) => sequence)).toEqual([
      1,
      ...Array.from({ length: 40 }, (_, n) => 3 + n),
    ]);
  });

  it('lists context variables by name with the principal that set each last', () => {
    const variables = mergeVariables(mergeVariables({}, { b: 1, a: { deep: true } }, 'operator'), { b: 2 }, 'claude-1');
    expect(
      buildContext(sources(), { ...input, variables }).contextVariables.filter((variable) => !isOwnVariable(variable)),
    ).toEqual([
      { name: 'a', value: { deep: true }, setBy: 'operator' },
      { name: 'b', value: 2, setBy: 'claude-1' },
    ]);
  });
});

describe('the requests and the last message of a Context', () => {
  it('are the original request, a later one if there is one, and the last assistant message with its agent', () => {
    const context = buildContext(sources({ byUsers: [byUser(1, 'please fix it'), byUser(5, 'and now this')] }), input);
    expect(context.originalRequest).toEqual({
      sequence: 1,
      content: 'please fix it',
      shortened: false,
      agentId: null,
      recordedBy: null,
    });
    expect(context.latestRequest).toMatchObject({ sequence: 5, content: 'and now this' });
    expect(context.lastMessage).toMatchObject({ sequence: 2, content: 'done', shortened: false, agentId: 'ada' });
    expect(buildContext(sources(), input).latestRequest).toBeNull();
    expect(buildContext(sources({ byUsers: [], lastAssistant: null, recent: [] }), input)).toMatchObject({
      originalRequest: null,
      latestRequest: null,
      lastMessage: null,
    });
  });

  it('include the summary of a compaction, which becomes the request when no user message has one', () => {
    const compaction = { sequence: 3, role: 'SYSTEM' as const, content: 'So far: half of it.', shortened: false };
    expect(buildContext(sources({ compaction }), input)).toMatchObject({
      originalRequest: { sequence: 1 },
      compactionSummary: { sequence: 3, content: 'So far: half of it.' },
    });
    const continued = buildContext(sources({ compaction, byUsers: [byUser(1, '/login')] }), input);
    expect(continued).toMatchObject({
      originalRequest: { sequence: 3, content: 'So far: half of it.' },
      latestRequest: null,
      compactionSummary: null,
    });
  });

  it('name the agent that recorded a request as a user message', () => {
    const context = buildContext(
      sources({ byUsers: [byUser(1, 'please fix it'), byUser(5, 'and now this', 'eve')] }),
      input,
    );
    expect(context.originalRequest).toMatchObject({ sequence: 1, recordedBy: null });
    expect(context.latestRequest).toMatchObject({ sequence: 5, recordedBy: 'eve' });
    expect(context.recentMessages.map(({ recordedBy }) => recordedBy)).toEqual([undefined, undefined, 'eve']);
  });

  it('come with counts of what the Context leaves out', () => {
    const totals = {
      messages: 90,
      userMessages: 1,
      decisions: 101,
      files: 700,
      tools: 120,
      calls: 450,
      lastCalls: 30,
      unansweredCalls: 2,
    };
    const { leftOut } = buildContext(sources({ totals }), input);
    expect(leftOut).toEqual({
      tasks: 0,
      decisions: 100,
      files: 698,
      tools: 119,
      calls: 447,
      unansweredCalls: 2,
      messages: 88,
      shortened: 0,
    });
    expect(buildContext(sources(), input).leftOut).toEqual({
      tasks: 0,
      decisions: 0,
      files: 0,
      tools: 0,
      calls: 0,
      unansweredCalls: 0,
      messages: 0,
      shortened: 0,
    });
  });
});

describe('the variables that Baton sets', () => {
  const own = (given: Partial<BuildInput>) =>
    Object.fromEntries(
      buildContext(sources(), { ...input, ...given })
        .contextVariables.filter(isOwnVariable)
        .map(({ name, value, setBy }) => [name, [value, setBy]]),
    );

  it('hold source, target, depth, reason and the chain of agents', () => {
    expect(own({ passage: { to: 'bob', depth: 3, reason: null } })).toEqual({
      _handoff_chain: [['ada', 'bob'], 'baton'],
      _handoff_depth: [3, 'baton'],
      _handoff_from: ['ada', 'baton'],
      _handoff_reason: [null, 'baton'],
      _handoff_to: ['bob', 'baton'],
    });
  });

  it('hold only the known values in a preview', () => {
    expect(own({})).toEqual({ _handoff_chain: [['ada'], 'baton'], _handoff_from: ['ada', 'baton'] });
  });
});

describe('the content hash', () => {
  const hash = (fields: Partial<Sources> = {}, given: Partial<BuildInput> = {}): string => {
    const from = sources(fields);
    const summary = given.summary ?? null;
    return contentHash(buildContext(from, { ...input, ...given }), summary, from.lastAgentTurnHash);
  };

  it('stays equal while the content for the next agent is the same', () => {
    expect(hash()).toBe(hash());
    // More turns, the same words: a composed summary differs, what it tells does not.
    expect(hash({ turns: 7 })).toBe(hash());
  });

  it.each([
    ['a file', { files: ['c.ts'] }, {}],
    ['a task', { tasks: [] }, {}],
    ['a decision', { decisions: [] }, {}],
    ['the last turn of an agent', { lastAgentTurnHash: 'other' }, {}],
    ['a variable', {}, { variables: { a: { value: 1, setBy: 'x' } } }],
    ['the summary of the caller', {}, { summary: 'new' }],
  ])('changes with %s', (_what, fields, given) => {
    expect(hash(fields, given)).not.toBe(hash());
  });

  it('does not change with the variables that Baton sets', () => {
    expect(hash({}, { passage: { to: 'bob', depth: 2, reason: 'because' } })).toBe(
      hash({}, { passage: { to: 'bob', depth: 4, reason: 'once more' } }),
    );
  });

  it('does not change with the principal that set a variable', () => {
    expect(hash({}, { variables: { a: { value: 1, setBy: 'x' } } })).toBe(
      hash({}, { variables: { a: { value: 1, setBy: 'y' } } }),
    );
  });
});
