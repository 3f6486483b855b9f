import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareFolder } from '../../server/infra/postgres/folder.ts';
import { readPassword } from '../../server/infra/postgres/server.ts';
import { stopAbandoned } from '../../server/infra/postgres/postgres.ts';
import { postgresPid, signalFamily } from '../processes.ts';
import type { Target } from './kill.ts';

/** A migrated external database, by DATABASE_URL. */
export const givenDatabase = (url: string): Target => ({
  name: 'DATABASE_URL',
  env: { DATABASE_URL: url },
  databaseUrl: async () => url,
});

export interface EmbeddedTarget extends Target {
  folder: string;
  remove(): Promise<void>;
}

/** Embedded PostgreSQL in its own folder, which outlives its server. */
export function embeddedDatabase(): EmbeddedTarget {
  const folder = mkdtempSync(join(tmpdir(), 'baton-soak-'));
  return {
    name: 'embedded',
    folder,
    env: { BATON_DATA: folder },
    async databaseUrl() {
      const { base, socket } = await prepareFolder(folder);
      return `postgresql://postgres:${await readPassword(base)}@/baton?host=${encodeURIComponent(socket)}`;
    },
    async remove() {
      await stopAbandoned(folder);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The same with PostgreSQL killed together with the server. */
export const withDatabaseKilled = (target: EmbeddedTarget): EmbeddedTarget => ({
  ...target,
  name: 'embedded, PostgreSQL killed too',
  killDatabase: () => signalFamily(postgresPid(target.folder), 'SIGKILL'),
});
