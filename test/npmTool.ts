import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The folder of a package that npm installs once into a folder of its own, with its dependencies: too large for everybody's clone.
 * `more`: further packages, or options of npm.
 */
export function npmTool(name: string, version: string, ...more: string[]): string {
  const folder = join(import.meta.dirname, '..', 'node_modules', '.baton-tools', name.replaceAll('/', '-'), version);
  const installed = join(folder, 'node_modules', name);
  if (existsSync(join(installed, 'package.json'))) return installed;
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
      ...more,
    ],
    { stdio: 'inherit' },
  );
  return installed;
}
