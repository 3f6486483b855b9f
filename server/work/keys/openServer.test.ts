import { describe, expect, it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { client, send } from '../../../test/graphql.ts';
import { secretFor } from '../../../test/keyring.ts';
import { startApp } from '../../../test/server.ts';
import { newSecret } from './secret.ts';

const empty = await testDatabase();
const viewer = '{ viewer { role agent { id } key { id name role } } }';

describe('a server without BATON_ADMIN_KEY', () => {
  it('needs no key while none exists, applies the role of a presented key, and checks Host', async () => {
    const { url: openUrl, stop } = await startApp(empty);
    expect((await client(openUrl).post(viewer)).data).toEqual({ viewer: { role: 'ADMIN', agent: null, key: null } });
    expect(
      (await send(`${openUrl}/graphql?query={viewer{role}}`, { headers: { host: 'baton.example.com' } })).status,
    ).toBe(403);
    const secret = await secretFor(empty.pool, 'ANALYST');
    expect((await client(openUrl, { key: secret }).post(viewer)).data).toMatchObject({ viewer: { role: 'ANALYST' } });
    expect((await client(openUrl, { key: newSecret() }).post(viewer)).status).toBe(401);
    expect((await client(openUrl, { key: 'anything else' }).post(viewer)).status).toBe(200);
    await stop();
  });

  it('needs a key when one exists at its start, and still does after that key has ended', async () => {
    const { url: closedUrl, stop } = await startApp(empty);
    expect((await client(closedUrl).post(viewer)).status).toBe(401);
    await empty.pool.query('UPDATE keys SET revoked_at = now()');
    expect((await client(closedUrl).post(viewer)).status).toBe(401);
    await stop();
    const again = await startApp(empty);
    expect((await client(again.url).post(viewer)).status).toBe(401);
  });
});
