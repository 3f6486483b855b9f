import type { TestProject } from 'vitest/node';
import { startCluster } from './cluster.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    adminUrl: string;
    databasePrefix: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const cluster = await startCluster();
  project.provide('adminUrl', cluster.adminUrl);
  project.provide('databasePrefix', cluster.prefix);
  return () => cluster.stop();
}
