import { oneLine } from '../output.ts';
import { openSync, closeSync, readSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readTranscript } from '../../server/work/log/transcripts/detect.ts';
import { piecesOf } from '../../server/work/log/transcripts/lines.ts';
import { newState, StateFile } from '../hook/state.ts';
import { programs, sessionFolders, type Program } from './toolFolders.ts';

/** A session that a program keeps on this machine. */
export interface RecentSession {
  program: Program;
  path: string;
  /** Null when the beginning of the file has none. */
  title: string | null;
  folder: string | null;
  /** Time of the last change. */
  at: Date;
  bytes: number;
  /** What this machine has sent of it to the server: by a hook or by an import. */
  imported: 'no' | 'partly' | 'yes';
  /** The session that Baton wrote it from; null for others. */
  exportedFrom: string | null;
}

/** The names of sessions, without those of sub-agents. */
const names = { 'claude-code': /^[\da-f]{8}-[\da-f-]{27}\.jsonl$/, codex: /^rollout-.*\.jsonl$/ };

/** Codex begins a file with its instructions. */
const headBytes = 128 * 1024;

/** The newest sessions of all programs, newest first. Of files it reads the beginnings, and only of those that it returns. */
export async function recentSessions({
  url,
  limit,
  env,
}: {
  url: string;
  limit: number;
  env?: NodeJS.ProcessEnv;
}): Promise<{ sessions: RecentSession[]; more: number }> {
  const roots = sessionFolders(env);
  const files = programs
    .flatMap((program) => [...filesIn(roots[program], program)])
    .sort((one, other) => other.mtimeMs - one.mtimeMs);
  const sessions: RecentSession[] = [];
  for (const { program, path, size, mtimeMs } of files.slice(0, limit)) {
    sessions.push({
      program,
      path,
      at: new Date(mtimeMs),
      bytes: size,
      imported: importedOf(url, path, size),
      ...(await headOf(path)),
    });
  }
  return { sessions, more: files.length - sessions.length };
}

interface Found {
  program: Program;
  path: string;
  size: number;
  mtimeMs: number;
}

/** Claude Code has a folder for each project, Codex one for each day. */
function* filesIn(folder: string, program: Program, depth = program === 'codex' ? 3 : 1): Generator<Found> {
  for (const entry of entriesOf(folder)) {
    const path = join(folder, entry.name);
    if (depth > 0) {
      if (entry.isDirectory()) yield* filesIn(path, program, depth - 1);
    } else if (entry.isFile() && names[program].test(basename(path))) {
      const found = statSync(path, { throwIfNoEntry: false });
      if (found !== undefined && found.size > 0) yield { program, path, size: found.size, mtimeMs: found.mtimeMs };
    }
  }
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // The program was never used here, or keeps its folder to itself.
    return [];
  }
}

async function headOf(path: string): Promise<Pick<RecentSession, 'title' | 'folder' | 'exportedFrom'>> {
  try {
    const head = beginningOf(path);
    const { title, standings, lines } = await readTranscript(piecesOf(head.slice(0, head.lastIndexOf('\n') + 1)), {
      format: 'AUTO',
      sidechain: false,
    });
    return {
      title,
      folder: standings.findLast(({ folder }) => folder !== null)?.folder ?? null,
      exportedFrom: lines.find(({ exported }) => exported !== null)?.exported?.session ?? null,
    };
  } catch {
    // Its first line is longer than what is read, it is no transcript, or it went away.
    return { title: null, folder: null, exportedFrom: null };
  }
}

function beginningOf(path: string): string {
  const fd = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(headBytes);
    return bytes.toString('utf8', 0, readSync(fd, bytes, 0, headBytes, 0));
  } finally {
    closeSync(fd);
  }
}

/** What `baton import` sent, beside what the hooks remember of their own imports. */
const byHand = (url: string, path: string): StateFile => new StateFile(`import ${url}`, path);

function importedOf(url: string, path: string, bytes: number): RecentSession['imported'] {
  const sent = Math.max(byHand(url, path).read().sentTo, new StateFile(url, path).read().sentTo);
  return sent >= bytes ? 'yes' : sent > 0 ? 'partly' : 'no';
}

/** Remembers that a file was imported, where something can be remembered. */
export function rememberImport(url: string, path: string, bytes: number): void {
  try {
    byHand(url, path).write({ ...newState, sentTo: bytes });
  } catch {
    // The list says that it is not imported. Imported again it changes nothing.
  }
}

/** The list for people, one line a session, with numbers to choose by. */
export function formatSessions(sessions: readonly RecentSession[], now: Date): string {
  const rows = sessions.map(({ program, title, folder, at, bytes, imported }, index) => [
    `${index + 1}`,
    program,
    ageOf(now.getTime() - at.getTime()),
    sizeOf(bytes),
    imported === 'yes' ? 'imported' : imported === 'partly' ? 'partly imported' : 'not imported',
    oneLine(folder ?? '-'),
    oneLine(title ?? '(no title)'),
  ]);
  const widths = rows.reduce<number[]>(
    (most, row) => row.map((cell, column) => Math.max(most[column] ?? 0, cell.length)),
    [],
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) =>
          column === 0 ? cell.padStart(widths[0]!) : column === row.length - 1 ? cell : cell.padEnd(widths[column]!),
        )
        .join('  '),
    )
    .join('\n');
}

function ageOf(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000));
  if (minutes < 60) return `${minutes} min`;
  return minutes < 48 * 60 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / (24 * 60))} days`;
}

const sizeOf = (bytes: number): string =>
  bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KB` : `${(bytes / (1024 * 1024)).toFixed(1)} MB`;

/** The chosen session; null for none. Undefined when the answer is no number of the list. */
export function chosen(answer: string, sessions: readonly RecentSession[]): RecentSession | null | undefined {
  if (answer.trim() === '') return null;
  return /^\d{1,6}$/.test(answer.trim()) ? sessions[Number(answer) - 1] : undefined;
}
