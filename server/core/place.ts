import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder with package.json, in a clone and in the installed package. Both have the same files below it. */
export const packageFolder = folderOf(dirname(fileURLToPath(import.meta.url)));

function folderOf(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : folderOf(dirname(folder));
}

export const packageVersion = (): string =>
  (JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as { version: string }).version;

/** Only the package has bundled files. */
const isPackage = !import.meta.url.endsWith('.ts');

/** How a command of `baton` is called here: `baton key list`, or in a clone `npm run key -- list`. */
export function commandLine(command: string): string {
  if (isPackage) return `baton ${command}`;
  const [name = '', ...rest] = command.split(' ');
  return [name === 'start' ? 'npm' : 'npm run', name, ...(rest.length > 0 ? ['--', ...rest] : [])].join(' ');
}
