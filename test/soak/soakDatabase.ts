import pg from 'pg';
import { startCluster, withDatabase } from '../cluster.ts';

export interface SoakDatabase {
  url: string;
  /** The URL of another empty database. */
  another(): Promise<string>;
  stop(): Promise<void>;
}

/** A migrated database on the PostgreSQL of DATABASE_URL, or on a local one. */
export async function soakDatabase(): Promise<SoakDatabase> {
  const cluster = await startCluster();
  let made = 0;
  async function another(): Promise<string> {
    const name = `${cluster.prefix}soak${made}`;
    made += 1;
    const admin = new pg.Client({ connectionString: cluster.adminUrl });
    await admin.connect();
    await admin.query(`CREATE DATABASE ${name} TEMPLATE ${cluster.prefix}template`);
    await admin.end();
    return withDatabase(cluster.adminUrl, name);
  }
  return { url: await another(), another, stop: () => cluster.stop() };
}

export const say = (line: string): void => void process.stdout.write(`${line}\n`);
