import { describe, expect, it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { send, type SendOptions } from '../../../test/graphql.ts';
import { hashAllTables } from '../../../test/hash.ts';
import { adminKey, secretFor } from '../../../test/keyring.ts';
import { startApp } from '../../../test/server.ts';

const db = await testDatabase();
const { url } = await startApp(db, { variables: { BATON_ADMIN_KEY: adminKey } });
const secrets = { admin: adminKey, analyst: await secretFor(db.pool, 'ANALYST', null) };

async function upload(
  body: string | Buffer,
  {
    key = secrets.admin,
    headers = {},
    ...options
  }: SendOptions & { key?: string; headers?: Record<string, string> } = {},
) {
  const { status, body: text } = await send(`${url}/agents/import`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, ...headers },
    ...options,
  });
  return {
    status,
    json: JSON.parse(text) as Record<string, unknown> & {
      errors?: { message: string; extensions: Record<string, unknown> }[];
    },
  };
}

const input = (files: object[], more: object = {}) => JSON.stringify({ defaultType: 'CLAUDE', files, ...more });
const small = input([{ path: 'a.md', content: '# Small' }]);

describe('POST /agents/import', () => {
  it('imports more than a request of GraphQL may hold', async () => {
    const files = Array.from({ length: 60 }, (_, n) => ({
      path: `${n}.md`,
      content: `# Large ${n}\n\n${'Do the work well. '.repeat(1_500)}`,
    }));
    const body = input(files);
    expect(body.length).toBeGreaterThan(1_500_000);
    const { status, json } = await upload(body);
    expect([status, json['problems'], (json['agents'] as { action: string }[]).map(({ action }) => action)]).toEqual([
      200,
      [],
      Array<string>(60).fill('CREATED'),
    ]);
    expect(await upload(body)).toMatchObject({
      status: 200,
      json: { agents: Array(60).fill({ action: 'UNCHANGED' }) },
    });
  });

  it('answers with the report when a file has an ERROR, and writes nothing', async () => {
    const before = await hashAllTables(db.pool);
    const { status, json } = await upload(
      input([
        { path: 'a.md', content: '# A' },
        { path: 'b.md', content: '---' },
      ]),
    );
    expect([status, json]).toMatchObject([
      200,
      { agents: [], problems: [{ path: 'b.md', line: 1, severity: 'ERROR' }] },
    ]);
    expect(await hashAllTables(db.pool)).toEqual(before);
  });

  it.each<[string, () => Promise<Awaited<ReturnType<typeof upload>>>, number, string, RegExp]>([
    [
      'no JSON',
      () => upload('{"files": ['),
      400,
      'BAD_USER_INPUT',
      /not a JSON object: send the input of importAgents/,
    ],
    [
      'more than 100,000 values',
      () => upload(`{"files":[${'0,'.repeat(100_000)}0]}`),
      400,
      'BAD_USER_INPUT',
      /JSON of more than 100000 values: send fewer/,
    ],
    ['a list', () => upload('[1]'), 400, 'BAD_USER_INPUT', /not a JSON object: send the input of importAgents/],
    ['a misspelt name', () => upload(input([], { dryrun: true })), 400, 'BAD_USER_INPUT', /dryrun/],
    ['a missing list', () => upload('{}'), 400, 'BAD_USER_INPUT', /^files /],
    [
      'a wrong value',
      () => upload(input([{ path: '', content: '' }])),
      400,
      'BAD_USER_INPUT',
      /files\.0\.path is blank/,
    ],
    [
      '501 files',
      () => upload(input(Array.from({ length: 501 }, (_, n) => ({ path: `${n}`, content: '' })))),
      413,
      'LIMIT_EXCEEDED',
      /501 files exceed the limit of 500/,
    ],
    [
      'over 8 MB',
      () => upload(input([{ path: 'a.md', content: 'x'.repeat(8 * 1024 * 1024) }])),
      413,
      'REQUEST_ENTITY_TOO_LARGE',
      /larger than 8388608 bytes/,
    ],
    [
      'a form',
      () => upload(small, { headers: { 'content-type': 'text/plain' } }),
      415,
      'BAD_REQUEST',
      /application\/json/,
    ],
    [
      'a page of another origin',
      () => upload(small, { headers: { origin: 'https://evil.example.com' } }),
      403,
      'BAD_REQUEST',
      /other origins/,
    ],
    ['an unknown key', () => upload(small, { key: 'nonsense' }), 401, 'UNAUTHENTICATED', /valid key/],
    [
      'an analyst, before the body is read',
      () => upload('{', { key: secrets.analyst }),
      403,
      'FORBIDDEN',
      /importAgents is not allowed for your role/,
    ],
  ])('refuses %s and changes nothing', async (_what, attempt, status, code, message) => {
    const before = await hashAllTables(db.pool);
    const refused = await attempt();
    expect(refused).toMatchObject({ status, json: { errors: [{ extensions: { code } }] } });
    expect(refused.json.errors![0]!.message).toMatch(message);
    expect(await hashAllTables(db.pool)).toEqual(before);
  });
});
