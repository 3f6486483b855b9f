import { createHash, randomUUID } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  opendirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { stateFolder } from '../connect/stateFolder.ts';

/** First byte of a line, and of the next. */
export type Range = [from: number, to: number];
export type OpenCalls = Record<string, { line: Range; isTask: boolean }>;

/** What the hooks remember of one transcript. */
export interface TranscriptState {
  /** Start of the next increment. */
  from: number;
  /** End of what was sent. */
  sentTo: number;
  /** Places of the lines that change single tasks: a later change is read together with them. */
  taskLines: Range[];
  /** Calls without a result so far, by their id. */
  openCalls: OpenCalls;
  /** The last line of a turn that still ran; null otherwise. */
  last: Range | null;
  /** The session in which a handoff tool ran in this turn; null without one. */
  handedOff: string | null;
}

export const newState: TranscriptState = {
  from: 0,
  sentTo: 0,
  taskLines: [],
  openCalls: {},
  last: null,
  handedOff: null,
};

const folder = (): string => stateFolder('hooks');

/** The path of what is remembered of a transcript or folder on a server, or with '' of the server, without its extension. @throws StartError */
const pathOf = (url: string, of: string): string =>
  join(folder(), createHash('sha256').update(`${url} ${of}`).digest('hex').slice(0, 32));

/** A small file that processes replace whole, for its owner only. Where it cannot be written, nothing is remembered. */
export class Memory<Value> {
  readonly #file;

  constructor(url: string, of: string, kind: string) {
    this.#file = (): string => `${pathOf(url, of)}.${kind}`;
  }

  /** Null: nothing is remembered. */
  read(): Value | null {
    try {
      return JSON.parse(readFileSync(this.#file(), 'utf8')) as Value;
    } catch {
      return null;
    }
  }

  /** Why nothing can be remembered here, nor of transcripts, such as on a full disk; null: it can be. */
  problem(): string | null {
    try {
      replace(this.#file(), this.read());
      return null;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  write(value: Value): void {
    try {
      replace(this.#file(), value);
    } catch {
      // The next hook knows less.
    }
  }
}

function replace(path: string, value: unknown): void {
  const beside = `${path}.${randomUUID()}`;
  writeFileSync(beside, JSON.stringify(value), { mode: 0o600 });
  renameSync(beside, path);
}

/** Files of one transcript and server, for their owner only. */
export class StateFile {
  readonly #path;

  constructor(url: string, transcript: string) {
    this.#path = pathOf(url, transcript);
  }

  read(): TranscriptState {
    try {
      return { ...newState, ...(JSON.parse(readFileSync(`${this.#path}.json`, 'utf8')) as TranscriptState) };
    } catch {
      // Without its state, a transcript is sent again from its start: Baton skips the lines that it knows.
      return newState;
    }
  }

  write(state: TranscriptState): void {
    replace(`${this.#path}.json`, state);
  }

  /** Whether another process reads this transcript. */
  isLocked(): boolean {
    const lock = `${this.#path}.lock`;
    return existsSync(lock) && isHeld(lock);
  }

  /** Runs `use` while no other process does so for this transcript. @throws when `signal` aborts first */
  async locked(signal: AbortSignal, use: () => Promise<void>): Promise<void> {
    const lock = `${this.#path}.lock`;
    while (!take(lock)) await wait(20, undefined, { signal });
    try {
      await use();
    } finally {
      rmSync(lock, { force: true });
    }
  }
}

function take(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    if (!isHeld(lock)) rmSync(lock, { force: true });
    return false;
  }
}

/** No process holds a lock this long: what it waits for ends after 2 minutes. */
const heldMs = 600_000;

/** Whether the process that made the lock still runs. Its number may be another process's by now. */
function isHeld(lock: string): boolean {
  try {
    if (Date.now() - statSync(lock).mtimeMs > heldMs) return false;
    process.kill(Number(readFileSync(lock, 'utf8')) || process.pid, 0);
    return true;
  } catch {
    return false;
  }
}

const dayMs = 24 * 60 * 60 * 1_000;
const keptDays = 30;
/** Files that are looked at in one day. */
const mostLookedAt = 2_000;
const tidied = 'tidied';

/** Whether a day has passed since this was last true. */
export function isTidyDue(): boolean {
  const path = join(folder(), tidied);
  if (!isOlder(path, 1)) return false;
  writeFileSync(path, '', { mode: 0o600 });
  return true;
}

/** Removes the state of transcripts that were not sent for 30 days. Sent again, they are sent from their start; Baton knows the lines. */
export function pruneState(): void {
  const opened = opendirSync(folder());
  try {
    for (let count = 0; count < mostLookedAt; count += 1) {
      const found = opened.readSync();
      if (found === null) return;
      const path = join(folder(), found.name);
      if (found.name !== tidied && isOlder(path, keptDays)) rmSync(path, { force: true });
    }
  } finally {
    opened.closeSync();
  }
}

/** Whether a file is missing or was not changed for that many days. */
const isOlder = (path: string, days: number): boolean =>
  Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? -Infinity) > days * dayMs;

const maxLogBytes = 1_000_000;

/** Adds a line to the hooks' own log. A full log begins anew. */
export function log(text: string): void {
  const path = join(stateFolder(), 'hook.log');
  const line = `${new Date().toISOString()} ${text.replaceAll(/\s+/g, ' ').slice(0, 1_000)}\n`;
  const isFull = (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > maxLogBytes;
  if (isFull) writeFileSync(path, line, { mode: 0o600 });
  else appendFileSync(path, line, { mode: 0o600 });
}
