import { createHash, randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { stateFolder } from '../connect/stateFolder.ts';
import type { Transcript } from '../hook/lines.ts';
import type { Notice } from '../hook/session.ts';
import { startOf } from './processes.ts';

/** A handoff that this process works on. */
export interface Run {
  handoffId: string;
  /** Its files, for their owner only: prompt, output, process and exit code of the command. */
  folder: string;
  /** The idempotency key of its acceptance. */
  key: string;
}

/** Names this process, also among those of other machines and of other times. */
const owner = [
  createHash('sha256').update(hostname()).digest('hex').slice(0, 16),
  process.pid,
  startOf(process.pid) ?? '',
].join('.');

/**
 * What the `baton watch` processes of one agent, server and folder remember on this machine. A run belongs to the process that its file
 * `owner.*` names. Every change of an owner is one `rename`, so exactly one process wins.
 */
export class Runs {
  readonly #folder: string;
  readonly #runs: string;
  readonly #waits: string;
  readonly #mine = new Set<string>();

  constructor(url: string, agent: string, workspaceId: string) {
    const name = createHash('sha256').update(`${url} ${agent} ${workspaceId}`).digest('hex').slice(0, 32);
    this.#folder = stateFolder('watch', name);
    this.#runs = stateFolder('watch', name, 'runs');
    this.#waits = stateFolder('watch', name, 'waits');
    for (const name of readdirSync(this.#folder))
      if (name.startsWith('old.')) rmSync(join(this.#folder, name), { recursive: true, force: true });
  }

  get cursor(): string | undefined {
    const path = join(this.#folder, 'cursor');
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  }

  set cursor(cursor: string | undefined) {
    const beside = join(this.#folder, `cursor.${owner}`);
    writeFileSync(beside, cursor ?? '', { mode: 0o600 });
    renameSync(beside, join(this.#folder, 'cursor'));
  }

  /** Begins a run, unless a process of this machine has begun it: then null. `notices`: with which the command goes on after an earlier run. */
  claim(handoffId: string, notices: readonly Notice[] | null = null): Run | null {
    const folder = join(this.#runs, handoffId);
    if (existsSync(folder)) return null;
    const beside = join(this.#folder, `new.${randomUUID()}`);
    const key = `watch-${randomUUID()}`;
    mkdirSync(beside, { mode: 0o700 });
    writeFileSync(join(beside, `owner.${owner}`), '', { mode: 0o600 });
    writeFileSync(join(beside, 'key'), key, { mode: 0o600 });
    if (notices !== null) writeFileSync(noticesFile(beside), JSON.stringify(notices), { mode: 0o600 });
    try {
      renameSync(beside, folder);
    } catch (error) {
      rmSync(beside, { recursive: true });
      if (['EEXIST', 'ENOTEMPTY'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
      throw error;
    }
    this.#mine.add(handoffId);
    return { handoffId, folder, key };
  }

  /** Takes a run over from a process that has ended without finishing it; null without such a run. */
  adopt(): Run | null {
    for (const handoffId of readdirSync(this.#runs)) {
      const folder = join(this.#runs, handoffId);
      if (this.#mine.has(handoffId) || !this.#take(folder)) continue;
      this.#mine.add(handoffId);
      return { handoffId, folder, key: readFileSync(join(folder, 'key'), 'utf8') };
    }
    return null;
  }

  /** Handoffs whose command ended while a person had something to decide about their work. */
  get waiting(): string[] {
    return readdirSync(this.#waits);
  }

  wait(handoffId: string): void {
    writeFileSync(join(this.#waits, handoffId), '', { mode: 0o600 });
  }

  waitNoMore(handoffId: string): void {
    rmSync(join(this.#waits, handoffId), { force: true });
  }

  #take(folder: string): boolean {
    try {
      const before = readdirSync(folder).find((name) => name.startsWith('owner.'));
      if (before === undefined || !isAbandoned(before)) return false;
      renameSync(join(folder, before), join(folder, `owner.${owner}`));
      return true;
    } catch (error) {
      // Another process was faster, or has finished it.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      return false;
    }
  }

  /** Forgets a run. Other processes never see half of it. */
  finish({ handoffId, folder }: Run): void {
    const beside = join(this.#folder, `old.${randomUUID()}`);
    renameSync(folder, beside);
    rmSync(beside, { recursive: true, force: true, maxRetries: 10 });
    this.#mine.delete(handoffId);
  }
}

/** Whether the owner's process has ended. Of another machine that cannot be known. */
function isAbandoned(name: string): boolean {
  const [, host, pid, start] = name.split('.');
  return host === owner.split('.')[0] && startOf(Number(pid)) !== start;
}

const noticesFile = (folder: string): string => join(folder, 'notices');

/** What the agent has to hear with this run; null: it is the first one of its handoff. */
export function noticesOf({ folder }: Run): Notice[] | null {
  const path = noticesFile(folder);
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Notice[]) : null;
}

/** Remembers the transcript with which the command goes on. */
export const keepTranscript = ({ folder }: Run, transcript: Transcript): void =>
  writeFileSync(join(folder, 'transcript'), JSON.stringify(transcript), { mode: 0o600 });

/** Null: the command began with the prompt. */
export function keptTranscript({ folder }: Run): Transcript | null {
  const path = join(folder, 'transcript');
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Transcript) : null;
}

export const promptFile = ({ folder }: Run): string => join(folder, 'prompt');

/** When the command was started. */
export const startedAt = ({ folder }: Run): Date => statSync(join(folder, 'started')).mtime;

const lastBytes = 64_000;

/** The end of the command's output. */
export function lastOutput({ folder }: Run): string {
  const path = join(folder, 'output');
  if (!existsSync(path)) return '';
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(lastBytes);
    return bytes
      .subarray(0, readSync(file, bytes, 0, lastBytes, Math.max(0, fstatSync(file).size - lastBytes)))
      .toString();
  } finally {
    closeSync(file);
  }
}
