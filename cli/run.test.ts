import { execFile } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { bundled } from '../test/bundle.ts';
import { testDatabase } from '../test/database.ts';
import { startApp } from '../test/server.ts';
import { commands } from './commands.ts';

// Every case starts a process.
vi.setConfig({ testTimeout: 120_000 });

const fixture = fileURLToPath(new URL('../server/work/log/transcripts/fixtures/codex-rollout.jsonl', import.meta.url));

async function baton(
  args: string[],
  env: Record<string, string> = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  const { PATH, HOME, TMPDIR } = process.env;
  const program = await bundled('cli/baton.ts');
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], { env: { PATH, HOME, TMPDIR, ...env } }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

describe('baton', () => {
  it('lists its commands on --help and prints its version', async () => {
    const { code, stdout, stderr } = await baton(['--help']);
    expect([code, stderr]).toEqual([0, '']);
    for (const [name, { summary }] of Object.entries(commands))
      expect(stdout).toMatch(new RegExp(`^  ${name} +${summary}$`, 'm'));
    expect(await baton(['--version'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) as string,
    });
  });

  it.each(Object.keys(commands))('describes %s on --help, whatever else is given', async (name) => {
    const { code, stdout, stderr } = await baton([...name.split(' '), 'x', '--help']);
    expect([code, stderr, stdout.startsWith('npm ')]).toEqual([0, '', true]);
  });

  it.each([
    ['connect', ['connect', 'codex', '--global', '--print']],
    ['watch', ['watch', '--agent', 'codex-1', '--exec', 'true']],
  ])('names in one line the folder that %s cannot make', async (_name, args) => {
    for (const home of ['/proc/nowhere', '/dev/null']) {
      const { code, stdout, stderr } = await baton([...args, '--url', 'http://127.0.0.1:1'], { HOME: home });
      expect([code, stdout, stderr]).toEqual([
        1,
        expect.not.stringContaining('    at '),
        expect.stringMatching(new RegExp(`^The folder ${home}.*\\.local/state/baton.*XDG_STATE_HOME\\n$`)),
      ]);
    }
  });

  it.each([
    ['no command', []],
    ['an unknown command', ['fly']],
    ['an inherited name', ['constructor']],
    ['an unknown option', ['start', '--colour']],
    ['a surplus argument', ['start', 'now']],
    ['an unknown word of migrate', ['migrate', 'sideways']],
    ['no agent', ['agent']],
    ['no agent of an inbox', ['inbox']],
    ['an address without http', ['agent', 'claude-1', '--url', 'localhost:4000']],
  ])('refuses %s with exit code 2 and the usage', async (_what, args) => {
    const { code, stdout, stderr } = await baton(args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^(baton <command>|npm (run )?(start|migrate|agent|inbox))/m);
    expect(stderr).not.toMatch(/^ {4}at /m);
  });
});

describe('what is spelled nearly right', () => {
  it.each([
    [['strat'], "There is no command 'strat'. Did you mean 'start'?"],
    [['pipeline', 'import', 'story'], "There is no command 'pipeline'. Did you mean 'pipelines import'?"],
    [['agents', 'improt'], "There is no command 'agents'. Did you mean 'agents import'?"],
    [['watch', '--agnet', 'codex-1'], "Unknown option '--agnet'. Did you mean '--agent'?"],
    [['pipelines', 'import', 'stroy'], "that ships with Baton (story). Did you mean 'story'?"],
  ])('%j is told what was meant', async (args, message) => {
    expect((await baton(args)).stderr).toContain(message);
  });

  it.each([[['fly']], [['start', '--xyzzy']]])('%j gets no guess', async (args) => {
    expect((await baton(args)).stderr).not.toContain('Did you mean');
  });
});

describe('the address of the server', async () => {
  const database = await testDatabase();
  const { url } = await startApp(database);
  const { port } = new URL(url);
  const { url: based } = await startApp(database, { variables: { BATON_BASE_PATH: '/tools/baton' } });
  const importing = (...args: string[]): string[] => ['import', 'new', fixture, ...args];

  it.each<[string, string[], Record<string, string>]>([
    ['--url', ['--url', `${url}/`], { BATON_URL: 'http://127.0.0.1:1', PORT: '1' }],
    ['BATON_URL', [], { BATON_URL: url, PORT: '1' }],
    ['PORT', [], { BATON_URL: '', PORT: port }],
    ['PORT and BATON_BASE_PATH', [], { PORT: new URL(based).port, BATON_BASE_PATH: '/tools/baton/' }],
  ])('is taken from %s', async (_name, args, env) => {
    expect(await baton(importing(...args), env)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Session session_\w+ was created/) as string,
    });
  });

  it('is named with exit code 75 when nothing answers there', async () => {
    const listening = createServer();
    await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
    const free = String((listening.address() as AddressInfo).port);
    await new Promise((resolve) => listening.close(resolve));
    for (const args of [importing(), ['agent', 'claude-1']]) {
      const { code, stderr } = await baton(args, { PORT: free });
      expect([code, stderr]).toEqual([
        75,
        `Nothing answers at http://127.0.0.1:${free} (ECONNREFUSED): start Baton there, or give its address with --url\n`,
      ]);
    }
  });
});

it('exits with 75 when PostgreSQL does not answer', async () => {
  const away = { DATABASE_URL: 'postgresql://baton:secret@127.0.0.1:1/baton' };
  for (const args of [['migrate'], ['key', 'list']]) {
    const { code, stderr } = await baton(args, away);
    expect([code, stderr]).toEqual([75, expect.stringMatching(/^PostgreSQL does not answer \(/)]);
    expect(stderr).not.toContain('secret');
  }
});
