import { execFile, execFileSync, spawn, type SpawnOptions } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { sharedBrowser } from './browser.ts';
import { endsWithThisProcess } from './children.ts';
import { atEnd, emptyDatabase } from './database.ts';
import { blocksOf } from './docs/blocks.ts';
import { Samples } from './docs/samples.ts';
import { runShell } from './docs/shell.ts';
import { client } from './graphql.ts';
import { npmTool } from './npmTool.ts';
import { otherNode } from './otherNode.ts';
import { startRedis } from './redis.ts';
import { temporaryFolder } from './temporary.ts';

// Packing builds everything, and a machine with other work is slow.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 600_000 });

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
const folder = temporaryFolder('baton-package');
chmodSync(folder, 0o755);

const isRoot = process.getuid?.() === 0;
const nobody = { uid: 65_534, gid: 65_534 };
const npm = (...args: string[]) =>
  execFileSync('npm', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
const network = Object.entries(process.env).filter(([name]) => /_CERTS|_PROXY$/i.test(name));
/** Of the npm that runs this test only the way to the registry reaches the package. */
const clean = {
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
  ...Object.fromEntries(network),
  npm_config_registry: npm('config', 'get', 'registry'),
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_update_notifier: 'false',
};

let tarball: string;

beforeAll(async () => {
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', folder], {
    cwd: root,
    env: clean,
    maxBuffer: 10_000_000,
  });
  tarball = join(folder, stdout.trim().split('\n').at(-1)!);
  chmodSync(tarball, 0o644);
});

function newFolder(name: string, owner?: { uid: number; gid: number }): string {
  const path = join(folder, name);
  mkdirSync(path, { mode: 0o755 });
  if (owner !== undefined) chownSync(path, owner.uid, owner.gid);
  return path;
}

/** Installs the package into a new folder that holds nothing else. */
async function install(name: string, ...options: string[]): Promise<string> {
  const cwd = newFolder(name);
  await run('npm', ['install', '--no-save', ...options, tarball], { cwd, env: clean });
  return cwd;
}

let installed: Promise<string> | undefined;
/** A folder with the package, for tests that leave it as it is. */
const sharedInstall = (): Promise<string> => (installed ??= install('installed'));

interface Started {
  url: string;
  log(): string;
  stop(): Promise<number | null>;
}

/** Starts a command that runs a server on a free port; resolves when the server is ready. */
async function start(
  command: string,
  args: string[],
  { env, ...options }: SpawnOptions & { env: Record<string, string> },
): Promise<Started> {
  const child = endsWithThisProcess(
    spawn(command, args, {
      ...options,
      env: { ...clean, PORT: '0', ...env },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
  let log = '';
  let hasEnded = false;
  void child.once('exit', () => (hasEnded = true));
  const closed = new Promise<number | null>((resolve) => void child.once('close', resolve));
  const url = await new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (data: Buffer) => {
        log += data.toString();
        const [, found] = /"url":"([^"]+)"/.exec(log) ?? [];
        if (found !== undefined) resolve(found);
      });
    }
    void closed.then((code) => reject(new Error(`ended with ${code}:\n${log}`)));
  });
  const stop = async (): Promise<number | null> => {
    if (!hasEnded) process.kill(-child.pid!, 'SIGTERM');
    return closed;
  };
  atEnd(async () => void (await stop()));
  return { url, log: () => log, stop };
}

/** The README's requests to a server that just started. */
const firstMinute = blocksOf('README.md').filter(({ language, text }) => language === 'sh' && text.startsWith('curl'));

async function expectFirstMinute(url: string, onFirst = (): void => undefined): Promise<void> {
  const samples = new Samples(url);
  expect(firstMinute[0]!.text).toContain('reassignSession');
  for (const { text, sample } of firstMinute) {
    const command = await runShell(samples.adapt(text), {});
    const { expected, actual } = samples.compare(sample!, command.stdout());
    expect(actual).toEqual(expected);
    onFirst();
    onFirst = () => undefined;
  }
}

const filesIn = (path: string): Map<string, number> =>
  new Map(
    readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => [file, lstatSync(file).size]),
  );

/** The packages in a node_modules folder, nested ones too. */
function packagesIn(modules: string): string[] {
  const names = readdirSync(modules).flatMap((name) =>
    name.startsWith('.')
      ? []
      : name.startsWith('@')
        ? readdirSync(join(modules, name)).map((part) => `${name}/${part}`)
        : [name],
  );
  return names.flatMap((name) => [
    name,
    ...(existsSync(join(modules, name, 'node_modules')) ? packagesIn(join(modules, name, 'node_modules')) : []),
  ]);
}

describe('the package', () => {
  it('starts by npx in an empty folder, without a cache of npm, and passes the first minute of the README', async () => {
    const [cwd, home] = [newFolder('npx'), newFolder('home')];
    const began = performance.now();
    let seconds = Infinity;
    const server = await start('npx', ['--yes', join('..', basename(tarball)), 'start'], { cwd, env: { HOME: home } });
    await expectFirstMinute(server.url, () => (seconds = (performance.now() - began) / 1_000));
    process.stdout.write(`From npx to the first reassign: ${seconds.toFixed(1)} s\n`);
    expect(seconds).toBeLessThan(60);
    await server.stop();
    // Nothing but the data is left in the folder.
    expect(readdirSync(cwd)).toEqual(['.baton']);
  });

  it('installs at most 140 packages and 220 MB, and none of them for development', async () => {
    const modules = join(await sharedInstall(), 'node_modules');
    const packages = packagesIn(modules);
    const megabytes = [...filesIn(modules).values()].reduce((sum, size) => sum + size, 0) / 1_000_000;
    process.stdout.write(`${packages.length} packages, ${megabytes.toFixed(0)} MB\n`);
    expect(packages.length).toBeLessThanOrEqual(140);
    expect(megabytes).toBeLessThanOrEqual(220);
    for (const tool of ['prisma', 'vite', 'tsx', 'typescript', 'esbuild', 'react'])
      expect(packages).not.toContain(tool);
    const packed = [...filesIn(join(modules, 'baton-handoffs')).keys()];
    expect(packed.filter((file) => /\.tsx?$/.test(file) && !/\.d\.ts$|\/client\/examples\//.test(file))).toEqual([]);
    for (const file of ['LICENSE', 'CHANGELOG.md', 'README.md', 'schema.graphql', 'dist/index.html', 'lib/licenses.md'])
      expect(packed).toContain(join(modules, 'baton-handoffs', file));
  });

  it('runs as a user who may write only its data folder, also when npm ran no install script', async ({ skip }) => {
    if (!isRoot) return skip('only root can start a server as another user');
    const cwd = await install('read-only', '--ignore-scripts');
    const data = newFolder('data', nobody);
    const before = filesIn(cwd);
    const program = join(cwd, 'node_modules/.bin/baton');
    const as = { cwd, ...nobody, env: { BATON_DATA: join(data, 'baton'), HOME: '/nonexistent' } };
    for (const time of ['first', 'second']) {
      const server = await start(process.execPath, [program, 'start'], as);
      if (time === 'first') await expectFirstMinute(server.url);
      expect((await client(server.url).post('{ agents { totalCount } }')).data).toEqual({ agents: { totalCount: 12 } });
      expect(await server.stop()).toBe(0);
    }
    expect(filesIn(cwd)).toEqual(before);
    expect(readdirSync(join(data, 'baton'))).toContainEqual(expect.stringMatching(/^postgresql-/));
  });

  it('migrates another PostgreSQL, and starts on it with Redis and keys', async () => {
    const cwd = await sharedInstall();
    const program = join(cwd, 'node_modules/.bin/baton');
    const [database, redis] = await Promise.all([emptyDatabase(), startRedis()]);
    atEnd(() => redis.stop());
    const env = {
      DATABASE_URL: database.url,
      REDIS_URL: redis.url,
      BATON_ADMIN_KEY: 'a-key-for-this-test-of-32-characters',
      BATON_DEMO: '1',
    };
    const ended = (...args: string[]) => run(program, args, { cwd, env: { ...clean, ...env } });
    await expect(ended('start')).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/: run baton migrate\n$/) as string,
    });
    expect((await ended('migrate')).stdout).toMatch(/^Applied: \d{14}_first/);
    expect((await ended('migrate', 'status')).stdout).not.toContain('Missing');
    const key = (await ended('key', 'create', '--role', 'operator', '--name', 'this test')).stdout.trim();
    const server = await start(program, ['start'], { cwd, env });
    expect((await client(server.url, { key }).post('{ viewer { role } }')).data).toEqual({
      viewer: { role: 'OPERATOR' },
    });
    expect(await (await fetch(`${server.url}/readyz`)).json()).toEqual({ status: 'ok' });
    await ended('backup', 'baton.backup');
    expect((await ended('restore', '--check', 'baton.backup')).stdout).toMatch(/^baton\.backup is whole: \d+ rows/);
    expect(await server.stop()).toBe(0);
  });

  it('names its commands as they are called', async () => {
    const cwd = await sharedInstall();
    const baton = (...args: string[]) =>
      run(join(cwd, 'node_modules/.bin/baton'), args, {
        cwd,
        env: { ...clean, PORT: '1', DATABASE_URL: 'postgresql://127.0.0.1:1/none' },
      });
    for (const name of [
      'start',
      'migrate',
      'backup',
      'restore',
      'key',
      'import',
      'agent',
      'mcp',
      'connect',
      'hook',
      'inbox',
      'handoff',
    ])
      expect((await baton(name, '--help')).stdout).toMatch(new RegExp(`^baton ${name}`));
    await expect(baton('agent', 'claude-1')).rejects.toMatchObject({
      code: 75,
      stderr: expect.stringMatching(/^Nothing answers at http:\/\/127\.0\.0\.1:1 /) as string,
    });
    await expect(baton('migrate')).rejects.toMatchObject({ code: 75 });
    await expect(baton('key', 'create')).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining('baton key revoke <key id>') as string,
    });
  });
});

const typed = `import { createApi, openStream, ReassignSessionDocument, Refused, takeHandoffs, type PayloadOf, type ReassignSessionMutation } from 'baton-handoffs/client';

const ask = createApi({ url: 'http://127.0.0.1:4000' });

export async function move(sessionId: string): Promise<string> {
  const payload: PayloadOf<ReassignSessionMutation> = await ask(ReassignSessionDocument, { input: { sessionId, agentId: 'claude-1' } });
  // @ts-expect-error the input has no such field
  await ask(ReassignSessionDocument, { input: { session: sessionId } });
  return payload.session.agent?.id ?? payload.message;
}

export async function listen(): Promise<void> {
  const stream = openStream<{ handoff: { id: string } | null }>({ url: 'http://127.0.0.1:4000', topic: { kind: 'handoffAssigned', agentId: 'claude-1' }, fields: 'handoff { id }' });
  for await (const { cursor, handoff } of stream) if (handoff?.id === cursor) throw new Refused('NONE', 'never');
}

export const work = (): Promise<void> => takeHandoffs({ url: 'http://127.0.0.1:4000', agentId: 'claude-1' }, async ({ session, contextPrompt }) => void (await move(session.id + contextPrompt.text)));
`;

/** Prints the role of the caller over HTTP, and over a stream that it is live. */
const program = `
const ask = createApi({ url: process.argv[2] });
const { viewer } = await ask(ViewerDocument, {});
const stream = openStream({ url: process.argv[2], webSocket: globalThis.WebSocket ?? (await import('ws')).WebSocket, topic: { kind: 'handoffEvents' } });
await stream.ready;
stream.stop();
console.log(viewer.role, stream.status.state);
`;
const names = '{ createApi, openStream, ViewerDocument }';

describe('the package', () => {
  // The oldest way of TypeScript to find a module knows no exports, and a schema has no types.
  it.each([
    ['publint', '0.3.25', 'src/cli.js', ['--strict']],
    [
      '@arethetypeswrong/cli',
      '0.18.5',
      'dist/index.js',
      ['--profile', 'node16', '--exclude-entrypoints', 'schema.graphql'],
    ],
  ])('has no fault that %s finds', async (name, version, program, args) => {
    const found = await run(process.execPath, [join(npmTool(name, version), program), tarball, ...args], {
      cwd: folder,
    }).catch(({ stdout, stderr }: { stdout: string; stderr: string }) => ({ stdout: `FAULTS ${stdout}${stderr}` }));
    expect(found.stdout).not.toContain('FAULTS');
  });
});

describe('baton-handoffs/client', () => {
  let cwd: string;
  let server: Started;

  beforeAll(async () => {
    cwd = await install('client');
    await run('npm', ['install', '--no-save', 'ws@8', tarball], { cwd, env: clean });
    server = await start(join(cwd, 'node_modules/.bin/baton'), ['start'], { cwd, env: { HOME: cwd } });
    writeFileSync(join(cwd, 'program.mjs'), `import ${names} from 'baton-handoffs/client';\n${program}`);
    writeFileSync(
      join(cwd, 'program.cjs'),
      `const ${names} = require('baton-handoffs/client');\nvoid (async () => {${program}})();\n`,
    );
    writeFileSync(join(cwd, 'typed.ts'), typed);
  });

  it.each([
    ['node16', 'module', { module: 'node16' }],
    ['node16, in a CommonJS package', 'commonjs', { module: 'node16' }],
    ['nodenext', 'module', { module: 'nodenext', verbatimModuleSyntax: true, exactOptionalPropertyTypes: true }],
    ['bundler', 'module', { module: 'esnext', moduleResolution: 'bundler' }],
  ])('has types for %s, without skipLibCheck', async (_name, type, compilerOptions) => {
    writeFileSync(join(cwd, 'package.json'), JSON.stringify({ type }));
    writeFileSync(
      join(cwd, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: { strict: true, target: 'es2022', noEmit: true, types: [], ...compilerOptions },
        files: ['typed.ts'],
      }),
    );
    await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', cwd]).catch(
      ({ stdout }: { stdout: string }) => expect(stdout).toBe(''),
    );
  });

  it('comes with the schema, the types of unions for a cache, the persisted operations, and agents to copy', () => {
    const { resolve } = createRequire(join(cwd, 'program.mjs'));
    const read = (file: string): string => readFileSync(resolve(`baton-handoffs/${file}`), 'utf8');
    expect(read('schema.graphql')).toContain('reassignSession(');
    expect(JSON.parse(read('possibleTypes.json'))).toMatchObject({
      ReassignSessionResult: expect.arrayContaining(['ReassignSessionPayload', 'AgentAtCapacityError']) as string[],
    });
    expect(Object.values(JSON.parse(read('persisted-documents.json')) as object).join('\n')).toContain(
      'query Sessions(',
    );
    expect(readdirSync(join(cwd, 'node_modules/baton-handoffs/client/examples')).sort()).toEqual([
      'claudeAgent.mjs',
      'langGraph.ts',
      'openaiAgents.ts',
      'vercelAi.ts',
    ]);
  });

  it.each(['20', '22', '24'])('works in Node %s, as ES module and CommonJS', async (version) => {
    const node = otherNode(version);
    expect((await run(node, ['--version'])).stdout).toMatch(new RegExp(`^v${version}\\.`));
    for (const file of ['program.mjs', 'program.cjs'])
      expect((await run(node, [file, server.url], { cwd })).stdout).toBe('ADMIN closed\n');
  });

  it('works in a browser as it is', async () => {
    const page = await (await sharedBrowser()).newPage();
    atEnd(() => page.close());
    await page.goto(`${server.url}/livez`);
    const code = readFileSync(join(cwd, 'node_modules/baton-handoffs/lib/client.js'), 'utf8');
    // As a string: the test's own bundler would change an import.
    const seen: unknown = await page.evaluate(`(async () => {
      const ${names} = await import(URL.createObjectURL(new Blob([${JSON.stringify(code)}], { type: 'text/javascript' })));
      const { viewer } = await createApi({ url: location.origin })(ViewerDocument, {});
      const stream = openStream({ url: location.origin, topic: { kind: 'handoffEvents' } });
      await stream.ready;
      stream.stop();
      return [viewer.role, stream.status.state];
    })()`);
    expect(seen).toEqual(['ADMIN', 'closed']);
  });
});
