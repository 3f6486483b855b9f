import { chromiumProgram, installMissing, redisProgram, systemInstaller } from './programs.ts';

// Runs once before `npm test` starts its workers, because package managers cannot run concurrently.
const problem = installMissing([redisProgram, chromiumProgram], systemInstaller);
if (problem !== null) {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
}
