import { execFile } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { bundled } from './bundle.ts';
import { atEnd } from './database.ts';
import { temporaryFolder } from './temporary.ts';

interface HookOutput {
  additionalContext?: string;
  permissionDecision?: string;
  permissionDecisionReason?: string;
  updatedInput?: object;
}

/** A folder with a repository, a transcript and a state folder of its own, in which the hooks of a tool run. */
export function workplace(
  url: string,
  {
    agent = 'claude-1',
    branch = 'main',
    key = '',
    wait = '30000',
    state,
  }: { agent?: string; branch?: string; key?: string; wait?: string | null; state?: string } = {},
) {
  const root = temporaryFolder('baton-hook');
  const folder = join(root, 'garden');
  mkdirSync(join(folder, '.git'), { recursive: true });
  writeFileSync(join(folder, '.git/HEAD'), `ref: refs/heads/${branch}\n`);
  const transcript = join(root, 'transcript.jsonl');
  writeFileSync(transcript, '');
  let at = url;
  const stateHome = state ?? join(root, 'state');
  const logFile = join(stateHome, 'baton/hook.log');

  return {
    folder,
    transcript,
    /** Answers one event. Resolves when the process has ended; imports in the background may go on. */
    async hook(
      event: string,
      more: object = {},
      as: { agent?: string; env?: Record<string, string>; closed?: boolean; script?: boolean } = {},
    ): Promise<{ code: number; context: string | null; stderr: string } & Omit<HookOutput, 'additionalContext'>> {
      const input = { session_id: 's1', transcript_path: transcript, cwd: folder, hook_event_name: event, ...more };
      const args = ['hook', 'claude-code', '--agent', as.agent ?? agent, '--url', at];
      if (wait !== null) args.push('--wait', wait);
      const env = { XDG_STATE_HOME: stateHome, BATON_KEY: key, ...as.env };
      const { code, stdout, stderr } = await hookProcess(args, JSON.stringify(input), env, as);
      const { additionalContext: context = null, ...output } =
        stdout === '' ? {} : (JSON.parse(stdout) as { hookSpecificOutput: HookOutput }).hookSpecificOutput;
      return { code, context, ...output, stderr };
    },
    write: (...entries: object[]) =>
      appendFileSync(transcript, entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')),
    moveTo: (other: string) => (at = other),
    /** As if the time were over in which hooks do not ask again. */
    forgetServer: () => {
      const folder = join(stateHome, 'baton/hooks');
      for (const name of existsSync(folder) ? readdirSync(folder) : [])
        if (name.endsWith('.seen')) rmSync(join(folder, name));
    },
    logged: (): string[] => (existsSync(logFile) ? readFileSync(logFile, 'utf8').trimEnd().split('\n') : []),
  };
}

export async function hookProcess(
  args: string[],
  input: string,
  env: Record<string, string>,
  /** `closed`: nothing reads what it prints. `script`: as the settings of a tool start it, which may ask the process that stays. */
  { closed = false, script = false }: { closed?: boolean; script?: boolean } = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  const program = await bundled('cli/baton.ts');
  const { PATH, HOME } = process.env;
  return new Promise((resolve) => {
    const child = execFile(
      script ? 'sh' : process.execPath,
      script ? [join(dirname(program), 'baton.sh'), process.execPath, program, ...args] : [program, ...args],
      { env: { PATH, HOME, ...env } },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
    if (closed) child.stdout!.destroy();
    child.stdin!.end(input);
  });
}

let lines = 0;
/** An entry of a transcript of Claude Code. */
export function entry(type: 'user' | 'assistant', content: unknown, more: object = {}): object {
  lines += 1;
  const message =
    type === 'user'
      ? { role: 'user', content }
      : { role: 'assistant', id: `msg_${lines}`, model: 'm', content, usage: { input_tokens: 10, output_tokens: 5 } };
  return { type, uuid: `line-${lines}`, sessionId: 's1', timestamp: '2026-04-05T10:00:00.000Z', message, ...more };
}
export const calls = (name: string, id: string, input: object): object =>
  entry('assistant', [{ type: 'tool_use', id, name, input }]);
export const resultOf = (id: string, content: string, toolUseResult?: object): object =>
  entry('user', [{ type: 'tool_result', tool_use_id: id, content }], { toolUseResult });

/** Passes requests on and notes the bytes of each transcript that goes through. */
export async function uploadsTo(url: string): Promise<{ url: string; uploads: number[] }> {
  const uploads: number[] = [];
  const server = createServer((request, response) => {
    // Noted before the server has it: what a test sees there has been counted.
    const noted = (body: Buffer): void => {
      if (request.url!.includes('/transcript')) uploads.push(body.length);
    };
    void passOn(url, request, response, undefined, noted);
  });
  return { url: await listen(server), uploads };
}

/** Answers a request as the server at `url` does. Returns its body. */
export async function passOn(
  url: string,
  request: IncomingMessage,
  response: ServerResponse,
  /** Called when the server has answered and the caller does not have it. */
  answered: () => void = () => undefined,
  /** Called with the body before the server has it. */
  received: (body: Buffer) => void = () => undefined,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  received(body);
  const { method = 'GET', headers } = request;
  const answer = await fetch(`${url}${request.url}`, {
    method,
    ...(method === 'POST' && { body, headers: { 'content-type': headers['content-type']! } }),
  });
  answered();
  response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
  return body;
}

/** Listens on a free port until the end of the file. */
export async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
