import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { endsWithThisProcess } from './children.ts';
import { atEnd } from './database.ts';
import { blocksOf } from './docs/blocks.ts';
import { freePort } from './ports.ts';
import { caddyProgram, nginxProgram, requireProgram, type Program } from './programs.ts';
import { temporaryFolder } from './temporary.ts';

/** A proxy that docs/operations.md configures. */
export interface ProxyKind {
  program: Program;
  /** The configuration of the document, for this port, server and path, without TLS. */
  configure(text: string, to: { port: number; server: string; path: string; folder: string }): string;
  args(file: string, folder: string): string[];
}

export const nginx: ProxyKind = {
  program: nginxProgram,
  configure: (text, { port, server, path, folder }) => `
    daemon off;
    pid ${folder}/pid;
    error_log stderr;
    events {}
    http {
      access_log off;
      ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join('\n')}
      ${text
        .replace('listen 443 ssl;', `listen 127.0.0.1:${port};`)
        .replaceAll(/^ *ssl_certificate.*$/gm, '')
        .replace('http://127.0.0.1:4000', server)
        .replace('location / {', `location ${path}/ {`)}
    }`,
  args: (file, folder) => ['-c', file, '-p', folder, '-e', 'stderr'],
};

export const caddy: ProxyKind = {
  program: caddyProgram,
  configure: (text, { port, server, path }) =>
    `{\n admin off\n}\n${text
      .replace('baton.example.com', `http://127.0.0.1:${port}`)
      .replace(
        'reverse_proxy 127.0.0.1:4000',
        `reverse_proxy ${path === '' ? '' : `${path}* `}${new URL(server).host}`,
      )}\n`,
  args: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
};

/** Starts the proxy as docs/operations.md describes it, in front of `server` at `path`. Returns its address with the path. */
export async function startProxy(kind: ProxyKind, server: string, path: string): Promise<string> {
  const program = requireProgram(kind.program);
  const folder = temporaryFolder('baton-proxy');
  const port = await freePort();
  const language = kind.program === nginx.program ? 'nginx' : 'caddyfile';
  const { text } = blocksOf('docs/operations.md').find((block) => block.language === language)!;
  const file = join(folder, 'config');
  await writeFile(file, kind.configure(text, { port, server: new URL(server).origin, path, folder }));
  const { PATH } = process.env;
  const child = endsWithThisProcess(
    spawn(program, kind.args(file, folder), { env: { PATH, HOME: folder }, stdio: ['ignore', 'ignore', 'pipe'] }),
  );
  const said: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => void said.push(chunk.toString()));
  atEnd(async () => {
    const gone = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined;
    // Ends nginx with its workers.
    child.kill('SIGTERM');
    await gone;
  });
  while (!(await answers(port))) {
    if (child.exitCode !== null) throw new Error(`${kind.program.name} did not start:\n${said.join('')}`);
    await wait(20);
  }
  return `http://127.0.0.1:${port}${path}`;
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket
      .once('connect', () => resolve(true))
      .once('error', () => resolve(false))
      .once('close', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
