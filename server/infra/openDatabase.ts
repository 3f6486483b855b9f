import type { Env } from './env.ts';
import type { Log } from './log.ts';
import { migrateUp, requireMigrated } from './migrate.ts';
import { startPostgres } from './postgres/postgres.ts';
import { checkPooler, refusePooledReplica } from './pooler.ts';
import { createDatabase, type Database } from './prisma.ts';

export interface OpenDatabase extends Database {
  /** Whether this process runs the embedded PostgreSQL and is its only user. */
  embedded: boolean;
}

/** Opens the database of DATABASE_URL, which must be migrated. Without the variable, starts and migrates the embedded PostgreSQL. */
export async function openDatabase(env: Env, log: Log, onLost: (error: unknown) => void): Promise<OpenDatabase> {
  if (env.databaseUrl !== undefined) {
    await requireMigrated(env.databaseUrl);
    await checkPooler(env.databaseUrl, env.prepared, log);
    if (env.replicaUrl !== undefined) await refusePooledReplica(env.replicaUrl);
    return { ...createDatabase(env.databaseUrl, log, env), embedded: false };
  }
  const postgres = await startPostgres({ folder: env.dataFolder, database: 'baton', log, onLost });
  try {
    const applied = await migrateUp(postgres.url);
    if (applied.length > 0) log.info({ applied }, 'The database was migrated');
    const database = createDatabase(postgres.url, log, env);
    return {
      ...database,
      embedded: true,
      async close() {
        await database.close();
        await postgres.stop();
      },
    };
  } catch (error) {
    await postgres.stop();
    throw error;
  }
}
