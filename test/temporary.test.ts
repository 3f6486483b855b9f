import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { closeAll } from './database.ts';
import { temporaryFolder } from './temporary.ts';

it('a temporary folder goes although a process is still writing to it', async () => {
  const folder = temporaryFolder('baton-writing');
  const program = `
    const until = Date.now() + 700;
    for (let n = 0; Date.now() < until; n += 1) {
      fs.writeFileSync(process.argv[1] + '/' + n, '');
      if (n === 20) fs.writeSync(1, 'writing');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }`;
  const child = spawn(process.execPath, ['-e', program, folder], { stdio: ['ignore', 'pipe', 'ignore'] });
  await new Promise((resolve) => child.stdout.once('data', resolve));
  await closeAll();
  expect(existsSync(folder)).toBe(false);
});
