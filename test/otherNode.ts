import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** The program of another version of Node, which npm installs once into a folder of its own. */
export function otherNode(version: string): string {
  if (process.versions.node.startsWith(`${version}.`)) return process.execPath;
  const name = `node-${process.platform}-${process.arch}`;
  const folder = join(import.meta.dirname, '..', 'node_modules', '.baton-node', version);
  const program = join(folder, 'node_modules', name, 'bin', 'node');
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  execFileSync(
    'npm',
    [
      'install',
      '--no-save',
      '--no-audit',
      '--no-fund',
      '--loglevel',
      'error',
      '--prefix',
      folder,
      `${name}@${version}`,
    ],
    { stdio: 'inherit' },
  );
  return program;
}
