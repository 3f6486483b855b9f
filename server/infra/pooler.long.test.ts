import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { describe, expect, inject, test } from 'vitest';
import { bundled } from '../../test/bundle.ts';
import { atEnd, emptyDatabase, testDatabase } from '../../test/database.ts';
import { hashAllTables } from '../../test/hash.ts';
import { brokenInvariants } from '../../test/invariants.ts';
import { startPgBouncer } from '../../test/pgbouncer.ts';
import { installMissing, pgbouncerProgram, systemInstaller } from '../../test/programs.ts';
import { refusedStart, startServer } from '../../test/server.ts';
import { liveRound } from '../../test/soak/live.ts';
import { migrateUp } from './migrate.ts';

const problem = installMissing([pgbouncerProgram], systemInstaller);

describe.skipIf(problem !== null)('Baton through PgBouncer in transaction mode', async () => {
  if (problem !== null) return void process.stderr.write(`Baton through PgBouncer is not tried: ${problem}\n`);
  const database = await testDatabase();
  const { through } = await startPgBouncer(inject('adminUrl'), (ini) => ini.replace('default_pool_size = 20', 'default_pool_size = 4'));
  const url = through(database.url);
  const folder = mkdtempSync(join(tmpdir(), 'baton-pooler-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));

  test('does not start with prepared statements, and names the setting', async () => {
    expect(await refusedStart({ databaseUrl: url })).toMatchObject({
      code: 1,
      stderr: 'DATABASE_URL leads to a pooler in transaction mode that keeps no prepared statements: set BATON_PREPARED=0 (docs/operations.md, "PgBouncer")',
    });
  });

  test('starts in session mode with prepared statements', async () => {
    const sessions = await startPgBouncer(inject('adminUrl'), (ini) => ini.replace('pool_mode = transaction', 'pool_mode = session'));
    const server = await startServer({ databaseUrl: sessions.through(database.url) });
    await server.kill();
  });

  test('names the settings that PgBouncer lacks', async () => {
    const strict = await startPgBouncer(inject('adminUrl'), (ini) => ini.replace(/^ignore_startup_parameters.*$/m, ''));
    expect(await refusedStart({ databaseUrl: strict.through(database.url), env: { BATON_PREPARED: '0' } })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/refuses \w+: add ignore_startup_parameters = statement_timeout, lock_timeout, idle_in_transaction_session_timeout/) as string,
    });
    const unlimited = await startPgBouncer(inject('adminUrl'), (ini) => ini.replace(/ connect_query='.*'/, ''));
    const server = await startServer({ databaseUrl: unlimited.through(database.url), env: { BATON_PREPARED: '0' } });
    expect(server.logs.join('\n')).toContain('a pooler that passes on no statement_timeout');
    await server.kill();
  });

  test('two servers on four connections lose and repeat nothing while one of them is killed', async () => {
    const archive = join(folder, 'archive');
    mkdirSync(archive);
    const { breaches, ...result } = await liveRound({
      seed: 20_261_123,
      databaseUrl: database.url,
      env: { DATABASE_URL: url, BATON_PREPARED: '0', BATON_ARCHIVE_DIR: archive },
      durationMs: 3_000,
      leastAnswers: 80,
      writers: 6,
      subscribers: 8,
      redisKills: 0,
      serverKills: 1,
    });
    expect(breaches).toEqual([]);
    expect(result.events).toBeGreaterThan(50);
    expect(result.heard).toBeGreaterThan(100);
    const { rows: handoffs } = await database.pool.query('SELECT FROM handoffs');
    expect(readdirSync(archive).filter((name) => name.endsWith('.md')).length).toBeGreaterThan(handoffs.length / 2);
    // All that is left in PostgreSQL are PgBouncer's own connections: no lock, no open transaction.
    const { rows } = await database.pool.query(`SELECT objid FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`);
    expect(rows).toEqual([]);
    const { rows: statements } = await database.pool.query<{ n: number }>(`SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'`);
    expect(statements).toEqual([{ n: 0 }]);
  });

  test('is migrated, backed up and restored', async () => {
    const target = await emptyDatabase();
    const file = join(folder, 'backup');
    const program = await bundled('server/cli/baton.ts');
    const { PATH, HOME } = process.env;
    const baton = (to: string, ...args: string[]) => promisify(execFile)(process.execPath, [program, ...args], { env: { PATH, HOME, DATABASE_URL: to } });
    expect((await baton(url, 'migrate')).stdout).toBe('The database is up to date\n');
    await baton(url, 'backup', file);
    await baton(through(target.url), 'restore', file);
    expect(await migrateUp(through(target.url))).toEqual([]);
    const there = new pg.Pool({ connectionString: target.url, max: 2 });
    atEnd(() => there.end());
    const [before, after] = [await hashAllTables(database.pool), await hashAllTables(there)];
    const { database_identity: _one, webhook_worker: _two, ...rows } = before.tables;
    expect(after.tables).toMatchObject(rows);
    expect(await brokenInvariants(there)).toEqual([]);
  });
});
