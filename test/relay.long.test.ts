import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { WebSocket } from 'ws';
import { openStream } from '../client/stream/index.ts';
import { encodeId } from '../server/core/ids.ts';
import { openBrowser } from './browser.ts';
import { endsWithThisProcess } from './children.ts';
import { atEnd, testDatabase } from './database.ts';
import { brokenInvariants } from './invariants.ts';
import { client } from './graphql.ts';
import { freePort } from './ports.ts';
import { bash, claudeArgs, codexArgs, codingPrograms, mcp, mcpOfClaude, relayPlace, shell } from './relaying.ts';
import { takeCore } from './busyCore.ts';
import { startServer } from './server.ts';
import type { WatchLine } from './watching.ts';
import { world } from './world.ts';

// The real command lines of Claude Code and Codex hand work to each other through Baton, by its hooks, its MCP tools and `baton
// watch`. A script plays the model of each; there is no network but loopback.
vi.setConfig({ testTimeout: 300_000 });
const patience = { timeout: 120_000, interval: 100 };
/** Processes beside the tests that take a core each: RELAY_BUSY=2 for a machine with two cores. */
const spinning = Number(process.env['RELAY_BUSY'] ?? 0);

const programs = codingPrograms();

describe.skipIf(programs.claude === null || programs.codex === null)('a relay of Claude Code and Codex', async () => {
  const database = await testDatabase();
  const PORT = String(await freePort());
  const start = () => startServer({ databaseUrl: database.url, env: { PORT } });
  let server = await start();
  const { url } = server;
  const { models, wrap, program, home, env, execute, repository } = await relayPlace(url);
  const { agent, session, initiate } = world(database.pool);
  /** Every committed event, as a subscriber gets them. */
  const heard: { type: string; session: string | undefined }[] = [];

  beforeAll(async () => {
    for (let n = 0; n < spinning; n += 1) endsWithThisProcess(takeCore());
    await agent('reviewer-1', { maxCapacity: 100 });
    await agent('claude-1', { maxCapacity: 100 });
    await agent('codex-1', { type: 'CODEX', maxCapacity: 100, collaborators: ['reviewer-1'] });
    await client(url).post(
      'mutation { updateAgent(input: { id: "claude-1", collaborators: ["reviewer-1"] }) { __typename } }',
    );
    const stream = openStream({
      url,
      webSocket: WebSocket,
      topic: { kind: 'sessionUpdated' },
      backoff: { baseMs: 20, capMs: 200 },
    });
    atEnd(() => stream.stop());
    void (async () => {
      for await (const event of stream) heard.push({ type: event.type, session: event.session?.id });
    })().catch(() => undefined);
    await stream.ready;
  });

  const tools = claudeArgs
    .slice(1)
    .map((arg) => `'${arg}'`)
    .join(' ');
  const commands = {
    'claude-1': `${programs.claude} -p ${tools}`,
    'codex-1': [programs.codex!, ...codexArgs, '-'].join(' '),
  };
  /** Commands that go on with the whole log. */
  const resuming = {
    'claude-1': ['--native', 'claude-code', '--exec', `${programs.claude} -p {resume} ${tools}`],
    'codex-1': ['--native', 'codex', '--exec', `${programs.codex} exec {resume} ${codexArgs.slice(1).join(' ')} -`],
  };

  async function watch(
    folder: string,
    as: keyof typeof commands,
    how = ['--exec', commands[as]],
  ): Promise<{ lines: WatchLine[]; kill(signal: NodeJS.Signals): Promise<unknown> }> {
    const [file, words] = wrap(process.execPath, [program, 'watch', '--json', '--agent', as, ...how, '--url', url]);
    const child = endsWithThisProcess(spawn(file, words, { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] }));
    const lines: WatchLine[] = [];
    createInterface(child.stdout).on('line', (line) => lines.push(JSON.parse(line) as WatchLine));
    const exited = once(child, 'exit');
    const kill = (signal: NodeJS.Signals): Promise<unknown> => {
      child.kill(signal);
      return exited;
    };
    onTestFinished(() => void child.kill('SIGKILL'));
    await expect.poll(() => lines.some(({ event }) => event === 'live'), patience).toBe(true);
    return { lines, kill };
  }
  const untilEvent = ({ lines }: { lines: WatchLine[] }, event: string) =>
    expect.poll(() => lines.map((line) => line.event), patience).toContain(event);

  interface Found {
    id: string;
    holder: string;
    messages: string[];
    calls: string[];
    events: string[];
    turns: number;
  }
  const find = `SELECT s.id, agent_id AS holder, (SELECT count(*)::int FROM turns WHERE session_id = s.id) AS turns,
    ARRAY(SELECT role || ': ' || split_part(content, '.', 1) FROM messages WHERE session_id = s.id AND (role IN ('USER', 'ASSISTANT') OR content LIKE 'You are agent%') ORDER BY sequence) AS messages,
    ARRAY(SELECT name || CASE WHEN error IS NOT NULL THEN ' failed' WHEN result IS NULL THEN ' open' ELSE '' END FROM tool_calls WHERE session_id = s.id ORDER BY index) AS calls,
    ARRAY(SELECT type::text FROM events WHERE session_id = s.id ORDER BY session_sequence) AS events FROM sessions s`;
  const sessionIn = async (folder: string, branch = 'main'): Promise<Found | undefined> =>
    (await database.pool.query<Found>(`${find} WHERE external_id = $1`, [`${hostname()}:${folder}#${branch}`])).rows[0];
  const eventually = (folder: string, expected: object) =>
    vi.waitFor(async () => expect(await sessionIn(folder)).toMatchObject(expected), patience);
  /** A turn that hands off is recorded in two parts, the second one while the next agent accepts: in either order. */
  const moves = ({ events }: Found): string[] =>
    events.filter((type) => type !== 'TURN_APPENDED' && type !== 'LOG_CHANGED');
  const untilHeard = async (folder: string) => {
    const { id, events } = (await sessionIn(folder))!;
    await expect
      .poll(() => heard.filter((event) => event.session === encodeId('session', id)).map(({ type }) => type), patience)
      .toEqual(events);
  };

  const given = ['SESSION_CREATED', 'HANDOFF_INITIATED', 'SESSION_REASSIGNED'];

  it('goes from Claude Code, which corrects a wrong target, to Codex by watch, and to a reviewer', async () => {
    const folder = await repository('greeting');
    const watching = await watch(folder, 'codex-1');
    models.claude.say(
      { calls: [bash('toolu_a1', 'printf Hello > greeting.txt')] },
      { calls: [mcpOfClaude('toolu_a2', 'baton_handoff', { target: 'codex-9', reason: 'Translate it' })] },
      { calls: [mcpOfClaude('toolu_a3', 'transfer_to_codex-1', { reason: 'Translate it' })] },
      { text: 'Handed to Codex.' },
    );
    models.codex.say(
      { calls: [shell('call_a1', 'cat greeting.txt; printf Hallo > gruss.txt')] },
      { calls: [mcp('call_a2', 'transfer_to_reviewer-1', { reason: 'Please review' })] },
      { text: 'Sent for review.' },
    );
    expect(await execute(folder, programs.claude!, [...claudeArgs, '--', 'Write a greeting.'])).toContain(
      'Handed to Codex.',
    );
    await untilEvent(watching, 'passed on');
    await eventually(folder, {
      holder: 'reviewer-1',
      messages: [
        'USER: Write a greeting',
        'ASSISTANT: Handed to Codex',
        'SYSTEM: You are agent codex-1 of Baton',
        'ASSISTANT: Sent for review',
      ],
    });
    const found = (await sessionIn(folder))!;
    expect(moves(found)).toEqual([
      ...given,
      'HANDOFF_ACCEPTED',
      'HANDOFF_COMPLETED',
      'HANDOFF_INITIATED',
      'SESSION_REASSIGNED',
    ]);
    expect(found.calls).toEqual([
      'Bash',
      'mcp__baton__baton_handoff failed',
      'mcp__baton__transfer_to_codex-1',
      'exec_command',
      'transfer_to_reviewer_1',
    ]);
    expect(JSON.stringify(models.claude.received.at(-1)!.body)).toContain('did you mean');
    // Codex was given what Claude Code had done, and the reason.
    const asked = JSON.stringify(models.codex.received[0]!.body);
    for (const words of ['# Handoff from claude-1 to codex-1', 'Translate it', 'greeting.txt'])
      expect(asked).toContain(words);
    expect(readFileSync(join(folder, 'gruss.txt'), 'utf8')).toBe('Hallo');
    await untilHeard(folder);
    await watching.kill('SIGTERM');
  });

  it('goes from Codex to Claude Code, back, and to a reviewer: each goes on with the whole history, and an open page shows each step', async () => {
    const folder = await repository('plan');
    models.codex.say(
      { calls: [shell('call_b1', 'printf One > plan.txt; echo leaf-$((40+2))')] },
      { calls: [mcp('call_b2', 'transfer_to_claude-1', { reason: 'Add to it' })] },
      { text: 'Handed to Claude.' },
    );
    expect(await execute(folder, programs.codex!, [...codexArgs, 'Write a plan.'])).toContain('Handed to Claude.');
    await eventually(folder, { holder: 'claude-1', messages: ['USER: Write a plan', 'ASSISTANT: Handed to Claude'] });

    const { visit } = await openBrowser(url);
    const { page, faults } = await visit(`/sessions/${encodeId('session', (await sessionIn(folder))!.id)}`);
    let loads = 0;
    page.on('load', () => (loads += 1));
    const sees = (handoff: string, ...texts: string[]) =>
      Promise.all([
        page
          .getByRole('link', { name: `Handoff ${handoff}` })
          .first()
          .waitFor(),
        ...texts.map((text) => page.getByText(text).first().waitFor()),
      ]);
    await sees('waiting: from codex-1 to claude-1', 'Write a plan.', 'Handed to Claude.');

    const gate = gated();
    models.claude.say(
      { calls: [bash('toolu_b1', 'printf Two >> plan.txt; echo root-$((40+3))')], gate: gate.promise },
      { calls: [mcpOfClaude('toolu_b2', 'transfer_to_codex-1', { reason: 'Complete it' })] },
      { text: 'Handed to Codex.' },
    );
    const toClaude = models.claude.received.length;
    const claude = await watch(folder, 'claude-1', resuming['claude-1']);
    await sees('accepted: from codex-1 to claude-1');
    gate.resolve();
    await untilEvent(claude, 'passed on');
    await sees('waiting: from claude-1 to codex-1', 'Handed to Codex.');

    const toCodex = models.codex.received.length;
    models.codex.say(
      { calls: [shell('call_b3', 'printf Three >> plan.txt')] },
      { calls: [mcp('call_b4', 'transfer_to_reviewer-1', { reason: 'Please review' })] },
      { text: 'Sent for review.' },
    );
    const codex = await watch(folder, 'codex-1', resuming['codex-1']);
    await untilEvent(codex, 'passed on');
    await sees('waiting: from codex-1 to reviewer-1', 'Sent for review.');
    expect([loads, faults]).toEqual([0, []]);

    /** Each was sent the log itself: its own calls as calls, those of the other program as text. */
    const asked = (model: 'claude' | 'codex', from: number) =>
      JSON.stringify(
        models[model].received.slice(from).find(({ body }) => (body.tools as object[] | undefined)?.length)!.body,
      );
    const [ofClaude, ofCodex] = [asked('claude', toClaude), asked('codex', toCodex)];
    for (const words of [
      'Write a plan.',
      'leaf-42',
      'recorded by the agent codex-1',
      'Handed to Claude.',
      'You are agent claude-1 of Baton',
      'Add to it',
    ])
      expect([words, ofClaude.includes(words)]).toEqual([words, true]);
    for (const words of [
      'Write a plan.',
      'root-43',
      'recorded by the agent claude-1',
      'Handed to Codex.',
      'You are agent codex-1 of Baton',
      'Complete it',
    ])
      expect([words, ofCodex.includes(words)]).toEqual([words, true]);
    const { body } = models.codex.received
      .slice(toCodex)
      .find((one) => Array.isArray(one.body.input) && one.body.tools.length > 0)!;
    const own = (body.input as { type?: string; name?: string; call_id?: string }[]).filter(
      ({ type }) => type === 'function_call',
    );
    expect(own.map(({ name, call_id: id }) => [name, id])).toEqual([['exec_command', 'call_b1']]);
    await eventually(folder, {
      holder: 'reviewer-1',
      messages: [
        'USER: Write a plan',
        'ASSISTANT: Handed to Claude',
        'SYSTEM: You are agent claude-1 of Baton',
        'ASSISTANT: Handed to Codex',
        'SYSTEM: You are agent codex-1 of Baton',
        'ASSISTANT: Sent for review',
      ],
      calls: [
        'exec_command',
        'transfer_to_claude_1',
        'Bash',
        'mcp__baton__transfer_to_codex-1',
        'exec_command',
        'transfer_to_reviewer_1',
      ],
    });
    const taken = ['HANDOFF_INITIATED', 'SESSION_REASSIGNED', 'HANDOFF_ACCEPTED', 'HANDOFF_COMPLETED'];
    expect(moves((await sessionIn(folder))!)).toEqual([
      'SESSION_CREATED',
      ...taken,
      ...taken,
      'HANDOFF_INITIATED',
      'SESSION_REASSIGNED',
    ]);
    expect(readFileSync(join(folder, 'plan.txt'), 'utf8')).toBe('OneTwoThree');
    await untilHeard(folder);
    await Promise.all([codex.kill('SIGTERM'), claude.kill('SIGTERM')]);
  });

  it('gives the fifth prompt what each of five legs found, the open tasks, the decisions, the chain of reasons and the working tree', async () => {
    const folder = await repository('legs');
    // The prompt alone, not the log.
    const watching = await Promise.all(
      (['claude-1', 'codex-1'] as const).map((as) => watch(folder, as, ['--native', 'none', '--exec', commands[as]])),
    );
    writeFileSync(
      join(folder, 'deploy'),
      '#!/bin/sh\necho deployed\necho "warning: the clock of node-7 is late" >&2\n',
      {
        mode: 0o755,
      },
    );
    writeFileSync(join(folder, 'vault.toml'), '# Of the operators\nslot = 5807\n');
    writeFileSync(join(folder, 'seed.toml'), 'seed = 9142\n');
    execFileSync('git', ['add', '.'], { cwd: folder });
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', 'commit', '-qm', 'Tools'], {
      cwd: folder,
    });
    const task = { subject: 'Mend the login', description: 'Acceptance: 100 runs pass' };
    models.claude.say(
      { calls: [bash('toolu_j1', "echo 'Error: listen EADDRINUSE :::6123'; exit 1")] },
      { calls: [{ id: 'toolu_j2', name: 'TaskCreate', arguments: task }] },
      { calls: [bash('toolu_j3', 'echo 6123 is taken')] },
      { calls: [bash('toolu_j9', './deploy')] },
      { calls: [{ id: 'toolu_j10', name: 'Read', arguments: { file_path: join(folder, 'vault.toml') } }] },
      { calls: [mcpOfClaude('toolu_j4', 'transfer_to_codex-1', { reason: 'REASON-1: free the port' })] },
      { text: 'Handed to Codex.' },
      { calls: [mcpOfClaude('toolu_j5', 'baton_note', { text: 'The clock of the machine is 4711 ms late.' })] },
      { calls: [mcpOfClaude('toolu_j6', 'transfer_to_codex-1', { reason: 'REASON-3: set the clock' })] },
      { text: 'Handed to Codex.' },
      { calls: [mcpOfClaude('toolu_j7', 'baton_note', { text: 'The login answers 418 now.' })] },
      { calls: [mcpOfClaude('toolu_j8', 'transfer_to_reviewer-1', { reason: 'REASON-5: please review' })] },
      { text: 'Sent for review.' },
    );
    const decision = 'Keep SQLite: DEC-2 asks for one file';
    models.codex.say(
      { calls: [mcp('call_j1', 'baton_note', { text: 'SQLite stays.', decisions: [decision] })] },
      { calls: [mcp('call_j2', 'transfer_to_claude-1', { reason: 'REASON-2: look at the clock' })] },
      { text: 'Handed to Claude.' },
      { calls: [shell('call_j3', 'printf x > made-by-leg-4.txt')] },
      { calls: [shell('call_j5', 'cat seed.toml')] },
      { calls: [mcp('call_j4', 'transfer_to_claude-1', { reason: 'REASON-4: try it' })] },
      { text: 'Handed to Claude.' },
    );
    expect(await execute(folder, programs.claude!, [...claudeArgs, '--', 'Mend the login.'])).toContain(
      'Handed to Codex.',
    );
    await eventually(folder, { holder: 'reviewer-1' });
    const { data } = await client(url).post<{ session: { openHandoff: { contextPrompt: { text: string } } } }>(
      'query ($id: ID!) { session(id: $id) { openHandoff { contextPrompt(maxTokens: 4000) { text } } } }',
      { id: encodeId('session', (await sessionIn(folder))!.id) },
    );
    const { text } = data.session.openHandoff.contextPrompt;
    for (const words of [
      'Mend the login.',
      ':::6123',
      'warning: the clock of node-7 is late',
      'slot = 5807',
      'seed = 9142',
      'DEC-2',
      '4711 ms',
      'made-by-leg-4.txt',
      '418',
      'Acceptance: 100 runs pass',
      ...[1, 2, 3, 4, 5].map((n) => `REASON-${n}`),
      'git status --porcelain:\n?? made-by-leg-4.txt',
    ])
      expect([words, text.includes(words), text]).toEqual([words, true, text]);
    for (const noise of ['You are agent', 'Baton records this work', 'baton_note', 'environment_context'])
      expect([noise, text.includes(noise)]).toEqual([noise, false]);
    await Promise.all(watching.map((each) => each.kill('SIGTERM')));
  });

  it('keeps the work of two repositories apart, whose programs are the same agents', async () => {
    const folders = [await repository('red'), await repository('blue')];
    const watching = await Promise.all(folders.map((folder) => watch(folder, 'codex-1')));
    for (const folder of folders) {
      models.claude.say(
        { calls: [mcpOfClaude('toolu_h1', 'transfer_to_codex-1', { reason: 'Name the folder' })] },
        { text: 'Handed over.' },
      );
      expect(await execute(folder, programs.claude!, [...claudeArgs, '--', 'Name it.'])).toContain('Handed over.');
      models.codex.say({ calls: [shell('call_h1', 'basename $PWD > name.txt')] }, { text: 'Named.' });
      await untilEvent(watching[folders.indexOf(folder)]!, 'completed');
      expect(readFileSync(join(folder, 'name.txt'), 'utf8')).toBe(`${basename(folder)}\n`);
      await eventually(folder, { holder: 'codex-1', calls: ['mcp__baton__transfer_to_codex-1', 'exec_command'] });
    }
    const began = watching.map(({ lines }) => lines.filter(({ event }) => event === 'started').length);
    expect(began).toEqual([1, 1]);
    await Promise.all(watching.map((each) => each.kill('SIGTERM')));
  });

  it.each([
    ['Claude Code', 'claude', claudeArgs, 'claude-1'],
    ['Codex', 'codex', codexArgs, 'codex-1'],
  ] as const)(
    'moves the work of the branch on which %s works, beside other work in its folder',
    async (_name, of, args, as) => {
      const folder = await repository('branches');
      const ask = (words: string) =>
        execute(folder, programs[of]!, [...args, ...(of === 'claude' ? ['--'] : []), words]);
      models[of].say({ text: 'Begun.' });
      expect(await ask('Begin.')).toContain('Begun.');
      await eventually(folder, { holder: as });
      execFileSync('git', ['checkout', '-b', 'side'], { cwd: folder, stdio: 'ignore' });
      const given = { reason: 'Review the side' };
      models[of].say(
        {
          calls: [
            of === 'claude'
              ? mcpOfClaude('toolu_i1', 'transfer_to_reviewer-1', given)
              : mcp('call_i1', 'transfer_to_reviewer-1', given),
          ],
        },
        { text: 'Sent for review.' },
      );
      expect(await ask('Pass it on.')).toContain('Sent for review.');
      await vi.waitFor(
        async () => expect(await sessionIn(folder, 'side')).toMatchObject({ holder: 'reviewer-1' }),
        patience,
      );
      expect(await sessionIn(folder)).toMatchObject({ holder: as });
    },
  );

  /** Whether a program has written the result of a call into its transcript. */
  const hasResult = (id: string): boolean =>
    ['.claude/projects', '.codex/sessions']
      .map((name) => join(home, name))
      .filter((path) => existsSync(path))
      .flatMap((path) =>
        readdirSync(path, { recursive: true, encoding: 'utf8' })
          .filter((name) => name.endsWith('.jsonl'))
          .map((name) => join(path, name)),
      )
      .some((path) =>
        readFileSync(path, 'utf8')
          .split('\n')
          .some((line) => line.includes(id) && /"(tool_result|function_call_output)"/.test(line)),
      );

  /** A session of the folder that an agent gets from the other one. */
  async function handed(folder: string, from = 'claude-1', to = 'codex-1'): Promise<void> {
    const workspace = { host: hostname(), folder, repository: null, branch: 'main', commit: null };
    const id = await session(from, { externalId: `${hostname()}:${folder}#main`, workspace });
    await initiate(id, to, { reason: 'Count' });
  }

  it('loses and doubles nothing when watch and Baton are killed while Codex works', async () => {
    const folder = await repository('killed');
    const gate = gated();
    models.codex.say(
      { calls: [shell('call_d1', 'echo one >> count.txt')] },
      { calls: [shell('call_d2', 'echo two >> count.txt')], gate: gate.promise },
      { text: 'Counted.' },
    );
    const before = models.codex.received.length;
    await handed(folder);
    const first = await watch(folder, 'codex-1');
    await expect.poll(() => models.codex.received.length - before, patience).toBe(2);
    await first.kill('SIGKILL');
    const second = await watch(folder, 'codex-1');
    await untilEvent(second, 'resumed');
    await server.kill('SIGKILL');
    await untilEvent(second, 'away');
    gate.resolve();
    await expect
      .poll(() => existsSync(join(folder, 'count.txt')) && readFileSync(join(folder, 'count.txt'), 'utf8'), patience)
      .toBe('one\ntwo\n');
    server = await start();
    await untilEvent(second, 'completed');
    await eventually(folder, {
      holder: 'codex-1',
      turns: 1,
      messages: ['SYSTEM: You are agent codex-1 of Baton', 'ASSISTANT: Counted'],
      calls: ['exec_command', 'exec_command'],
    });
    expect(moves((await sessionIn(folder))!)).toEqual([...given, 'HANDOFF_ACCEPTED', 'HANDOFF_COMPLETED']);
    expect(models.codex.received.length - before).toBe(3);
    await untilHeard(folder);
    await second.kill('SIGTERM');
  });

  it.each([
    ['Codex', 'codex', 'claude-1', 'codex-1', shell('call_e1', 'echo one >> count.txt')],
    ['Claude Code', 'claude', 'codex-1', 'claude-1', bash('toolu_e1', 'echo one >> count.txt')],
  ] as const)(
    'gives the session back with the reason when %s is killed, and keeps what it had done',
    async (_name, of, from, to, call) => {
      const folder = await repository('broken');
      const gate = gated();
      models[of].say({ calls: [call] }, { text: 'Never said.', gate: gate.promise });
      await handed(folder, from, to);
      const before = models[of].answers.length;
      const watching = await watch(folder, to, ['--exec', `echo $$ > pid; exec ${commands[to]}`]);
      await expect.poll(() => models[of].answers.length - before, patience).toBe(2);
      // Claude Code may ask its model before the result is in its transcript.
      await expect.poll(() => hasResult(call.id), patience).toBe(true);
      process.kill(Number(readFileSync(join(folder, 'pid'), 'utf8')), 'SIGKILL');
      await untilEvent(watching, 'failed');
      gate.resolve();
      await eventually(folder, {
        holder: from,
        turns: 1,
        messages: [`SYSTEM: You are agent ${to} of Baton`],
        calls: [call.name],
      });
      expect(readFileSync(join(folder, 'count.txt'), 'utf8')).toBe('one\n');
      expect(moves((await sessionIn(folder))!)).toEqual([
        ...given,
        'HANDOFF_ACCEPTED',
        'HANDOFF_FAILED',
        'SESSION_RETURNED',
      ]);
      await untilHeard(folder);
      await watching.kill('SIGTERM');
    },
  );

  it('records each line once when Claude Code is killed in the middle of a turn and its conversation goes on', async () => {
    const folder = await repository('continued');
    const gate = gated();
    models.claude.say(
      { calls: [bash('toolu_g1', 'echo one >> count.txt')] },
      { text: 'Never said.', gate: gate.promise },
    );
    const before = models.claude.answers.length;
    const killed = execute(folder, 'sh', [
      '-c',
      'echo $$ > pid; exec "$0" "$@"',
      programs.claude!,
      ...claudeArgs,
      '--',
      'Count.',
    ]).catch((error: unknown) => error);
    await expect.poll(() => hasResult('toolu_g1'), patience).toBe(true);
    // Claude Code may write the result before it asks its model.
    await expect.poll(() => models.claude.answers.length - before, patience).toBe(2);
    process.kill(Number(readFileSync(join(folder, 'pid'), 'utf8')), 'SIGKILL');
    expect(await killed).toBeInstanceOf(Error);
    gate.resolve();
    models.claude.say({ calls: [bash('toolu_g2', 'echo two >> count.txt')] }, { text: 'Counted.' });
    expect(await execute(folder, programs.claude!, ['--continue', ...claudeArgs, '--', 'Go on.'])).toContain(
      'Counted.',
    );
    await eventually(folder, {
      holder: 'claude-1',
      messages: ['USER: Count', 'USER: Go on', 'ASSISTANT: Counted'],
      calls: ['Bash', 'Bash'],
    });
    expect(readFileSync(join(folder, 'count.txt'), 'utf8')).toBe('one\ntwo\n');
    await untilHeard(folder);
  });

  it('refuses to hand off what Codex did without approved hooks, and `baton handoff` takes its log with it', async () => {
    const folder = await repository('unapproved');
    await handed(folder);
    models.codex.say(
      { calls: [mcp('call_k1', 'baton_accept', {})] },
      { calls: [shell('call_k2', 'echo port $((6000+123)) is taken')] },
      { calls: [mcp('call_k3', 'transfer_to_reviewer-1', { reason: 'Please review' })] },
      { text: 'Nothing of it is recorded.' },
    );
    const withoutHooks = codexArgs.filter((arg) => arg !== '--dangerously-bypass-hook-trust');
    expect(await execute(folder, programs.codex!, [...withoutHooks, 'Take it over.'])).toContain('Nothing of it is');
    expect(JSON.stringify(models.codex.received.at(-1)!.body)).toMatch(/Nothing of your turn is recorded in session_/);
    await execute(folder, process.execPath, [program, 'handoff', 'reviewer-1', '--reason', 'Review', '--url', url]);
    const found = (await sessionIn(folder))!;
    expect(found).toMatchObject({ holder: 'reviewer-1', calls: expect.arrayContaining(['exec_command']) as string[] });
    const { rows } = await database.pool.query<{ result: string }>(
      "SELECT result FROM tool_calls WHERE session_id = $1 AND call_id = 'call_k2'",
      [found.id],
    );
    expect(rows[0]?.result).toContain('port 6123 is taken');
  });

  it('brings a rejection with its reason in front of Claude Code', async () => {
    const folder = await repository('rejected');
    await handed(folder);
    models.codex.say(
      { calls: [mcp('call_f1', 'baton_reject', { reason: 'Nothing is tested yet' })] },
      { text: 'Rejected.' },
    );
    expect(await execute(folder, programs.codex!, [...codexArgs, 'What waits?'])).toContain('Rejected.');
    const before = models.claude.received.length;
    models.claude.say({ text: 'I test it.' });
    expect(await execute(folder, programs.claude!, [...claudeArgs, '--', 'Go on.'])).toContain('I test it.');
    const asked = JSON.stringify(models.claude.received.slice(before).map(({ body }) => body));
    expect(asked).toMatch(/Your handoff handoff_\w+ to 'codex-1' was rejected: you hold session_\w+ again/);
    expect(asked).toContain('Nothing is tested yet');
    await eventually(folder, { holder: 'claude-1' });
    expect(moves((await sessionIn(folder))!)).toEqual([...given, 'HANDOFF_REJECTED', 'SESSION_RETURNED']);
    expect(await brokenInvariants(database.pool)).toEqual([]);
  });
});

/** A step of a model waits for it. */
function gated(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}
