import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { endsWithThisProcess } from './children.ts';
import { atEnd } from './database.ts';
import { dataFolder } from './dataFolder.ts';
import { blocksOf } from './docs/blocks.ts';
import { freePort } from './ports.ts';
import { isAlive, signalFamily } from './processes.ts';
import { requireProgram, type Program } from './programs.ts';
import { postgresProgram } from './streamingReplica.ts';
import { tcpProxy, type TcpProxy } from './tcpProxy.ts';
import { temporaryFolder } from './temporary.ts';

const program = (name: string, path: string, debian: string): Program => ({
  name,
  package: debian,
  find: () => (existsSync(path) ? path : undefined),
  advice: `install ${debian} from the packages of your system`,
});
const etcdProgram = program('etcd', '/usr/bin/etcd', 'etcd-server');
const haproxyProgram = program('HAProxy', '/usr/sbin/haproxy', 'haproxy');
const patroniProgram = program('Patroni', '/usr/bin/patroni', 'patroni');
/** What `patroniCluster` needs. */
export const patroniPrograms = [
  postgresProgram,
  etcdProgram,
  haproxyProgram,
  patroniProgram,
  program("Python's client of etcd", '/usr/lib/python3/dist-packages/etcd/client.py', 'python3-etcd'),
];

/** A PostgreSQL with its Patroni. */
export interface Member {
  name: string;
  /** SIGKILL of both. */
  kill(): Promise<void>;
  start(): void;
  freeze(): void;
  resume(): void;
  /** Its Patroni cannot reach etcd any more, or can again. */
  cutOff(isCut: boolean): void;
}

export interface PatroniCluster {
  members: readonly Member[];
  /** Leads to the primary, by HAProxy. */
  proxyUrl: string;
  /** Names all members: the client finds the primary. */
  hostsUrl: string;
  /** Waits until there is a primary, and the others stream from it, one of them synchronously. */
  whole(): Promise<{ leader: Member; synchronous: Member; other: Member }>;
  /** Waits until another one than this is the primary. */
  leaderAfter(member: Member): Promise<Member>;
  /** Waits until another one than this is the synchronous standby. */
  synchronousAfter(member: Member): Promise<Member>;
  switchover(from: Member, to: Member): Promise<void>;
}

interface State {
  members: { name: string; role: string; state: string; timeline?: number }[];
}

const names = ['db1', 'db2', 'db3'];

/** The cluster of docs/high-availability.md on this machine, with one etcd and without a watchdog. */
export async function patroniCluster(): Promise<PatroniCluster> {
  const folder = temporaryFolder('baton-patroni', dataFolder());
  const user = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {};
  const give = (path: string): string => {
    if (user.uid !== undefined) chownSync(path, user.uid, user.gid);
    return path;
  };
  give(folder);
  const options = { ...user, cwd: folder, env: { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' } };
  const logs: string[] = [];
  const run = (file: string, args: string[]): ChildProcess => {
    const child = endsWithThisProcess(spawn(file, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] }));
    for (const output of [child.stdout, child.stderr])
      output.on('data', (chunk: Buffer) => void (logs.push(chunk.toString()) > 200 && logs.shift()));
    return child;
  };

  const etcd = `http://127.0.0.1:${await freePort()}`;
  const peer = `http://127.0.0.1:${await freePort()}`;
  const etcdChild = run(requireProgram(etcdProgram), [
    ...['--data-dir', join(folder, 'etcd'), '--log-level', 'error', '--enable-v2'],
    ...['--listen-client-urls', etcd, '--advertise-client-urls', etcd, '--listen-peer-urls', peer],
    ...['--initial-advertise-peer-urls', peer, '--initial-cluster', `default=${peer}`],
  ]);
  atEnd(() => void etcdChild.kill('SIGKILL'));

  const block = (language: string): string =>
    blocksOf('docs/high-availability.md').find((found) => found.language === language)!.text;
  const bin = requireProgram(postgresProgram);
  const places = await Promise.all(
    names.map(async (name) => ({ name, postgres: await freePort(), rest: await freePort() })),
  );
  const members = await Promise.all(
    places.map(async (place): Promise<Member> => {
      const way = await tcpProxy(Number(new URL(etcd).port));
      atEnd(() => way.close());
      return patroniMember(place, way);
    }),
  );
  const port = await freePort();
  const haproxy = places.reduce(
    (text, { postgres, rest }, at) =>
      text.replace(`10.0.0.${11 + at}:5432 check port 8008`, `127.0.0.1:${postgres} check port ${rest}`),
    block('haproxy').replace('127.0.0.1:5000', `127.0.0.1:${port}`),
  );
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(file, `${haproxy}\n`);
  const haproxyChild = run(requireProgram(haproxyProgram), ['-db', '-f', file]);
  atEnd(() => void haproxyChild.kill('SIGKILL'));
  for (const member of members) {
    atEnd(() => member.kill());
    member.start();
  }

  const state = async (): Promise<State> => {
    for (const { rest } of places) {
      const answer = await fetch(`http://127.0.0.1:${rest}/cluster`, { signal: AbortSignal.timeout(1_000) }).catch(
        () => null,
      );
      if (answer?.ok === true) return (await answer.json()) as State;
    }
    return { members: [] };
  };
  const until = async <T>(what: string, find: (state: State) => T | undefined): Promise<T> => {
    for (const began = Date.now(); ; await wait(100)) {
      const found = find(await state());
      if (found !== undefined) return found;
      if (Date.now() - began > 120_000)
        throw new Error(`Waited in vain until ${what}: ${JSON.stringify(await state())}\n${logs.join('')}`);
    }
  };
  const named = (name: string | undefined): Member | undefined => members.find((member) => member.name === name);
  const login = 'postgres:CHANGE-ME@';
  return {
    members,
    proxyUrl: `postgresql://${login}127.0.0.1:${port}/postgres`,
    hostsUrl: `postgresql://${login}${places.map(({ postgres }) => `127.0.0.1:${postgres}`).join(',')}/postgres?target_session_attrs=read-write`,
    whole: () =>
      until('all stream', ({ members: all }) => {
        const leader = all.find(({ role, state: now }) => role === 'leader' && now === 'running');
        const following = all.filter(
          ({ role, state: now, timeline }) =>
            role !== 'leader' && ['running', 'streaming'].includes(now) && timeline === leader?.timeline,
        );
        const synchronous = following.find(({ role }) => role === 'sync_standby');
        if (leader === undefined || synchronous === undefined || following.length < names.length - 1) return undefined;
        const other = following.find((each) => each !== synchronous)!;
        return { leader: named(leader.name)!, synchronous: named(synchronous.name)!, other: named(other.name)! };
      }),
    leaderAfter: (before) =>
      until(`another than ${before.name} leads`, ({ members: all }) =>
        named(
          all.find(({ name, role, state: now }) => role === 'leader' && now === 'running' && name !== before.name)
            ?.name,
        ),
      ),
    synchronousAfter: (before) =>
      until(`another than ${before.name} is the synchronous standby`, ({ members: all }) =>
        named(all.find(({ name, role }) => role === 'sync_standby' && name !== before.name)?.name),
      ),
    async switchover(from, to) {
      const { rest } = places[names.indexOf(from.name)]!;
      const answer = await fetch(`http://127.0.0.1:${rest}/switchover`, {
        method: 'POST',
        body: JSON.stringify({ leader: from.name, candidate: to.name }),
      });
      if (!answer.ok) throw new Error(await answer.text());
    },
  };

  function patroniMember({ name, postgres, rest }: (typeof places)[number], way: TcpProxy): Member {
    const data = join(folder, name);
    const sockets = join(folder, `${name}-socket`);
    mkdirSync(sockets);
    give(sockets);
    const config = block('yaml')
      .replace('name: db1', `name: ${name}`)
      .replaceAll('10.0.0.11:8008', `127.0.0.1:${rest}`)
      .replace(/hosts: .*$/m, `hosts: 127.0.0.1:${way.port}\n  use_proxies: true`)
      .replaceAll('10.0.0.11:5432', `127.0.0.1:${postgres}`)
      // By default in the home of the user, whom they share here.
      .replace('data_dir: /var/lib/postgresql/15/baton', `data_dir: ${data}\n  pgpass: ${data}.pgpass`)
      .replace('/usr/lib/postgresql/15/bin', bin)
      .replaceAll('10.0.0.0/24', '127.0.0.1/32')
      // This machine has one disk, and no test loses its power.
      .replace('jit:', `fsync: 'off'\n        unix_socket_directories: ${sockets}\n        jit:`)
      .replace('mode: required', 'mode: off');
    const file = join(folder, `${name}.yml`);
    writeFileSync(file, config, { mode: 0o600 });
    give(file);
    let patroni: ChildProcess | undefined;
    const postmaster = (): number | undefined => {
      const pidFile = join(data, 'postmaster.pid');
      const pid = existsSync(pidFile) ? Number.parseInt(readFileSync(pidFile, 'utf8'), 10) : Number.NaN;
      return Number.isNaN(pid) || !isAlive(pid) ? undefined : pid;
    };
    const both = (signal: NodeJS.Signals): void => {
      patroni?.kill(signal);
      const pid = postmaster();
      if (pid !== undefined) signalFamily(pid, signal);
    };
    return {
      name,
      start: () => void (patroni = run(requireProgram(patroniProgram), [file])),
      async kill() {
        if (patroni === undefined) return;
        const gone = patroni.exitCode === null && patroni.signalCode === null ? once(patroni, 'exit') : undefined;
        both('SIGKILL');
        await gone;
        patroni = undefined;
        while (postmaster() !== undefined) await wait(20);
      },
      freeze: () => both('SIGSTOP'),
      resume: () => both('SIGCONT'),
      cutOff: (isCut) => way.setMood(isCut ? 'refuse' : 'pass'),
    };
  }
}

const idOf = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
