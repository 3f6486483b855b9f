import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

// Generates the Prisma client only when it is missing or made from another schema or version, which saves time at each start.
const require = createRequire(import.meta.url);
const stamp = 'server/generated/made-from';
const madeFrom = createHash('sha256')
  .update(readFileSync('prisma/schema.prisma'))
  .update(readFileSync(require.resolve('prisma/package.json')))
  .digest('hex');

const isCurrent =
  existsSync('server/generated/prisma/client.ts') && existsSync(stamp) && readFileSync(stamp, 'utf8') === madeFrom;
if (!isCurrent) {
  const { status, stderr } = spawnSync(process.execPath, [require.resolve('prisma/build/index.js'), 'generate'], {
    encoding: 'utf8',
  });
  if (status === 0) writeFileSync(stamp, madeFrom);
  else process.stderr.write(stderr);
  process.exitCode = status ?? 1;
}
