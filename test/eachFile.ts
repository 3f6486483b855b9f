import { afterAll } from 'vitest';
import { closeAll } from './database.ts';

// Runs for every test file, although a worker imports `database.ts` only once. Hooks run in reverse order: this one is the
// last.
afterAll(closeAll);
