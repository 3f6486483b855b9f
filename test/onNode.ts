import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

// `npm run test:node -- 22` runs the server's short tests on another version of Node, which npm installs into its own
// folder.
const [version = '22', ...filters] = process.argv.slice(2);
const name = `node-${process.platform}-${process.arch}`;
const folder = join(import.meta.dirname, '..', 'node_modules', '.baton-node', version);

function run(program: string, args: string[]): void {
  const { status } = spawnSync(program, args, { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

mkdirSync(folder, { recursive: true });
run('npm', ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel', 'error', '--prefix', folder, `${name}@${version}`]);
const node = join(folder, 'node_modules', name, 'bin', 'node');
run(node, ['--version']);
run(node, ['node_modules/vitest/vitest.mjs', 'run', '--project', 'short', ...(filters.length > 0 ? filters : ['server/'])]);
