import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { link, mkdir, readdir, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { AwayError, StartError } from '../../infra/startError.ts';
import { nothingAnswers } from '../serverUrl.ts';
import { placeOf, resumeCommand, sessionFolders, type Program } from './toolFolders.ts';

export interface ExportOptions {
  /** Address of Baton. */
  url: string;
  key: string | undefined;
  sessionId: string;
  as: Program;
  /** The folder in which the program goes on, as `realpath` gives it. */
  folder: string;
  /** A file to write instead; null for where the program's `resume` looks. */
  out: string | null;
  /** Null for Baton's default. */
  maxTokens: string | null;
  env?: NodeJS.ProcessEnv;
}

export interface ExportedTranscript {
  path: string;
  /** Id of the program's session. */
  id: string;
  /** The command that goes on with it, to run in the folder. */
  resume: string[];
}

/**
 * Writes the log of a session where the program's `resume` finds it, for its owner only. Overwrites nothing, and leaves no
 * half of a file. @throws StartError, AwayError
 */
export async function exportTranscript({ url, key, sessionId, as, folder, out, maxTokens, env }: ExportOptions): Promise<ExportedTranscript> {
  const body = await download({ url, key, sessionId, as, folder, maxTokens });
  const beside = out === null ? sessionFolders(env)[as] : dirname(resolve(out));
  await mkdir(beside, { recursive: true, mode: 0o700 });
  const part = join(beside, `.baton-${randomUUID()}.part`);
  try {
    await pipeline(Readable.fromWeb(body), createWriteStream(part, { flags: 'wx', mode: 0o600 })).catch((error: unknown) => {
      throw isOfFile(error) ? error : new AwayError(`${url} broke off: nothing was written, try again`);
    });
    const id = await idIn(part, as);
    const resume = resumeCommand[as](id);
    const path = out === null ? placeOf(as, id, folder, new Date(), env) : resolve(out);
    if (path === null) throw new StartError(`The name of the folder ${folder} is too long to know where ${resume[0]} looks: give a file with --out`);
    const before = out === null && as === 'codex' ? await rolloutOf(beside, id) : null;
    if (before !== null) throw exists(before, resume);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await link(part, path).catch((error: unknown) => {
      throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? exists(path, out === null ? resume : null) : error;
    });
    return { path, id, resume };
  } finally {
    await rm(part, { force: true });
  }
}

/** The transcript as it arrives; a stream that may break before it is read. @throws StartError, AwayError */
export async function download({ url, key, sessionId, as, folder, maxTokens }: Pick<ExportOptions, 'url' | 'key' | 'sessionId' | 'as' | 'folder' | 'maxTokens'>): Promise<ReadableStream> {
  const query = new URLSearchParams({ folder, ...(maxTokens !== null && { maxTokens }) });
  const address = `${url}/sessions/${encodeURIComponent(sessionId)}.${as}.jsonl?${query}`;
  const response = await fetch(address, { headers: key ? { authorization: `Bearer ${key}` } : {} }).catch((error: unknown) => {
    throw nothingAnswers(url, error);
  });
  if (response.ok && response.body !== null) return response.body as ReadableStream;
  const { errors } = (await response.json().catch(() => ({}))) as { errors?: { message: string; extensions?: { code?: string } }[] };
  const [error] = errors ?? [];
  const message = error === undefined ? `${url} answered ${response.status}` : `${error.extensions?.code ?? 'ERROR'}: ${error.message}`;
  throw response.status === 503 || response.status === 429 ? new AwayError(message) : new StartError(message);
}

const exists = (path: string, resume: string[] | null): StartError =>
  new StartError(`${path} exists and was not changed: ${resume === null ? 'give another file with --out' : `go on with '${resume.join(' ')}', or give another file with --out`}`);

const isOfFile = (error: unknown): boolean => (error as NodeJS.ErrnoException).syscall !== undefined && (error as NodeJS.ErrnoException).path !== undefined;

/** The id that Baton gave the program's session, in the first line. */
async function idIn(file: string, as: Program): Promise<string> {
  const input = createReadStream(file);
  for await (const line of createInterface({ input })) {
    input.destroy();
    const { sessionId, payload } = JSON.parse(line) as { sessionId?: string; payload?: { id?: string } };
    return (as === 'codex' ? payload?.id : sessionId)!;
  }
  throw new StartError('Baton sent an empty transcript');
}

/** The rollout of a session, whatever day it was written; null without one. */
async function rolloutOf(root: string, id: string): Promise<string | null> {
  const found = (await readdir(root, { recursive: true })).find((name) => name.endsWith(`-${id}.jsonl`));
  return found === undefined ? null : join(root, found);
}
