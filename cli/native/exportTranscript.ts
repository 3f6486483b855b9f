import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { link, readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { AwayError, StartError } from '../../server/core/startError.ts';
import { makeFolder } from '../connect/stateFolder.ts';
import { keyRefused, nothingAnswers } from '../serverUrl.ts';
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
  /** Only what this agent may read. Default: what the key may read. */
  agent?: string;
  /** Returns the transcript that is there, if it is the same. Default: that is refused. */
  reuse?: boolean;
  env?: NodeJS.ProcessEnv;
}

export interface ExportedTranscript {
  path: string;
  /** Id of the program's session. */
  id: string;
  /** The command that goes on with it, to run in the folder. */
  resume: string[];
  /** Whether it has the first message of the session. */
  isWhole: boolean;
  /** Messages and calls in it, without the notes of handoffs. */
  entries: number;
}

/**
 * Writes the log of a session where the program's `resume` finds it, for its owner only. Overwrites nothing, and leaves no
 * half of a file. @throws StartError, AwayError
 */
export async function exportTranscript({
  out,
  env,
  reuse = false,
  ...options
}: ExportOptions): Promise<ExportedTranscript> {
  const { url, as, folder } = options;
  const body = await download(options);
  const beside = out === null ? sessionFolders(env)[as] : dirname(resolve(out));
  makeIn(beside);
  const part = join(beside, `.baton-${randomUUID()}.part`);
  try {
    await pipeline(Readable.fromWeb(body), createWriteStream(part, { flags: 'wx', mode: 0o600 })).catch(
      (error: unknown) => {
        throw isOfFile(error) ? error : new AwayError(`${url} broke off: nothing was written, try again`);
      },
    );
    const { id, ...facts } = await factsIn(part, as);
    const resume = resumeCommand[as](id);
    const path = out === null ? placeOf(as, id, folder, new Date(), env) : resolve(out);
    const before = out === null && as === 'codex' ? await rolloutOf(beside, id) : null;
    makeIn(dirname(path));
    const existing = before ?? ((await isLinked(part, path)) ? null : path);
    if (existing !== null && !(reuse && (await isSame(part, existing))))
      throw exists(existing, out === null ? resume : null);
    return { path: existing ?? path, id, resume, ...facts };
  } finally {
    await rm(part, { force: true });
  }
}

/** The transcript as it arrives; a stream that may break before it is read. @throws StartError, AwayError */
export async function download({
  url,
  key,
  sessionId,
  as,
  folder,
  maxTokens,
  agent,
}: Omit<ExportOptions, 'out' | 'env' | 'reuse'>): Promise<ReadableStream> {
  const query = new URLSearchParams({
    folder,
    ...(maxTokens !== null && { maxTokens }),
    ...(agent !== undefined && { agent }),
  });
  const address = `${url}/sessions/${encodeURIComponent(sessionId)}.${as}.jsonl?${query}`;
  const response = await fetch(address, { headers: key ? { authorization: `Bearer ${key}` } : {} }).catch(
    (error: unknown) => {
      throw nothingAnswers(url, error);
    },
  );
  if (response.ok && response.body !== null) return response.body as ReadableStream;
  if (response.status === 401) throw keyRefused(url);
  const { errors } = (await response.json().catch(() => ({}))) as {
    errors?: { message: string; extensions?: { code?: string } }[];
  };
  const [error] = errors ?? [];
  const message =
    error === undefined
      ? `${url} answered ${response.status}`
      : `${error.extensions?.code ?? 'ERROR'}: ${error.message}`;
  throw response.status === 503 || response.status === 429 ? new AwayError(message) : new StartError(message);
}

/** @throws StartError */
function makeIn(folder: string): void {
  try {
    makeFolder(folder, 0o700);
  } catch (error) {
    throw new StartError(
      `The folder ${folder} cannot be made (${(error as NodeJS.ErrnoException).code ?? String(error)}): make it, or name another place with --out`,
    );
  }
}

const exists = (path: string, resume: string[] | null): StartError =>
  new StartError(
    `${path} exists and was not changed: ${resume === null ? 'give another file with --out' : `go on with '${resume.join(' ')}', or give another file with --out`}`,
  );

const isOfFile = (error: unknown): boolean =>
  (error as NodeJS.ErrnoException).syscall !== undefined && (error as NodeJS.ErrnoException).path !== undefined;

/** False: a file is there. */
const isLinked = (part: string, path: string): Promise<boolean> =>
  link(part, path).then(
    () => true,
    (error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    },
  );

const isSame = async (one: string, other: string): Promise<boolean> =>
  (await readFile(one)).equals(await readFile(other));

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

interface Line {
  sessionId?: string;
  payload?: { id?: string };
  baton?: { message?: number | null; call?: number | null; whole?: true };
}

/** The id that Baton gave the program's session, in the first line, and what the transcript has. @throws StartError */
async function factsIn(file: string, as: Program): Promise<Pick<ExportedTranscript, 'id' | 'isWhole' | 'entries'>> {
  let id: string | undefined;
  let isWhole = false;
  const found = new Set<string>();
  for await (const text of createInterface({ input: createReadStream(file) })) {
    const { sessionId, payload, baton } = JSON.parse(text) as Line;
    id ??= as === 'codex' ? payload?.id : sessionId;
    isWhole ||= baton?.whole === true;
    // Recorded text never begins a note.
    if ((baton?.message ?? baton?.call) != null && !text.includes('<baton_note>\\nHandoff: '))
      found.add(`${baton?.message} ${baton?.call}`);
  }
  // It becomes a part of a path and of a command.
  if (id === undefined || !uuid.test(id)) throw new StartError('Baton sent no transcript');
  return { id, isWhole, entries: found.size };
}

/** The rollout of a session, whatever day it was written; null without one. */
async function rolloutOf(root: string, id: string): Promise<string | null> {
  const found = (await readdir(root, { recursive: true })).find((name) => name.endsWith(`-${id}.jsonl`));
  return found === undefined ? null : join(root, found);
}
