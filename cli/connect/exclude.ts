import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Settings that name programs and folders of this machine stay out of commits: `.git/info/exclude` lists them, for this clone alone. */

interface Excludes {
  /** The file, which may not exist. */
  path: string;
  lines: string[];
}

/** What git says in this folder; null outside of a repository, and without git. */
function git(...args: string[]): string | null {
  try {
    return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).replace(/\r?\n$/, '');
  } catch {
    return null;
  }
}

function excludes(): Excludes | null {
  const path = git('rev-parse', '--git-path', 'info/exclude');
  if (path === null) return null;
  return { path: resolve(path), lines: existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [] };
}

/** The pattern of exactly this file of the folder. */
const patternOf = (file: string): string =>
  `/${`${git('rev-parse', '--show-prefix') ?? ''}${file}`.replaceAll(/[\\*?[\]!# ]/g, '\\$&')}`;

function write({ path, lines }: Excludes): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, lines.join('\n'));
}

/** Lists files of the folder, unless git ignores them. Returns those that were listed, and those that git has in commits. */
export function exclude(files: readonly string[]): { listed: string[]; tracked: string[] } {
  const found = excludes();
  if (found === null) return { listed: [], tracked: [] };
  const tracked = files.filter((file) => git('ls-files', '--error-unmatch', '--', file) !== null);
  const listed = files.filter((file) => !tracked.includes(file) && git('check-ignore', '--', file) === null);
  if (listed.length > 0) {
    const before = found.lines.at(-1) === '' ? found.lines.slice(0, -1) : found.lines;
    write({ ...found, lines: [...before, ...listed.map(patternOf), ''] });
  }
  return { listed, tracked };
}

/** Takes files of the folder off the list again. */
export function include(files: readonly string[]): void {
  const found = excludes();
  if (found === null) return;
  const ours = files.map(patternOf);
  const lines = found.lines.filter((line) => !ours.includes(line));
  if (lines.length < found.lines.length) write({ ...found, lines });
}
