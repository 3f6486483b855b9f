import { isListType, isObjectType, getNullableType } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { seed } from '../../../prisma/seed.ts';
import { testDatabase } from '../../../test/database.ts';
import { client, send } from '../../../test/graphql.ts';
import { adminKey, secretFor } from '../../../test/keyring.ts';
import { startApp } from '../../../test/server.ts';
import { silentLog } from '../../infra/log.ts';
import { schema } from '../graphql/schema.ts';

const db = await testDatabase();
await seed({ pool: db.pool, log: silentLog });
const { url } = await startApp(db, { variables: { BATON_ADMIN_KEY: adminKey } });
const { post } = client(url, { key: adminKey });
const codex = await secretFor(db.pool, 'AGENT', 'codex-1');

const get = (path: string, key = adminKey) => send(`${url}${path}`, { headers: { authorization: `Bearer ${key}` } });
const json = (value: unknown): string => encodeURIComponent(JSON.stringify(value));

/** Cells by RFC 4180. */
function cells(csv: string): string[][] {
  const rows: string[][] = [[]];
  for (const [, quoted, plain, end] of csv.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    rows.at(-1)!.push(quoted?.replaceAll('""', '"') ?? plain!);
    if (end === '\r\n') rows.push([]);
  }
  expect(rows.pop()).toEqual([]);
  return rows;
}

beforeAll(async () => {
  await post(
    'mutation { createSession(input: { title: "=HYPERLINK(\\"x\\"), \\"a\\"\\nb", agentId: "claude-1" }) { __typename } }',
  );
});

describe('GET /<list>.csv', () => {
  it('returns the rows of the list with the same filter and order, in as many pages as there are', async () => {
    const { data } = await post<{ handoffs: { nodes: { id: string; status: string; session: { title: string } }[] } }>(
      '{ handoffs(where: { status: [COMPLETED, REJECTED] }, first: 100) { nodes { id status session { title } } } }',
    );
    const { status, headers, body } = await get(
      `/handoffs.csv?where=${json({ status: ['COMPLETED', 'REJECTED'] })}&columns=id,status,session.title`,
    );
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': 'attachment; filename="handoffs.csv"',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
    const times = cells((await get('/handoffs.csv?columns=initiatedAt,acceptedAt')).body).slice(1);
    const isTime = /^(?:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)?$/;
    expect(times.flat().filter((time) => !isTime.test(time))).toEqual([]);
    expect(cells(body)).toEqual([
      ['id', 'status', 'session.title'],
      ...data.handoffs.nodes.map((row) => [row.id, row.status, row.session.title]),
    ]);
    // More than a page.
    const { rows } = await db.pool.query<{ count: number }>('SELECT count(*)::int AS count FROM events');
    expect(rows[0]!.count).toBeGreaterThan(100);
    const all = cells((await get(`/events.csv?columns=id&orderBy=${json({ field: 'AT', direction: 'ASC' })}`)).body);
    expect(new Set(all.slice(1).flat()).size).toBe(rows[0]!.count);
    for (const first of [0, 3, 100, 101])
      expect(
        cells(
          (await get(`/events.csv?columns=id&orderBy=${json({ field: 'AT', direction: 'ASC' })}&first=${first}`)).body,
        ),
      ).toEqual(all.slice(0, first + 1));
  });

  it('returns every list of the API with columns of its own choice', async () => {
    const given: Record<string, string> = {
      search: '?query=test',
      sessionEvents: '?sessionId=session_01kc000000e00800000000002y',
      suggestTargets: '?text=Fix%20it',
      handoffStats: `?groupBy=${json(['AGENT', 'DAY'])}`,
      nodes: `?ids=${json(['claude-1'])}&columns=id`,
      deliveries: '?webhookId=webhook_00000000000000000000000000',
      detectHandoffs: `?sessionId=session_01kc000000e00800000000002y&response=${json([])}`,
    };
    const lists = Object.values(schema.getQueryType()!.getFields()).filter(({ type }) => {
      const named = getNullableType(type);
      return (
        isListType(named) ||
        (isObjectType(named) && 'nodes' in named.getFields() && !['HandoffGraph'].includes(named.name))
      );
    });
    expect(lists.length).toBeGreaterThan(12);
    for (const { name } of lists) {
      if (['deliveries', 'nodes', 'detectHandoffs'].includes(name)) continue;
      const { status, body } = await get(`/${name}.csv${given[name] ?? ''}`);
      expect([name, status, body.length > 2]).toEqual([name, 200, true]);
    }
    const stats = cells((await get(`/handoffStats.csv?groupBy=${json(['AGENT'])}&columns=agent.id,count`)).body);
    const { data } = await post<{ handoffStats: { agent: { id: string }; count: number }[] }>(
      '{ handoffStats(groupBy: [AGENT]) { agent { id } count } }',
    );
    expect(stats.slice(1)).toEqual(data.handoffStats.map(({ agent, count }) => [agent.id, String(count)]));
  });

  it('quotes what CSV needs, and keeps a spreadsheet from executing a text', async () => {
    const { body } = await get('/sessions.csv?columns=title&first=1');
    expect(body).toBe('title\r\n"\'=HYPERLINK(""x""), ""a""\nb"\r\n');
  });

  it('returns what the caller may read', async () => {
    const own = cells((await get('/sessions.csv?columns=id', codex)).body).slice(1);
    const { data } = await client(url, { key: codex }).post<{ sessions: { nodes: { id: string }[] } }>(
      '{ sessions(first: 100) { nodes { id } } }',
    );
    expect(own.flat()).toEqual(data.sessions.nodes.map(({ id }) => id));
    expect((await get('/events.csv', codex)).status).toBe(403);
    expect((await send(`${url}/sessions.csv`)).status).toBe(401);
  });

  it.each([
    ['an unknown list', '/nothing.csv', 404],
    ['a field that is no list', '/viewer.csv', 404],
    ['an unknown argument', '/sessions.csv?wher=1', 400],
    ['an unknown column', '/sessions.csv?columns=nothing', 400],
    ['a column that is no name', '/sessions.csv?columns=id%7D', 400],
    ['an object without a column of its own', '/sessions.csv?columns=agent', 400],
    ['a filter that is not JSON', '/sessions.csv?where=%7B', 400],
    ['an unknown filter', `/sessions.csv?where=${json({ nothing: 1 })}`, 400],
    ['a number of rows that is none', '/sessions.csv?first=-1', 400],
    ['a missing argument', '/search.csv', 400],
  ])('refuses %s', async (_name, path, status) => {
    const answer = await get(path);
    expect(answer.status).toBe(status);
    expect(answer.body).toMatch(/"code":"(BAD_USER_INPUT|NOT_FOUND)"/);
  });

  it('refuses another method than GET and HEAD', async () => {
    expect((await send(`${url}/sessions.csv`, { method: 'POST' })).status).toBe(405);
    expect(
      await send(`${url}/sessions.csv`, { method: 'HEAD', headers: { authorization: `Bearer ${adminKey}` } }),
    ).toMatchObject({
      status: 200,
      body: '',
    });
  });
});
