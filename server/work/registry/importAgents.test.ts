import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { hashAllTables } from '../../../test/hash.ts';
import { brokenInvariants } from '../../../test/invariants.ts';
import { recordQueries } from '../../../test/queries.ts';
import { house, testRefusals } from '../../../test/refusals.ts';
import { startApp } from '../../../test/server.ts';
import { world } from '../../../test/world.ts';
import { archiveAgent } from '../agents/archiveAgent.ts';
import { setAgentStatus } from '../agents/setAgentStatus.ts';
import { updateAgent } from '../agents/updateAgent.ts';

const db = await testDatabase();
const { sent } = recordQueries(db.pool);
const { url } = await startApp(db);
const { post } = client(url);
const { agent, session, run } = world(db.pool);

interface Report {
  agents: { id: string; action: string; path: string }[];
  problems: { path: string; line: number | null; severity: string; message: string; suggestion: string | null }[];
}
interface Options {
  defaultType?: string | null;
  dryRun?: boolean;
}

/** Imports files, each given as path and content. */
async function load(
  files: Record<string, string>,
  { defaultType = 'CLAUDE', ...options }: Options = {},
): Promise<Report> {
  const input = { files: Object.entries(files).map(([path, content]) => ({ path, content })), defaultType, ...options };
  const { data, errors } = await post<{ importAgents: { report: Report; message?: string } }>(
    `mutation ($input: ImportAgentsInput!) { importAgents(input: $input) { ... on Error { message }
      ... on ImportAgentsPayload { report { agents { id action path } problems { path line severity message suggestion } } } } }`,
    { input },
  );
  expect(errors).toBeUndefined();
  expect(data.importAgents.message).toBeUndefined();
  return data.importAgents.report;
}

async function show(id: string): Promise<Record<string, unknown> | null> {
  const { data, errors } = await post<{ agent: Record<string, unknown> | null }>(
    `query ($id: ID!) { agent(id: $id) { id type name role description instructions model models contextWindow status maxCapacity currentLoad metadata
      collaborators { id } collaborations { agent { id } when instructions carry { messages } } definition { path contentHash importedAt tools mcpServers { name command args env url } } } }`,
    { id },
  );
  expect(errors).toBeUndefined();
  return data.agent;
}

const collaborationsOf = async (id: string) =>
  (await show(id))!['collaborations'] as { agent: { id: string }; when: string | null; instructions: string | null }[];
const actionsOf = ({ agents }: Report): string[] => agents.map(({ id, action }) => `${id} ${action}`);
const problemsOf = ({ problems }: Report): string[] =>
  problems.map(
    ({ path, line, severity, message, suggestion }) => `${path}:${line ?? '-'} ${severity} ${message}: ${suggestion}`,
  );
const lines = (...all: string[]): string => all.join('\n');
let count = 0;
const unique = (stem: string): string => `${stem}-${(count += 1)}`;

describe('importAgents', () => {
  it('keeps the models in their order and the MCP servers, for runners, and clears them when the file does', async () => {
    const name = unique('worker');
    const file = (...more: string[]) => lines('---', `name: ${name}`, ...more, '---', 'You work.');
    const servers = file(
      'model: [anthropic/claude-sonnet-4-5, gpt-5]',
      'mcpServers:',
      '  github: { command: npx, args: [-y, server-github], env: [GITHUB_TOKEN] }',
      '  docs: { url: "https://mcp.example.org/mcp" }',
    );
    await load({ 'w.md': servers });
    expect(await show(name)).toMatchObject({
      model: 'anthropic/claude-sonnet-4-5',
      models: ['anthropic/claude-sonnet-4-5', 'gpt-5'],
      definition: {
        mcpServers: [
          { name: 'github', command: 'npx', args: ['-y', 'server-github'], env: ['GITHUB_TOKEN'], url: null },
          { name: 'docs', command: null, args: [], env: [], url: 'https://mcp.example.org/mcp' },
        ],
      },
    });
    const again = async (content: string) => (await load({ 'w.md': content })).agents.map(({ action }) => action);
    expect(await again(servers)).toEqual(['UNCHANGED']);
    expect(await again(file('model: opus'))).toEqual(['UPDATED']);
    expect(await show(name)).toMatchObject({ model: 'opus', models: ['opus'], definition: { mcpServers: [] } });
    expect(await again(file())).toEqual(['UPDATED']);
    expect(await show(name)).toMatchObject({ model: null, models: [] });
  });

  it('registers the agents of all files, with collaborations among them', async () => {
    const report = await load({
      '.claude/agents/coder.md': lines(
        '---',
        'name: first-coder',
        'description: Writes code.',
        'tools: Read, Write',
        'model: opus',
        '---',
        'You write code.',
        '',
        '## Collaborations',
        '- First Planner: when the plan is unclear',
      ),
      '.github/agents/first-planner.agent.md': lines(
        '---',
        'name: First Planner',
        'handoffs:',
        '  - label: Start to build',
        '    agent: coder',
        '    prompt: Build it.',
        '---',
        'You plan.',
      ),
    });
    expect(report).toEqual({
      agents: [
        { id: 'first-coder', action: 'CREATED', path: '.claude/agents/coder.md' },
        { id: 'first-planner', action: 'CREATED', path: '.github/agents/first-planner.agent.md' },
      ],
      problems: [],
    });
    expect(await show('first-coder')).toMatchObject({
      type: 'CLAUDE',
      name: 'first-coder',
      role: null,
      description: 'Writes code.',
      model: 'opus',
      status: 'AVAILABLE',
      maxCapacity: 5,
      currentLoad: 0,
      instructions: expect.stringMatching(/^You write code\./) as string,
      collaborators: [{ id: 'first-planner' }],
      collaborations: [
        { agent: { id: 'first-planner' }, when: 'when the plan is unclear', instructions: null, carry: null },
      ],
      definition: {
        path: '.claude/agents/coder.md',
        contentHash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
        tools: ['Read', 'Write'],
      },
    });
    expect(await collaborationsOf('first-planner')).toMatchObject([
      { agent: { id: 'first-coder' }, when: 'Start to build', instructions: 'Build it.' },
    ]);
    expect(await brokenInvariants(db.pool)).toEqual([]);
  });

  it('finds that nothing changed when it is repeated, and then writes nothing', async () => {
    const files = { 'a.md': lines('# Again A', '## Collaborations', '- Again B: for b'), 'b.md': '# Again B' };
    await load(files);
    const before = await hashAllTables(db.pool);
    expect(actionsOf(await load(files))).toEqual(['again-a UNCHANGED', 'again-b UNCHANGED']);
    expect(await hashAllTables(db.pool)).toEqual(before);
  });

  it('changes what the file says, and leaves status, capacity, load and metadata alone', async () => {
    await load({ 'kept.md': lines('# Kept', 'Does one thing.') });
    await run(updateAgent, { id: 'kept', maxCapacity: 9, metadata: { team: 'red' } });
    await session('kept');
    await run(setAgentStatus, { id: 'kept', status: 'DRAINING' });
    expect(
      actionsOf(
        await load({ 'kept.md': lines('---', 'name: Kept', 'type: codex', 'role: tester', '---', 'Does another.') }),
      ),
    ).toEqual(['kept UPDATED']);
    expect(await show('kept')).toMatchObject({
      type: 'CODEX',
      role: 'tester',
      instructions: 'Does another.',
      status: 'DRAINING',
      maxCapacity: 9,
      currentLoad: 1,
      metadata: { team: 'red' },
    });
  });

  it('clears what an earlier version of the file set, and keeps what an operator set', async () => {
    const [file, helper] = [`${unique('settled')}`, unique('helper')];
    await agent(helper);
    await load({
      'f.md': lines(
        '---',
        `name: ${file}`,
        'role: tester',
        'contextWindow: 200000',
        '---',
        'Text.',
        '## Collaborations',
        `- ${helper}`,
      ),
    });
    expect(await show(file)).toMatchObject({ contextWindow: 200_000 });
    await run(updateAgent, { id: file, description: 'by an operator' });
    await load({ 'f.md': lines('---', `name: ${file}`, '---', 'Text.') });
    expect(await show(file)).toMatchObject({
      role: null,
      contextWindow: null,
      description: 'by an operator',
      collaborations: [],
    });

    await run(updateAgent, { id: file, role: 'by an operator', contextWindow: 8_000, collaborators: [helper] });
    await load({ 'f.md': lines('---', `name: ${file}`, '---', 'New text.') });
    expect(await show(file)).toMatchObject({
      role: 'by an operator',
      contextWindow: 8_000,
      instructions: 'New text.',
      collaborators: [{ id: helper }],
    });
  });

  it('keeps an existing type before it uses defaultType', async () => {
    const id = unique('typed');
    await agent(id, { type: 'GEMINI' });
    expect(actionsOf(await load({ 'f.md': `# ${id}` }, { defaultType: null }))).toEqual([`${id} UPDATED`]);
    expect(actionsOf(await load({ 'f.md': `# ${id}` }, { defaultType: 'CODEX' }))).toEqual([`${id} UNCHANGED`]);
    expect(await show(id)).toMatchObject({ type: 'GEMINI' });
  });

  it('records one AGENT_CHANGED for each agent that it writes', async () => {
    const [one, two] = [unique('event'), unique('event')];
    await load({ 'one.md': `# ${one}`, 'two.md': `# ${two}` });
    await load({ 'one.md': `# ${one}\n\nMore.`, 'two.md': `# ${two}` });
    const { rows } = await db.pool.query(
      'SELECT agent_id, count(*)::int FROM inbox_entries WHERE agent_id = ANY ($1) GROUP BY 1 ORDER BY 1',
      [[one, two]],
    );
    expect(rows).toEqual([
      { agent_id: one, count: 2 },
      { agent_id: two, count: 1 },
    ]);
  });

  it('archives nothing when a file is missing', async () => {
    const [one, two] = [unique('stay'), unique('stay')];
    await load({ 'one.md': `# ${one}`, 'two.md': `# ${two}` });
    await load({ 'one.md': `# ${one}` });
    expect(await show(two)).toMatchObject({ status: 'AVAILABLE', definition: { path: 'two.md' } });
  });

  it('shows each agent in its current state, and null for one that a dry run would create', async () => {
    const [old, fresh] = [unique('old'), unique('fresh')];
    await agent(old);
    const { data } = await post<{ importAgents: { report: unknown } }>(
      'mutation ($input: ImportAgentsInput!) { importAgents(input: $input) { ... on ImportAgentsPayload { report { agents { action agent { id name } } } } } }',
      {
        input: {
          dryRun: true,
          defaultType: 'CLAUDE',
          files: [
            { path: 'o.md', content: `# ${old}` },
            { path: 'f.md', content: `# ${fresh}` },
          ],
        },
      },
    );
    expect(data.importAgents.report).toEqual({
      agents: [
        { action: 'UPDATED', agent: { id: old, name: old } },
        { action: 'CREATED', agent: null },
      ],
    });
  });

  it('imports 500 files with a few statements', async () => {
    const files = (stem: string, n: number) =>
      Object.fromEntries(
        Array.from({ length: n }, (_, i) => [
          `${stem}${i}.md`,
          lines(`# ${stem} ${i}`, '## Collaborations', `- ${stem} ${(i + 1) % n}`),
        ]),
      );
    sent.length = 0;
    const report = await load(files('crowd', 500));
    expect([report.agents.length, report.problems]).toEqual([500, []]);
    expect(sent.length).toBeLessThan(12);
    expect(await collaborationsOf('crowd-499')).toMatchObject([{ agent: { id: 'crowd-0' } }]);
  });

  it('registers an agent once when the same file is imported twice at the same time', async () => {
    const id = unique('race');
    const reports = await Promise.all(Array.from({ length: 6 }, () => load({ 'r.md': `# ${id}` })));
    expect(reports.map(({ agents }) => agents[0]!.action).sort()).toEqual([
      'CREATED',
      ...Array<string>(5).fill('UNCHANGED'),
    ]);
    expect(await brokenInvariants(db.pool)).toEqual([]);
  });
});

describe('a collaboration', () => {
  it('finds its agent by id, by display name and by file name', async () => {
    const [byId, named] = [unique('by-id'), unique('claude')];
    await agent(byId);
    await agent(named);
    await run(updateAgent, { id: named, name: 'Chief Reviewer' });
    const id = unique('finder');
    await load({
      'x/a.md': lines(`# ${id}`, '## Collaborations', `- ${byId}`, '- Chief reviewer', '- the-file'),
      'x/the-file.md': `# ${unique('Inside')}`,
    });
    expect((await collaborationsOf(id)).map((each) => each.agent.id)).toEqual([
      byId,
      named,
      expect.stringMatching(/^inside-/),
    ]);
  });

  it('is left out with a warning that names the nearest agent when its agent does not exist', async () => {
    await agent('security-auditor');
    const id = unique('lonely');
    const report = await load({
      'a.md': lines(
        `# ${id}`,
        '## Collaborations',
        '- Security Auditer: for secrets',
        '- Zzyzx Qwertyuiop',
        '- security-auditor',
      ),
    });
    expect(problemsOf(report)).toEqual([
      "a.md:3 WARNING Agent 'Security Auditer' does not exist; the collaboration was left out: did you mean 'security-auditor'?",
      "a.md:4 WARNING Agent 'Zzyzx Qwertyuiop' does not exist; the collaboration was left out: import its definition too, or register it",
    ]);
    expect((await collaborationsOf(id)).map((each) => each.agent.id)).toEqual(['security-auditor']);
  });

  it('is left out with a warning when its agent is archived, or the agent itself', async () => {
    const [gone, id] = [unique('gone'), unique('self')];
    await agent(gone);
    await run(archiveAgent, { id: gone });
    const report = await load({ 'a.md': lines(`# ${id}`, '## Collaborations', `- ${gone}`, `- ${id}`) });
    expect(problemsOf(report)).toEqual([
      `a.md:3 WARNING Agent '${gone}' is archived; the collaboration was left out: name another agent, or leave it out`,
      'a.md:4 WARNING The agent hands off to itself; the collaboration was left out: leave it out',
    ]);
  });

  it('that is listed twice joins its conditions and instructions', async () => {
    const [id, target] = [unique('twice'), unique('target')];
    await agent(target);
    await load({
      'a.agent.md': lines(
        '---',
        `name: ${id}`,
        'handoffs:',
        '  - label: One',
        `    agent: ${target}`,
        '    prompt: First.',
        '  - label: Two',
        `    agent: ${target}`,
        '    prompt: Second.',
        '---',
        'Text.',
      ),
    });
    expect(await collaborationsOf(id)).toEqual([
      { agent: { id: target }, when: 'One; Two', instructions: 'First.\n\nSecond.', carry: null },
    ]);
  });

  it('keeps its carry when it is imported again', async () => {
    const [id, target] = [unique('carrier'), unique('target')];
    await agent(target);
    const file = (when: string) => ({ 'a.md': lines(`# ${id}`, '## Collaborations', `- ${target}: ${when}`) });
    await load(file('one'));
    await db.pool.query(`UPDATE agent_collaborators SET carry = '{"messages": "LAST"}' WHERE agent_id = $1`, [id]);
    await load(file('two'));
    expect(await collaborationsOf(id)).toMatchObject([{ when: 'two', carry: { messages: 'LAST' } }]);
  });
});

describe('an ERROR', () => {
  const fine = { 'fine.md': '# Fine enough' };

  it.each<[string, () => Promise<Record<string, string>> | Record<string, string>, Options, string[]]>([
    [
      'two files for one agent',
      () => ({ 'a.md': '# Same Name', 'b.md': '# same name' }),
      {},
      [
        "a.md:- ERROR Agent 'same-name' is defined by several files: also by 'b.md': give each a name of its own",
        "b.md:- ERROR Agent 'same-name' is defined by several files: also by 'a.md': give each a name of its own",
      ],
    ],
    [
      'no type',
      () => ({ 'a.md': '# Untyped' }),
      { defaultType: null },
      [
        "a.md:- ERROR Agent 'untyped' has no type: add a line such as 'type: CLAUDE' to the front matter, or give defaultType",
        "fine.md:- ERROR Agent 'fine-enough' has no type: add a line such as 'type: CLAUDE' to the front matter, or give defaultType",
      ],
    ],
    [
      'an archived agent',
      async () => {
        await agent('retired-for-good');
        await run(archiveAgent, { id: 'retired-for-good' });
        return { 'a.md': '# Retired for good' };
      },
      {},
      ["a.md:- ERROR Agent 'retired-for-good' is archived, and its id is never used again: choose another name"],
    ],
    [
      'a file that cannot be read',
      () => ({ 'a.md': '---\nname: a' }),
      {},
      ["a.md:1 ERROR The front matter has no end: end it with a line '---'"],
    ],
    [
      '201 collaborations',
      async () => {
        const ids = Array.from({ length: 201 }, (_, n) => `member-${n}`);
        await load(Object.fromEntries(ids.map((id) => [`${id}.md`, `# ${id}`])));
        return { 'a.md': lines('# Popular', '## Collaborations', ...ids.map((id) => `- ${id}`)) };
      },
      {},
      ['a.md:3 ERROR 201 collaborations are listed; an agent may have 200: list fewer, or shorten them'],
    ],
  ])('in one file writes nothing of any file: %s', async (_what, files, options, expected) => {
    const given = { ...(await files()), ...fine };
    const before = await hashAllTables(db.pool);
    const report = await load(given, options);
    expect(report.agents).toEqual([]);
    expect(problemsOf(report)).toEqual(expected);
    expect(await hashAllTables(db.pool)).toEqual(before);
  });

  it('comes before warnings in the report, which holds at most 1,000 problems', async () => {
    const warnings = lines(
      '# A',
      '## Collaborations',
      ...Array.from({ length: 1_100 }, (_, n) => `- nobody here ${n}`),
    );
    const { problems } = await load({ 'a.md': warnings, 'b.md': '' });
    expect(problems.length).toBe(1_000);
    expect(problems[0]).toMatchObject({ path: 'b.md', severity: 'ERROR' });
    expect(problems.at(-1)).toMatchObject({ severity: 'WARNING', message: '102 more problems are not listed' });
  });
});

it('an import that takes too much processor time is LIMIT_EXCEEDED and changes nothing', async () => {
  const slow = await startApp(db, { processorMs: 5 });
  const before = await hashAllTables(db.pool);
  const file = lines('---', ...Array.from({ length: 100 }, (_, key) => `k${key}: [a, b]`), '---', 'Text. '.repeat(500));
  const { errors } = await client(slow.url).post(
    'mutation ($input: ImportAgentsInput!) { importAgents(input: $input) { __typename } }',
    {
      input: {
        defaultType: 'CLAUDE',
        files: Array.from({ length: 100 }, (_, n) => ({ path: `${n}.md`, content: file })),
      },
    },
  );
  expect(errors).toMatchObject([{ extensions: { code: 'LIMIT_EXCEEDED', what: 'processorMs', limit: 5 } }]);
  expect(await hashAllTables(db.pool)).toEqual(before);
});

it('a dry run writes nothing and reports what the import then does', async () => {
  const file = fc.record({
    name: fc.integer({ min: 1, max: 5 }),
    to: fc.array(fc.integer({ min: 1, max: 7 }), { maxLength: 3 }),
    text: fc.constantFrom('One.', 'Two.'),
    broken: fc.nat(20).map((n) => n === 0),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(file, { maxLength: 4 }), async (all) => {
      const files = Object.fromEntries(
        all.map(({ name, to, text, broken }, n) => [
          `${n}.md`,
          broken
            ? '---\n'
            : lines(`# Random ${name}`, text, '## Collaborations', ...to.map((each) => `- Random ${each}`)),
        ]),
      );
      const before = await hashAllTables(db.pool);
      const foretold = await load(files, { dryRun: true });
      expect(await hashAllTables(db.pool)).toEqual(before);
      expect(await load(files)).toEqual(foretold);
    }),
    { numRuns: 15 },
  );
});

const home = await house();
const some = (n: number) => Array.from({ length: n }, (_, i) => ({ path: `${i}.md`, content: '# A' }));
testRefusals(
  home,
  ['importAgents'],
  [
    {
      mutation: 'importAgents',
      error: 'BadUserInputError',
      when: 'a path is given twice',
      given: () => ({ input: { files: [...some(1), ...some(1)] }, data: { path: ['input', 'files', '1', 'path'] } }),
      says: /given twice: leave one out/,
    },
    {
      mutation: 'importAgents',
      error: 'LimitExceededError',
      when: 'there are over 500 files',
      given: () => ({ input: { files: some(501) }, data: { limit: 500, actual: 501 } }),
      says: /import them in several requests/,
    },
  ],
);
