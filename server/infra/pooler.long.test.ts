import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { describe, expect, inject, test, vi } from 'vitest';
import { bundled } from '../../test/bundle.ts';
import { atEnd, emptyDatabase, testDatabase } from '../../test/database.ts';
import { client } from '../../test/graphql.ts';
import { hashAllTables } from '../../test/hash.ts';
import { brokenInvariants } from '../../test/invariants.ts';
import { webhookKey } from '../../test/keyring.ts';
import { startPgBouncer } from '../../test/pgbouncer.ts';
import { installMissing, pgbouncerProgram, systemInstaller } from '../../test/programs.ts';
import { receiver } from '../../test/receiver.ts';
import { refusedStart, startServer } from '../../test/server.ts';
import { liveRound } from '../../test/soak/live.ts';
import { world } from '../../test/world.ts';
import { decodeId, encodeId } from '../core/ids.ts';
import { migrateUp } from './migrate.ts';
import { temporaryFolder } from '../../test/temporary.ts';

const patience = { timeout: 30_000 };
const problem = installMissing([pgbouncerProgram], systemInstaller);

describe.skipIf(problem !== null)('Baton through PgBouncer in transaction mode', async () => {
  if (problem !== null) return void process.stderr.write(`Baton through PgBouncer is not tried: ${problem}\n`);
  const database = await testDatabase();
  const { through } = await startPgBouncer(inject('adminUrl'), (ini) =>
    ini.replace('default_pool_size = 20', 'default_pool_size = 4'),
  );
  const url = through(database.url);
  const folder = temporaryFolder('baton-pooler');

  test('does not start with prepared statements, and names the setting', async () => {
    expect(await refusedStart({ databaseUrl: url })).toMatchObject({
      code: 1,
      stderr:
        'DATABASE_URL leads to a pooler in transaction mode that keeps no prepared statements: set BATON_PREPARED=0 (docs/operations.md, "PgBouncer")',
    });
  });

  test('starts in session mode with prepared statements', async () => {
    const sessions = await startPgBouncer(inject('adminUrl'), (ini) =>
      ini.replace('pool_mode = transaction', 'pool_mode = session'),
    );
    const server = await startServer({ databaseUrl: sessions.through(database.url) });
    await server.kill();
  });

  test('names the settings that PgBouncer lacks', async () => {
    const strict = await startPgBouncer(inject('adminUrl'), (ini) => ini.replace(/^ignore_startup_parameters.*$/m, ''));
    expect(
      await refusedStart({ databaseUrl: strict.through(database.url), env: { BATON_PREPARED: '0' } }),
    ).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /refuses \w+: add ignore_startup_parameters = statement_timeout, lock_timeout, idle_in_transaction_session_timeout/,
      ) as string,
    });
    const unlimited = await startPgBouncer(inject('adminUrl'), (ini) => ini.replace(/ connect_query='.*'/, ''));
    const server = await startServer({ databaseUrl: unlimited.through(database.url), env: { BATON_PREPARED: '0' } });
    expect(server.logs.join('\n')).toContain('a pooler that passes on no statement_timeout');
    await server.kill();
  });

  test('does not start with a replica behind it', async () => {
    expect(await refusedStart({ databaseUrl: database.url, env: { DATABASE_REPLICA_URL: url } })).toMatchObject({
      code: 1,
      stderr:
        'DATABASE_REPLICA_URL leads to a pooler: give the address of the replica itself (docs/operations.md, "PgBouncer")',
    });
  });

  test('two servers on four connections lead sessions through a pipeline and its queue, and send each event to a webhook and the event log', async () => {
    const own = await testDatabase();
    const { agent, pipeline } = world(own.pool);
    await agent('planner', { role: 'plan', maxCapacity: 3 });
    await agent('coder', { role: 'code', maxCapacity: 1 });
    await pipeline('work', ['plan DONE code', 'code DONE end']);
    const eventLog = join(folder, 'events');
    const start = (env: Record<string, string>) =>
      startServer({
        databaseUrl: through(own.url),
        env: { BATON_PREPARED: '0', BATON_WEBHOOK_KEY: webhookKey, BATON_WEBHOOK_ALLOW: '127.0.0.1', ...env },
      });
    const logged = (): string => readFileSync(eventLog, 'utf8');
    const first = await start({ BATON_EVENT_LOG: eventLog });
    const second = await start({});
    const apis = [client(first.url), client(second.url)];
    const hook = await receiver();
    const ask = async <Data>(turn: number, query: string, variables: object = {}): Promise<Data> => {
      const { data, errors } = await apis[turn % 2]!.post<Data>(query, { ...variables });
      expect(errors).toBeUndefined();
      return data;
    };
    await ask(0, `mutation { createWebhook(input: { url: "${hook.url}" }) { ... on Error { message } } }`);
    const ids = await Promise.all(
      Array.from({ length: 8 }, async (_, n) => {
        const { made } = await ask<{ made: { session: { id: string } } }>(
          n,
          `mutation { made: createSession(input: { title: "Work ${n}", pipeline: "work" }) { ... on CreateSessionPayload { session { id } } } }`,
        );
        return made.session.id;
      }),
    );

    interface Now {
      session: { status: string; lastHandoff: { id: string; status: string } | null };
    }
    // Each session by its own hand, whichever server answers: a refusal means that it waits for its place.
    await Promise.all(
      ids.map(async (id, n) => {
        for (let turn = n; ; turn += 1) {
          const { session: now } = await ask<Now>(
            turn,
            'query ($id: ID!) { session(id: $id) { status lastHandoff { id status } } }',
            { id },
          );
          if (now.status === 'COMPLETED') return;
          if (now.lastHandoff?.status === 'INITIATED')
            await ask(turn, 'mutation ($id: ID!) { acceptHandoff(input: { handoffId: $id }) { __typename } }', {
              id: now.lastHandoff.id,
            });
          await ask(
            turn,
            'mutation ($id: ID!) { advancePipeline(input: { sessionId: $id, outcome: "DONE" }) { __typename } }',
            { id },
          );
        }
      }),
    );

    for (const id of ids) {
      const { rows: recorded } = await own.pool.query<{ id: string; type: string }>(
        'SELECT id, type FROM events WHERE session_id = $1 ORDER BY session_sequence',
        [decodeId(id)!.uuid],
      );
      await vi.waitFor(() => expect(hook.types(id)).toEqual(recorded.map(({ type }) => type)), patience);
      await vi.waitFor(
        () => expect(recorded.filter((event) => !logged().includes(encodeId('event', event.id)))).toEqual([]),
        patience,
      );
    }
    expect(hook.types().filter((type) => type === 'SESSION_QUEUED').length).toBeGreaterThan(5);
    expect(await brokenInvariants(own.pool)).toEqual([]);
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
    const { rows } = await database.pool.query(
      `SELECT objid FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    );
    expect(rows).toEqual([]);
    const { rows: statements } = await database.pool.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'`,
    );
    expect(statements).toEqual([{ n: 0 }]);
  });

  test('is migrated, backed up and restored', async () => {
    const target = await emptyDatabase();
    const file = join(folder, 'backup');
    const program = await bundled('cli/baton.ts');
    const { PATH, HOME } = process.env;
    const baton = (to: string, ...args: string[]) =>
      promisify(execFile)(process.execPath, [program, ...args], { env: { PATH, HOME, DATABASE_URL: to } });
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
