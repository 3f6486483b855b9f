import { accessSync, constants, mkdirSync, statSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { StartError } from '../../server/core/startError.ts';

/** A folder in which Baton remembers something on this machine, readable by the user only. @throws StartError */
export function stateFolder(...parts: string[]): string {
  const path = join(stateHome(), 'baton', ...parts);
  try {
    makeFolder(path, 0o700);
    accessSync(path, constants.W_OK);
    return path;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new StartError(
      `The folder ${path} cannot be made or written (${code ?? message}): make it, or name another place in XDG_STATE_HOME`,
    );
  }
}

/** A relative path would be another folder for each program: XDG has such a variable ignored. `baton.sh` reads the same. */
function stateHome(): string {
  const { XDG_STATE_HOME = '' } = process.env;
  if (isAbsolute(XDG_STATE_HOME)) return XDG_STATE_HOME;
  return join(isAbsolute(homedir()) ? homedir() : userInfo().homedir, '.local', 'state');
}

/** Also makes the folders around it. `mkdir` with `recursive` never returns where a file system answers ENOENT, such as /proc. */
export function makeFolder(path: string, mode = 0o777): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
  if (dirname(path) !== path) makeFolder(dirname(path), mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Another process was faster.
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}
