import { spawnSync } from 'node:child_process';
import { readAudit, readDependencies, unexplained } from './dependencies.ts';

// `npm run audit`.
const { stdout } = spawnSync('npm', ['audit', '--json', '--fetch-retries=0', '--fetch-timeout=30000'], {
  encoding: 'utf8',
});
const audit = readAudit(stdout);
if ('unanswered' in audit) {
  process.stdout.write(
    `Known holes were NOT checked: the registry gives no answer to npm audit (${audit.unanswered}).\n`,
  );
} else {
  const lines = unexplained(readDependencies()[0], audit.holes);
  for (const line of lines) process.stderr.write(`${line}\n`);
  if (lines.length === 0) process.stdout.write('npm audit: no unexplained hole.\n');
  else {
    process.stderr.write(
      'Update the package, or say in docs/dependencies.md under "Known holes" why it does not matter.\n',
    );
    process.exitCode = 1;
  }
}
