import { createHash, randomUUID } from 'node:crypto';
import {
  existsSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { StartError } from '../../server/core/startError.ts';
import { areEqual, Unfit } from './entries.ts';
import type { SettingsFile } from './settingsFiles.ts';
import { makeFolder, stateFolder } from './stateFolder.ts';

/** The back-up of a settings file, in the user's state folder. */
interface Backup {
  path: string;
  /** The file before Baton's entries, as base64; null: it did not exist. */
  before: string | null;
  /** SHA-256 of the file with Baton's entries. */
  after: string;
  /** Folders that were made for the file, outermost first. */
  made: string[];
}

/** A settings file as it is and as it shall be; null means that it does not exist. */
export interface Change {
  path: string;
  now: Buffer | null;
  next: Buffer | null;
  backup: Backup | null;
  backupPath: string;
}

/** Reads a settings file and works out its change. Writes nothing. @throws StartError when the file cannot take it. */
export function planChange(
  { path: given, entries, format, isFormer = false }: SettingsFile,
  isRemoval: boolean,
): Change {
  const removes = isRemoval || isFormer;
  const path = existsSync(given) ? realpathSync(given) : given;
  const now = existsSync(path) ? readFileSync(path) : null;
  const backupPath = join(stateFolder('backups'), `${sha256(Buffer.from(path)).slice(0, 32)}.json`);
  const backup = existsSync(backupPath) ? (JSON.parse(readFileSync(backupPath, 'utf8')) as Backup) : null;
  const isUntouched = backup !== null && now !== null && sha256(now) === backup.after;
  try {
    const text = now === null ? null : textOf(now);
    const base = isUntouched ? contentOf(backup) : text === null ? null : bytesOf(now, format.remove(text, entries));
    const kept = { path, now, backupPath };
    if (removes) return { ...kept, next: base, backup };
    const next = bytesOf(now, format.add(base === null ? '' : textOf(base), entries));
    if (text !== null && areEqual(format.parse(text), format.parse(textOf(next))))
      return { ...kept, next: now, backup };
    const made = isUntouched ? backup.made : missingFolders(path);
    return { ...kept, next, backup: { path, before: base?.toString('base64') ?? null, after: sha256(next), made } };
  } catch (error) {
    throw error instanceof Unfit ? new StartError(`${given} ${error.message}. Nothing was changed.`) : error;
  }
}

export const isChange = ({ now, next }: Change): boolean =>
  !(now === null ? next === null : next !== null && now.equals(next));

/** Makes the changes, with a back-up of each file. When one fails, takes the earlier ones back. @throws StartError */
export function makeChanges(changes: readonly Change[], removes: boolean): void {
  const made: Change[] = [];
  try {
    for (const change of changes) {
      if (!removes) writeBackup(change);
      if (isChange(change)) put(change.path, change.next);
      made.push(change);
    }
  } catch (error) {
    for (const { path, now } of made) put(path, now);
    throw new StartError(`${error instanceof Error ? error.message : String(error)}. Nothing was changed.`);
  }
  if (removes) for (const change of changes) forget(change);
}

function writeBackup({ backup, backupPath }: Change): void {
  if (backup === null) return;
  writeFileSync(backupPath, JSON.stringify(backup), { mode: 0o600 });
}

function forget({ next, backup, backupPath }: Change): void {
  rmSync(backupPath, { force: true });
  if (next !== null || backup === null) return;
  try {
    for (const folder of [...backup.made].reverse()) rmdirSync(folder);
  } catch {
    // A folder that holds other files stays.
  }
}

/** Replaces a file in one step, so that the tool never reads half of it. Keeps its mode. */
function put(path: string, content: Buffer | null): void {
  if (content === null) return rmSync(path, { force: true });
  makeFolder(dirname(path));
  const beside = `${path}.${randomUUID()}`;
  writeFileSync(beside, content, { mode: existsSync(path) ? statSync(path).mode & 0o7777 : 0o666 });
  renameSync(beside, path);
}

function missingFolders(path: string): string[] {
  const folder = dirname(path);
  return existsSync(folder) ? [] : [...missingFolders(folder), folder];
}

const contentOf = ({ before }: Backup): Buffer | null => (before === null ? null : Buffer.from(before, 'base64'));

const mark = '\uFEFF';

/** Without a byte order mark. @throws Unfit */
function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Unfit('is not UTF-8: save it as UTF-8');
  }
}

/** With a byte order mark when the file had one. */
const bytesOf = (now: Buffer | null, text: string): Buffer =>
  Buffer.from((now?.subarray(0, 3).toString() === mark ? mark : '') + text);

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
