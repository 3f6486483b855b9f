import { type ChildProcess, spawn } from 'node:child_process';

const program = `new (require('node:worker_threads').Worker)('for (;;);', { eval: true });
process.stdin.on('end', () => process.exit()).resume();`;

/** Starts a process that takes a core until it is killed, or until this process has ended in any way. */
export const takeCore = (): ChildProcess =>
  spawn(process.execPath, ['-e', program], { stdio: ['pipe', 'ignore', 'ignore'] });
