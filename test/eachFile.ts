import fc from 'fast-check';
import { afterAll } from 'vitest';
import { closeAll } from './database.ts';

// Runs for every test file, although a worker imports `database.ts` only once. Hooks run in reverse order: this one is the
// last.
afterAll(closeAll);

// Shrinking a large counterexample of a property took an hour, in which no time limit of a test applies. By hand it may.
if (process.env['CI']) fc.configureGlobal({ endOnFailure: true });
