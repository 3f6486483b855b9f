import { workerData } from 'node:worker_threads';
import { register } from 'tsx/esm/api';

// In a clone: starts a worker thread whose file is TypeScript. Node 20 ignores `--import tsx` in worker threads.
register();
await import(workerData);
