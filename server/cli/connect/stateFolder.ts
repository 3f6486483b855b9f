import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** The user's folder for what Baton remembers on this machine, readable by the user only. */
export function stateFolder({ XDG_STATE_HOME }: NodeJS.ProcessEnv = process.env): string {
  const folder = join(XDG_STATE_HOME || join(homedir(), '.local', 'state'), 'baton');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}
