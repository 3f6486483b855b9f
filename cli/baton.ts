#!/usr/bin/env node
const [name, ...args] = process.argv.slice(2);

// A hook runs before each prompt: it loads its own few files only.
if (name === 'hook' && !args.includes('--help') && !args.includes('-h')) {
  const { runHook } = await import('./hook.ts');
  process.exitCode = await runHook(args);
} else {
  const { run } = await import('./run.ts');
  process.exitCode = await run(process.argv.slice(2));
}

export {};
