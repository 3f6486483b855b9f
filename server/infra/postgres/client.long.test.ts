import { copyFileSync, chownSync, chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { makeCertificate } from '../../../test/certificate.ts';
import { atEnd } from '../../../test/database.ts';
import { streamingReplica } from '../../../test/streamingReplica.ts';
import { temporaryFolder } from '../../../test/temporary.ts';
import { AwayError, StartError } from '../../core/startError.ts';
import { silentLog } from '../log.ts';
import { connected } from '../migrate.ts';
import { createDatabase } from '../prisma.ts';

const { primary, replica } = await streamingReplica(atEnd);
const hostOf = (url: string): string => new URL(url).host;
const both = [replica, primary].map(({ url }) => hostOf(url)).join(',');
const user = 'postgresql://postgres@';
const isStandby = (url: string): Promise<boolean> =>
  connected(url, async (client) => {
    const { rows } = await client.query<{ standby: boolean }>('SELECT pg_is_in_recovery() AS standby');
    return rows[0]!.standby;
  });

it.each([
  ['any', true],
  ['standby', true],
  ['read-only', true],
  ['primary', false],
  ['read-write', false],
])('of a replica and its primary, target_session_attrs=%s takes the first that is so', async (wanted, standby) => {
  expect(await isStandby(`${user}${both}/postgres?target_session_attrs=${wanted}`)).toBe(standby);
});

it('says when no host is what was asked for', async () => {
  const refused = isStandby(`${user}${hostOf(replica.url)}/postgres?target_session_attrs=read-write`);
  await expect(refused).rejects.toThrow(AwayError);
  await expect(refused).rejects.toThrow('no host of DATABASE_URL is read-write');
});

const folder = temporaryFolder('baton-tls');
const { key, certificate } = makeCertificate(folder);
const other = temporaryFolder('baton-tls');
makeCertificate(other);
const data = (await primary.query<{ folder: string }>(`SELECT current_setting('data_directory') AS folder`))[0]!.folder;

it('a server without TLS is called that', async () => {
  await expect(isStandby(`${primary.url}?sslmode=require`)).rejects.toThrow(
    'PostgreSQL has no TLS: set sslmode=disable',
  );
});

it('sslmode and sslrootcert have the meaning of libpq', async () => {
  for (const [from, name] of [
    [key, 'server.key'],
    [certificate, 'server.crt'],
  ] as const) {
    copyFileSync(from, join(data, name));
    chmodSync(join(data, name), 0o600);
    if (process.getuid?.() === 0) chownSync(join(data, name), statSync(data).uid, statSync(data).gid);
  }
  await primary.query('ALTER SYSTEM SET ssl = on');
  await primary.query('SELECT pg_reload_conf()');
  const encrypted = (settings: string): Promise<boolean> =>
    connected(`${primary.url}?${settings}`, async (client) => {
      const { rows } = await client.query<{ ssl: boolean }>('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
      return rows[0]!.ssl;
    });
  await vi.waitFor(async () => expect(await encrypted('sslmode=require')).toBe(true), { timeout: 20_000 });
  expect(await encrypted('sslmode=disable')).toBe(false);
  for (const trusted of ['require', 'verify-ca', 'verify-full'])
    expect(await encrypted(`sslmode=${trusted}&sslrootcert=${certificate}`), trusted).toBe(true);
  for (const untrusted of [
    'sslmode=verify-full',
    ...['require', 'verify-ca', 'verify-full'].map(
      (mode) => `sslmode=${mode}&sslrootcert=${join(other, 'certificate.pem')}`,
    ),
  ]) {
    const refused = encrypted(untrusted);
    await expect(refused, untrusted).rejects.toThrow(StartError);
    await expect(refused, untrusted).rejects.toThrow('The certificate of PostgreSQL is not trusted');
  }
  await expect(encrypted('sslmode=verify-ca')).rejects.toThrow('needs sslrootcert=<file>');
  await expect(encrypted('sslmode=verify-full&sslrootcert=/not/there.pem')).rejects.toThrow('a file that is not there');
});

it('a refusal is called one, and what to do', async () => {
  const hba = join(data, 'pg_hba.conf');
  writeFileSync(
    hba,
    `host all shut 127.0.0.1/32 reject\nhost all locked 127.0.0.1/32 scram-sha-256\n${readFileSync(hba, 'utf8')}`,
  );
  await primary.query(`CREATE ROLE locked LOGIN PASSWORD 'right'`);
  await primary.query('CREATE ROLE shut LOGIN');
  await primary.query('SELECT pg_reload_conf()');
  const host = hostOf(primary.url);
  for (const [url, message] of [
    [`postgresql://locked:wrong@${host}/postgres`, 'PostgreSQL refuses the password'],
    [`postgresql://shut@${host}/postgres`, 'pg_hba.conf'],
    [`${user}${host}/nowhere`, 'PostgreSQL has no such database'],
  ] as const)
    await vi.waitFor(
      async () => {
        const refused = isStandby(url);
        await expect(refused).rejects.toThrow(StartError);
        await expect(refused).rejects.toThrow(message);
      },
      { timeout: 20_000 },
    );
});

it('a pool goes on with the promoted replica after its primary was killed', async () => {
  const { pool, close } = createDatabase(`${user}${both}/postgres?target_session_attrs=read-write`, silentLog);
  atEnd(close);
  const write = (): Promise<unknown> => pool.query('CREATE TABLE IF NOT EXISTS written (at timestamptz)');
  await write();
  await primary.kill();
  await expect(write()).rejects.toThrow();
  await replica.query('SELECT pg_promote()');
  await vi.waitFor(write, { timeout: 30_000, interval: 100 });
});
