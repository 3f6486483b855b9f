import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { endsWithThisProcess } from './children.ts';
import { freePort } from './ports.ts';
import { redisProgram, requireProgram } from './programs.ts';
import { makeCertificate } from './certificate.ts';

/** One real redis-server without persistence. */
export interface TestRedis {
  /** For REDIS_URL. */
  url: string;
  port: number;
  /** The environment for a Node process to reach it, including REDIS_URL. */
  env: Record<string, string>;
  /** Runs a command through redis-cli and returns its JSON answer. */
  command(...parts: string[]): Promise<unknown>;
  /** SIGKILL; resolves when the process has ended and its port refuses connections. */
  kill(): Promise<void>;
  /** Restarts it on the same port, empty. */
  start(): Promise<void>;
  /** SIGSTOP: connections stay open without answers. */
  freeze(): void;
  resume(): void;
  /** Ends it for good and removes its folder. */
  stop(): Promise<void>;
}

export interface RedisOptions {
  /** TLS only, with a self-signed certificate. */
  tls?: boolean;
  cluster?: boolean;
}

const run = promisify(execFile);
const startsWithin = 60_000;

/** Starts Redis on a free port; resolves when it is ready. It ends at the latest with this process. */
export async function startRedis({ tls = false, cluster = false }: RedisOptions = {}): Promise<TestRedis> {
  requireProgram(redisProgram);
  const folder = mkdtempSync(join(tmpdir(), 'baton-redis-'));
  const port = await freePort();
  const certificate = tls ? tlsOptions(folder) : undefined;
  const args = [
    ...(certificate === undefined
      ? ['--port', String(port)]
      : ['--port', '0', '--tls-port', String(port), ...certificate.server]),
    ...['--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'no', '--daemonize', 'no'],
    ...(cluster
      ? ['--cluster-enabled', 'yes', '--cluster-node-timeout', '2000', '--repl-diskless-sync-delay', '0']
      : []),
  ];
  let child: ChildProcess | undefined;

  const redis: TestRedis = {
    url: `${tls ? 'rediss' : 'redis'}://127.0.0.1:${port}`,
    port,
    get env() {
      return { REDIS_URL: redis.url, ...certificate?.env };
    },
    async command(...parts) {
      const { stdout } = await run(
        'redis-cli',
        ['-p', String(port), '--json', ...(certificate?.client ?? []), ...parts],
        { timeout: startsWithin },
      );
      return readAnswer(stdout);
    },
    async start() {
      if (child !== undefined) return;
      child = await launch(args);
    },
    async kill() {
      const dying = child;
      child = undefined;
      if (dying === undefined || dying.exitCode !== null || dying.signalCode !== null) return;
      const gone = once(dying, 'exit');
      dying.kill('SIGKILL');
      await gone;
    },
    freeze: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    async stop() {
      await redis.kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
  await redis.start();
  return redis;
}

export interface TestRedisCluster {
  url: string;
  /** The masters first. */
  nodes: TestRedis[];
  stop(): Promise<void>;
}

/** Three Redis masters that share the slots, each with this many replicas; `url` names all of them, like REDIS_URL. */
export async function startRedisCluster({ replicas = 0 } = {}): Promise<TestRedisCluster> {
  const nodes = await Promise.all(Array.from({ length: 3 * (1 + replicas) }, () => startRedis({ cluster: true })));
  const stop = async (): Promise<void> => void (await Promise.all(nodes.map((node) => node.stop())));
  try {
    const addresses = nodes.map(({ port }) => `127.0.0.1:${port}`);
    await run(
      'redis-cli',
      ['--cluster', 'create', ...addresses, '--cluster-yes', '--cluster-replicas', String(replicas)],
      { timeout: startsWithin },
    );
    await until('the cluster agrees about its slots', async () => {
      const known = await Promise.all(nodes.map((node) => node.command('CLUSTER', 'INFO')));
      return known.every(
        (info) => /cluster_state:ok/.test(String(info)) && String(info).includes(`cluster_known_nodes:${nodes.length}`),
      );
    });
    // A node hears late that another has become a replica.
    await until('all nodes know the masters', async () => {
      const known = await Promise.all(nodes.map((node) => node.command('CLUSTER', 'NODES')));
      return known.every((told) => String(told).match(/master -/g)?.length === 3);
    });
    // One that never had the data of its master does not replace it.
    await until('the replicas have the data of their masters', async () => {
      const infos = await Promise.all(nodes.map((node) => node.command('INFO', 'replication')));
      return infos.every((info) => !String(info).includes('master_link_status:down'));
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: nodes.map(({ url }) => url).join(','), nodes, stop };
}

/** CLUSTER INFO and similar commands ignore the JSON option and answer plain text. */
function readAnswer(stdout: string): unknown {
  try {
    return JSON.parse(stdout) as unknown;
  } catch {
    return stdout;
  }
}

async function launch(args: string[]): Promise<ChildProcess> {
  const child = endsWithThisProcess(spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'inherit'] }));
  const said: string[] = [];
  await new Promise<void>((resolve, reject) => {
    const late = setTimeout(
      () => reject(new Error(`redis-server did not start in time:\n${said.join('\n')}`)),
      startsWithin,
    );
    // Unread output would block Redis on a full pipe.
    createInterface(child.stdout).on('line', (line) => {
      if (said.push(line) > 20) said.shift();
      if (!line.includes('Ready to accept connections')) return;
      clearTimeout(late);
      resolve();
    });
    child.once('exit', () => reject(new Error(`redis-server ended at once:\n${said.join('\n')}`)));
    child.once('error', reject);
    child.once('exit', () => clearTimeout(late));
  });
  return child;
}

function tlsOptions(folder: string): { server: string[]; client: string[]; env: Record<string, string> } {
  const { key, certificate } = makeCertificate(folder);
  return {
    server: [
      '--tls-key-file',
      key,
      '--tls-cert-file',
      certificate,
      '--tls-ca-cert-file',
      certificate,
      '--tls-auth-clients',
      'no',
    ],
    client: ['--tls', '--cacert', certificate],
    env: { NODE_EXTRA_CA_CERTS: certificate },
  };
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + startsWithin;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`Waited in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
