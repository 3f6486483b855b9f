import { spawnSync } from 'node:child_process';
import { otherNode } from './otherNode.ts';

// `npm run test:node -- 22` runs the server's short tests on another version of Node.
const [version = '22', ...filters] = process.argv.slice(2);
const node = otherNode(version);

for (const args of [
  ['--version'],
  ['node_modules/vitest/vitest.mjs', 'run', '--project', 'short', ...(filters.length > 0 ? filters : ['server/'])],
]) {
  const { status } = spawnSync(node, args, { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
