import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

export const programs = ['claude-code', 'codex'] as const;
export type Program = (typeof programs)[number];
export const isProgram = (name: string | undefined): name is Program =>
  (programs as readonly (string | undefined)[]).includes(name);

/** The folders in which the programs keep what is the user's. They read a relative path from where they are started. */
export const homes = ({ CLAUDE_CONFIG_DIR, CODEX_HOME }: NodeJS.ProcessEnv = process.env): Record<Program, string> => ({
  'claude-code': resolve(CLAUDE_CONFIG_DIR || join(homedir(), '.claude')),
  codex: resolve(CODEX_HOME || join(homedir(), '.codex')),
});

/** The folders in which the programs keep their sessions. */
export function sessionFolders(env?: NodeJS.ProcessEnv): Record<Program, string> {
  const { 'claude-code': claude, codex } = homes(env);
  return { 'claude-code': join(claude, 'projects'), codex: join(codex, 'sessions') };
}

const longestName = 200;

/** The name that Claude Code gives the sessions of a folder (2.1.197). A longer one is cut and gets a hash of the path. */
export function projectName(folder: string): string {
  const name = folder.replaceAll(/[^A-Za-z0-9]/g, '-');
  if (name.length <= longestName) return name;
  let hash = 0;
  for (let at = 0; at < folder.length; at += 1) hash = (Math.imul(hash, 31) + folder.charCodeAt(at)) | 0;
  return `${name.slice(0, longestName)}-${Math.abs(hash).toString(36)}`;
}

/** The file in which a program's `resume` finds a session that goes on in `folder`. */
export function placeOf(program: Program, id: string, folder: string, now: Date, env?: NodeJS.ProcessEnv): string {
  const root = sessionFolders(env)[program];
  if (program === 'codex') {
    const part = (value: number): string => String(value).padStart(2, '0');
    const [year, month, day] = [String(now.getFullYear()), part(now.getMonth() + 1), part(now.getDate())];
    return join(
      root,
      year,
      month,
      day,
      `rollout-${year}-${month}-${day}T${part(now.getHours())}-${part(now.getMinutes())}-${part(now.getSeconds())}-${id}.jsonl`,
    );
  }
  return join(root, projectName(folder), `${id}.jsonl`);
}

export const resumeCommand: Record<Program, (id: string) => string[]> = {
  'claude-code': (id) => ['claude', '--resume', id],
  codex: (id) => ['codex', 'resume', id],
};
