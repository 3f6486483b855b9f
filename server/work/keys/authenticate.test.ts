import { Pool } from 'pg';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { client, send } from '../../../test/graphql.ts';
import { adminKey } from '../../../test/keyring.ts';
import { recordQueries } from '../../../test/queries.ts';
import { startApp } from '../../../test/server.ts';
import { world } from '../../../test/world.ts';
import { UnauthenticatedError } from '../../core/errors.ts';
import { encodeId } from '../../core/ids.ts';
import { createLog } from '../../infra/log.ts';
import { redactLogLine } from '../redaction/logLine.ts';
import { createAuthenticate } from './authenticate.ts';
import { newSecret } from './secret.ts';

const db = await testDatabase();
const { sent } = recordQueries(db.pool);
const lines: string[] = [];
const log = createLog({
  level: 'trace',
  redactLine: redactLogLine,
  destination: { write: (line) => void lines.push(line) },
});
// It never looks by itself: what ends here, or what it is told of, ends at once.
const server = await startApp(db, { log, variables: { BATON_ADMIN_KEY: adminKey }, recheckMs: 3_600_000 });
// Another process, as far as keys are concerned: it hears of nothing, and looks for itself.
const other = await startApp(db, { variables: { BATON_ADMIN_KEY: adminKey }, recheckMs: 50 });
const { url } = server;
const { agent } = world(db.pool);
const admin = client(url, { key: adminKey });
const viewer = '{ viewer { role agent { id } key { id name role } } }';

beforeAll(() => agent('ada'));

const asks = (headers: Record<string, string | string[]>, body = JSON.stringify({ query: viewer })) =>
  send(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
    body,
  });

interface Made {
  createKey: { key: { id: string }; secret: string };
}
async function make(input: object): Promise<{ id: string; secret: string }> {
  const { data } = await admin.post<Made>(
    'mutation ($input: CreateKeyInput!) { createKey(input: $input) { ... on CreateKeyPayload { key { id } secret } } }',
    { input },
  );
  return { id: data.createKey.key.id, secret: data.createKey.secret };
}
const revoke = (keyId: string, as = admin) =>
  as.post<{ revokeKey: { key: { revokedAt: string } } }>(
    'mutation ($keyId: ID!) { revokeKey(input: { keyId: $keyId }) { ... on RevokeKeyPayload { key { revokedAt } } } }',
    { keyId },
  );
const statusOf = async (secret: string, at = url) => (await client(at, { key: secret }).post(viewer)).status;
const uuidOf = async (secret: string) => (await server.authenticate(`Bearer ${secret}`)).keyId!;

describe('a caller without a valid key', () => {
  const unknown = newSecret();
  it.each<[string, Record<string, string | string[]>]>([
    ['without Authorization', {}],
    ['with an empty Authorization', { authorization: '' }],
    ['with only a scheme', { authorization: 'Bearer' }],
    ['with another scheme', { authorization: `Basic ${Buffer.from(`admin:${adminKey}`).toString('base64')}` }],
    ['with the key and no scheme', { authorization: adminKey }],
    ['with an unknown key', { authorization: `Bearer ${unknown}` }],
    ['with a part of the admin key', { authorization: `Bearer ${adminKey.slice(0, -1)}` }],
    ['with characters after the admin key', { authorization: `Bearer ${adminKey}x` }],
    ['with two keys in one header', { authorization: `Bearer ${adminKey}, Bearer ${adminKey}` }],
    ['with two headers', { authorization: [`Bearer ${adminKey}`, `Bearer ${adminKey}`] }],
  ])('%s is UNAUTHENTICATED for every request', async (_how, headers) => {
    const refused = await asks(headers);
    expect(refused).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } });
    expect(JSON.parse(refused.body)).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] });
    for (const body of [
      '{ broken',
      JSON.stringify({ query: '{ nonsense }' }),
      JSON.stringify({ query: '{ __schema { types { name } } }' }),
      '[]',
    ]) {
      expect(await asks(headers, body)).toMatchObject({ status: 401, body: refused.body });
    }
  });

  it('costs a look-up only for a secret of the right form', async () => {
    sent.length = 0;
    await asks({ authorization: 'Bearer hunter2' });
    await asks({ authorization: `Bearer ${newSecret()}=` });
    expect(sent).toEqual([]);
    await asks({ authorization: `Bearer ${newSecret()}` });
    expect(sent.map(({ text }) => text)).toEqual([expect.stringContaining('FROM keys')]);
  });

  it('reaches the health checks and the page for entering a key', async () => {
    expect((await send(`${url}/livez`)).status).toBe(200);
    expect((await send(`${url}/readyz`)).status).toBe(200);
    expect(await send(`${url}/graphql`, { headers: { accept: 'text/html' } })).toMatchObject({
      status: 200,
      headers: { 'content-type': 'text/html; charset=utf-8' },
    });
  });
});

describe('a caller with a key', () => {
  it('is accepted with any case of the scheme and any Host', async () => {
    const { id, secret } = await make({ role: 'AGENT', agentId: 'ada', name: 'laptop' });
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      const { status, body } = await asks({ authorization: `${scheme} ${secret}`, host: 'baton.example.com' });
      expect([status, JSON.parse(body)]).toMatchObject([
        200,
        { data: { viewer: { role: 'AGENT', agent: { id: 'ada' }, key: { id, name: 'laptop', role: 'AGENT' } } } },
      ]);
    }
  });

  it('is looked up once for 20 concurrent requests', async () => {
    const { secret } = await make({ role: 'ANALYST', name: 'dashboard' });
    sent.length = 0;
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => client(url, { key: secret }).post('{ viewer { role } }')),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    expect(sent).toHaveLength(1);
  });

  it('is ADMIN without a key record when it uses BATON_ADMIN_KEY', async () => {
    const { data } = await admin.post(viewer);
    expect(data).toEqual({ viewer: { role: 'ADMIN', agent: null, key: null } });
  });

  it('gets UNAVAILABLE, not UNAUTHENTICATED, while the database is away', async () => {
    const pool = new Pool({ connectionString: 'postgresql://nobody@127.0.0.1:1/nothing' });
    const authenticate = createAuthenticate({ pool, log, adminKey: undefined, open: false });
    await expect(authenticate(`Bearer ${newSecret()}`)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await pool.end();
  });

  it.each([
    ['no agent for an AGENT', { role: 'AGENT', name: 'x' }],
    ['an agent for another role', { role: 'ANALYST', agentId: 'ada', name: 'x' }],
    ['a moment that has passed', { role: 'ANALYST', name: 'x', expiresAt: '2020-01-01T00:00:00Z' }],
  ])('gets BAD_USER_INPUT before FORBIDDEN from createKey, with %s', async (_what, input) => {
    const { secret } = await make({ role: 'OPERATOR', name: 'no admin' });
    const { post } = client(url, { key: secret });
    const create = 'mutation ($input: CreateKeyInput!) { createKey(input: $input) { __typename } }';
    expect(await post(create, { input })).toMatchObject({ data: { createKey: { __typename: 'BadUserInputError' } } });
    expect(await post(create, { input: { role: 'ANALYST', name: 'x' } })).toMatchObject({
      errors: [{ extensions: { code: 'FORBIDDEN' } }],
    });
  });
});

describe('a key', () => {
  it('is rejected from the moment it is revoked, and a repeated revocation succeeds', async () => {
    const { id, secret } = await make({ role: 'OPERATOR', name: 'ci' });
    expect(await statusOf(secret)).toBe(200);
    const first = await revoke(id);
    expect(await statusOf(secret)).toBe(401);
    expect((await revoke(id)).data).toEqual(first.data);
  });

  it('is rejected at once in the process that revokes it', async () => {
    const { secret } = await make({ role: 'OPERATOR', name: 'ci' });
    const keyId = await uuidOf(secret);
    const authenticate = createAuthenticate({ pool: db.pool, log, adminKey: undefined, open: false });
    expect(await authenticate(`Bearer ${secret}`)).toMatchObject({ keyId });
    await db.pool.query('UPDATE keys SET revoked_at = now() WHERE id = $1', [keyId]);
    authenticate.revoked(keyId);
    await expect(authenticate(`Bearer ${secret}`)).rejects.toThrow(UnauthenticatedError);
    authenticate.close();
  });

  it('may revoke itself', async () => {
    const { id, secret } = await make({ role: 'ADMIN', name: 'once' });
    const once = client(url, { key: secret });
    expect((await revoke(id, once)).data.revokeKey.key.revokedAt).toEqual(expect.any(String));
    expect(await statusOf(secret)).toBe(401);
  });

  it('is rejected by another process after its next check, without an announcement', async () => {
    const { id, secret } = await make({ role: 'OPERATOR', name: 'ci' });
    expect(await statusOf(secret, other.url)).toBe(200);
    await revoke(id);
    await vi.waitFor(async () => expect(await statusOf(secret, other.url)).toBe(401), { timeout: 30_000 });
  });

  it('is rejected once it has expired, even while it is cached', async () => {
    const { secret } = await make({
      role: 'ANALYST',
      name: 'visitor',
      expiresAt: new Date(Date.now() + 5_000).toISOString(),
    });
    expect(await statusOf(secret)).toBe(200);
    await vi.waitFor(async () => expect(await statusOf(secret)).toBe(401), { timeout: 30_000 });
  });

  it('is rejected once its agent is archived', async () => {
    await agent('retiring');
    const [{ secret }, { secret: another }] = [
      await make({ role: 'AGENT', agentId: 'retiring', name: 'a' }),
      await make({ role: 'AGENT', agentId: 'retiring', name: 'b' }),
    ];
    expect(await statusOf(secret)).toBe(200);
    await admin.post('mutation { archiveAgent(input: { id: "retiring" }) { __typename } }');
    expect([await statusOf(secret), await statusOf(another)]).toEqual([401, 401]);
    expect(await db.prisma.key.count({ where: { agentId: 'retiring', revokedAt: null } })).toBe(0);
  });

  it('is rejected once it is revoked, even for a look-up that began before', async () => {
    const { id, secret } = await make({ role: 'ANALYST', name: 'slow' });
    const keyId = await uuidOf(secret);
    let [answered, goOn] = [(): void => undefined, (): void => undefined];
    const answer = new Promise<void>((resolve) => (answered = resolve));
    const held = new Promise<void>((resolve) => (goOn = resolve));
    // PostgreSQL has answered, and the answer is under way.
    const slow = {
      async query(...args: unknown[]): Promise<unknown> {
        const rows = await (db.pool.query as (...given: unknown[]) => Promise<unknown>)(...args);
        answered();
        await held;
        return rows;
      },
    } as unknown as Pool;
    const authenticate = createAuthenticate({ pool: slow, log, adminKey: undefined, open: false });
    const asked = [authenticate(`Bearer ${secret}`), authenticate(`Bearer ${secret}`)].map((caller) =>
      expect(caller).rejects.toThrow(UnauthenticatedError),
    );
    await answer;
    await revoke(id);
    authenticate.forget(keyId);
    goOn();
    await Promise.all(asked);
    authenticate.close();
  });
});

describe('a watcher of a key', () => {
  const hold = async (app: typeof server, secret: string) => {
    const ended = vi.fn();
    const stop = app.authenticate.watch(await app.authenticate(`Bearer ${secret}`), ended);
    return { ended, stop };
  };

  it('is called once when the key is revoked in its process', async () => {
    const { id, secret } = await make({ role: 'OPERATOR', name: 'ci' });
    const [{ ended }, let_go] = [await hold(server, secret), await hold(server, secret)];
    let_go.stop();
    await revoke(id);
    expect(ended).toHaveBeenCalledOnce();
    expect(let_go.ended).not.toHaveBeenCalled();
    await revoke(id);
    expect(ended).toHaveBeenCalledOnce();
  });

  it('is called when the key is revoked elsewhere, by the next check or by an announcement', async () => {
    const { id, secret } = await make({ role: 'OPERATOR', name: 'ci' });
    const [looks, hears] = [await hold(other, secret), await hold(server, secret)];
    const keyId = await uuidOf(secret);
    // A rumour about a key that works ends nothing.
    server.authenticate.forget(keyId);
    server.authenticate.forget('nonsense');
    expect(await statusOf(secret)).toBe(200);
    await db.pool.query('UPDATE keys SET revoked_at = now() WHERE id = $1', [keyId]);
    await vi.waitFor(() => expect(looks.ended).toHaveBeenCalledOnce(), { timeout: 30_000 });
    expect(hears.ended).not.toHaveBeenCalled();
    server.authenticate.forget(keyId);
    await vi.waitFor(() => expect(hears.ended).toHaveBeenCalledOnce(), { timeout: 30_000 });
    expect(await statusOf(secret)).toBe(401);
    expect(encodeId('key', keyId)).toBe(id);
  });

  it('is called when the key expires', async () => {
    const { secret } = await make({
      role: 'ANALYST',
      name: 'visitor',
      expiresAt: new Date(Date.now() + 5_000).toISOString(),
    });
    const { ended } = await hold(server, secret);
    await vi.waitFor(() => expect(ended).toHaveBeenCalledOnce(), { timeout: 30_000 });
  });

  it('is never called for the admin key, and onRevoked reports the keys revoked here', async () => {
    const { ended } = await hold(server, adminKey);
    const heard = vi.fn();
    server.authenticate.onRevoked(heard);
    const { id, secret } = await make({ role: 'OPERATOR', name: 'ci' });
    const keyId = await uuidOf(secret);
    await revoke(id);
    expect(heard.mock.calls).toEqual([[keyId]]);
    expect(ended).not.toHaveBeenCalled();
  });
});

it('a secret is neither stored nor logged, and its hash opens nothing', async () => {
  const { id, secret } = await make({ role: 'ADMIN', name: 'kept' });
  await asks({ authorization: `Bearer ${secret}` });
  log.info({ headers: { authorization: secret } }, `somebody came with ${secret}`);
  const { rows } = await db.pool.query<{ row: string; secret_hash: string }>(
    'SELECT k::text AS row, secret_hash FROM keys k',
  );
  expect(rows.map(({ row }) => row).join('\n')).not.toContain(secret.slice(6));
  expect(lines.join('')).not.toContain(secret.slice(6));
  expect(lines.join('')).not.toContain(adminKey);
  expect(lines.join('')).toContain(id);
  for (const { secret_hash: hash } of rows)
    expect([await statusOf(hash), await statusOf(`baton_${hash.slice(0, 43)}`)]).toEqual([401, 401]);
});

it('keys lists all keys to admins, also ended ones, without secrets', async () => {
  const { id } = await make({ role: 'OPERATOR', name: 'listed', expiresAt: '2999-01-01T00:00:00Z' });
  await revoke(id);
  const { data } = await admin.post<{ keys: { nodes: { id: string }[] } }>(
    '{ keys(first: 1) { nodes { id name role createdBy expiresAt revokedAt agent { id } } } }',
  );
  expect(data.keys.nodes).toEqual([
    {
      id,
      name: 'listed',
      role: 'OPERATOR',
      createdBy: 'admin',
      expiresAt: '2999-01-01T00:00:00.000Z',
      revokedAt: expect.any(String) as string,
      agent: null,
    },
  ]);
  const { body } = await asks(
    { authorization: `Bearer ${adminKey}` },
    JSON.stringify({ query: '{ __type(name: "Key") { fields { name } } }' }),
  );
  expect(body).not.toMatch(/secret|hash/i);
});

it("node returns a caller's own key and no other", async () => {
  const [{ id: foreign }, { id: own, secret }] = [
    await make({ role: 'ADMIN', name: 'foreign' }),
    await make({ role: 'OPERATOR', name: 'own' }),
  ];
  const { data } = await client(url, { key: secret }).post('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', {
    ids: [foreign, own],
  });
  expect(data).toEqual({ nodes: [null, { id: own }] });
});
