import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { endsWithThisProcess } from './children.ts';
import { atEnd } from './database.ts';
import { temporaryFolder } from './temporary.ts';

/** The command line that runs a program where only the given ports of 127.0.0.1 can be reached. */
export type Wrap = (program: string, args: readonly string[]) => [string, string[]];

const forwarder = `import { connect, createServer } from 'node:net';
const [folder, ...ports] = process.argv.slice(2);
const ready = ports.map((port) => new Promise((resolve) => createServer((from) => {
  const to = connect(folder + '/' + port);
  from.on('error', () => to.destroy()).on('close', () => to.destroy());
  to.on('error', () => from.destroy()).on('close', () => from.destroy());
  from.pipe(to).pipe(from);
}).listen(Number(port), '127.0.0.1', resolve)));
await Promise.all(ready);
console.log('ready');`;

/**
 * A network namespace with its own loopback and nothing else. Its ports are connected with those of this machine by Unix
 * sockets. Without root programs run outside of it, and a line says so.
 */
export async function loopbackOnly(ports: readonly number[]): Promise<Wrap> {
  if (spawnSync('unshare', ['-n', 'ip', 'link', 'set', 'lo', 'up']).status !== 0) {
    process.stdout.write('The programs were not cut off from the network: that needs root, unshare and ip\n');
    return (program, args) => [program, [...args]];
  }
  const folder = temporaryFolder('baton-net');
  for (const port of ports) await bridge(join(folder, String(port)), port);
  const program = join(folder, 'forward.mjs');
  writeFileSync(program, forwarder);
  const child = endsWithThisProcess(
    spawn(
      'unshare',
      [
        '-n',
        'sh',
        '-c',
        'ip link set lo up && exec "$@"',
        'sh',
        process.execPath,
        program,
        folder,
        ...ports.map(String),
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    ),
  );
  atEnd(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return (program, args) => ['nsenter', ['-t', String(child.pid), '-n', '--', program, ...args]];
}

/** Passes connections of a Unix socket on to a port. */
async function bridge(path: string, port: number): Promise<void> {
  const open = new Set<Socket>();
  const server = createServer((from) => {
    const to = connect(port, '127.0.0.1');
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const) {
      open.add(one);
      one
        .on('error', () => other.destroy())
        .on('close', () => {
          open.delete(one);
          other.destroy();
        });
    }
    from.pipe(to).pipe(from);
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  atEnd(async () => {
    for (const socket of open) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
}
