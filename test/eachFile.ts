import { afterAll } from 'vitest';
import { closeAll } from './database.ts';

// Runs for every test file, also where a worker imports `database.ts` once for several. Hooks run in reverse order: this one is the last.
afterAll(closeAll);
