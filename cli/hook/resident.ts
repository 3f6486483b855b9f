import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { stateFolder } from '../connect/stateFolder.ts';
import { jsonLine } from '../output.ts';

/**
 * A process that answers hooks through `baton.sh`: the start of Node is most of what a hook takes. One for the user's state folder, behind
 * a socket there, until nothing asks it for half an hour or its program is replaced.
 */
const idleMs = 30 * 60_000;
const lookMs = 30_000;
/** From the answer until the tool has it. */
const printMs = 5_000;
/** The wait for a sign of life of Baton: longer than in a process of its own, whose start is part of a hook's 300 ms. */
export const residentSilenceMs = 200;
/** What the path of a socket may have on every system. */
const mostPath = 100;
const maxBytes = 64 * 1024 * 1024;

/** What a process of the tool asks. */
export interface Asked {
  /** After `baton hook`. */
  args: string[];
  env: NodeJS.ProcessEnv;
  cwd: string;
  /** Of its standard input. */
  input: string;
  /** Resolves when the tool has it. @throws when it does not get it */
  print: (answer: object) => Promise<void>;
}

const socketPath = (): string => join(stateFolder(), 'hook.sock');

/** Whether such a process can be started here. */
export function startsResident(): boolean {
  try {
    return Buffer.byteLength(socketPath()) <= mostPath;
  } catch {
    return false;
  }
}

/** Answers hooks until the process is idle or replaced. `answer` returns null for a hook that has to start a process of its own. */
export async function stay(answer: (asked: Asked) => Promise<void> | null): Promise<void> {
  const { createServer } = await import('node:http');
  const isSame = sameProgram();
  const path = socketPath();
  let lastAsked = performance.now();
  const printed = new WeakMap<Socket, () => void>();
  const server = createServer((request, response) => {
    lastAsked = performance.now();
    if (request.url === '/printed') {
      printed.get(request.socket)?.();
      response.end();
      return;
    }
    void takeOn(request, response).catch(() => response.headersSent || response.writeHead(409).end());
  });

  async function takeOn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = isSame() ? readAsked(await bodyOf(request)) : null;
    const print = (text: object): Promise<void> =>
      new Promise((resolve, reject) => {
        const failed = (): void => reject(new Error('nothing read the answer'));
        printed.set(request.socket, resolve);
        request.socket.once('close', failed);
        setTimeout(failed, printMs).unref();
        response.end(jsonLine(text));
      });
    const answered = asked === null ? null : answer({ ...asked, print });
    if (answered === null) response.writeHead(409);
    await answered;
    if (!response.writableEnded) response.end();
    if (!isSame()) end();
  }

  const inode = await listen(server, path);
  const isOurs = (): boolean => statSync(path, { throwIfNoEntry: false })?.ino === inode;
  const looking = setInterval(() => {
    if (!isOurs() || !isSame() || performance.now() - lastAsked > idleMs) end();
  }, lookMs);
  const end = (): void => {
    clearInterval(looking);
    if (isOurs()) rmSync(path, { force: true });
    server.close();
    server.closeIdleConnections();
  };
}

/** Takes the place of an earlier one, whose socket nothing may answer any more. Returns the inode of the socket. */
async function listen(server: Server, path: string): Promise<number> {
  const own = `${path}.${process.pid}`;
  rmSync(own, { force: true });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(own, resolve));
  const { ino } = statSync(own);
  renameSync(own, path);
  return ino;
}

/** Whether the program and its Node are those that this process has loaded. */
function sameProgram(): () => boolean {
  const stateOf = (path: string): string => {
    const { ino, mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? {};
    return `${ino} ${mtimeMs}`;
  };
  const program = process.argv[1]!;
  const before = stateOf(program);
  return () => stateOf(program) === before && existsSync(process.execPath);
}

/** Node reads them at its start only. */
const ofNode = ['NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS', 'NODE_TLS_REJECT_UNAUTHORIZED'];

/** Reads what `baton.sh` sends, separated by NUL: program, folder, variables, '', arguments, '', input. Null: for another program, or with other settings of Node. */
function readAsked(body: string): Omit<Asked, 'print'> | null {
  const words = body.split('\0');
  const upToEmpty = (): string[] => words.splice(0, words.indexOf('') + 1).slice(0, -1);
  const [program, cwd = ''] = words.splice(0, 2);
  const sent = Object.fromEntries(
    upToEmpty().map((word) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]),
  );
  const args = upToEmpty();
  const isOther =
    program !== process.argv[1] || ofNode.some((name) => (sent[name] ?? '') !== (process.env[name] ?? ''));
  return isOther ? null : { args, cwd, input: words.join('\0'), env: { ...process.env, ...sent } };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Error('The input is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
