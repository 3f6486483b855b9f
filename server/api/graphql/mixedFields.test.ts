import { once } from 'node:events';
import { request } from 'node:http';
import { expect, test, vi } from 'vitest';
import { seed } from '../../../prisma/seed.ts';
import { testDatabase } from '../../../test/database.ts';
import { client, send } from '../../../test/graphql.ts';
import { adminKey, secretFor } from '../../../test/keyring.ts';
import { mixedDocument } from '../../../test/mixedDocument.ts';
import { runs } from '../../../test/runs.ts';
import { startServer } from '../../../test/server.ts';
import { random } from '../../../test/soak/random.ts';
import { encodeId, type IdPrefix } from '../../core/ids.ts';
import { silentLog } from '../../infra/log.ts';

const { pool, url: databaseUrl } = await testDatabase();
await seed({ pool, log: silentLog });
const keys = {
  AGENT: await secretFor(pool, 'AGENT', 'claude-1'),
  OPERATOR: await secretFor(pool, 'OPERATOR'),
  ANALYST: await secretFor(pool, 'ANALYST'),
  ADMIN: await secretFor(pool, 'ADMIN'),
};
const unhurried = Object.fromEntries(Object.keys(keys).map((role) => [`BATON_RATE_${role}_READS`, '9999999']));
const server = await startServer({
  databaseUrl,
  env: { BATON_DEMO: '0', BATON_ADMIN_KEY: adminKey, ...unhurried },
});
const recorded = `SELECT 'session' AS prefix, id FROM sessions UNION ALL SELECT 'handoff', id FROM handoffs
  UNION ALL (SELECT 'message', id FROM messages LIMIT 10) UNION ALL (SELECT 'toolcall', id FROM tool_calls LIMIT 5)`;
const { rows } = await pool.query<{ prefix: IdPrefix; id: string }>(recorded);
const ids = ['claude-1', 'codex-1', 'reviewer-1', ...rows.map(({ prefix, id }) => encodeId(prefix, id))];

const headersOf = (key: string) => ({ 'content-type': 'application/json', authorization: `Bearer ${key}` });

/** Sends a query and goes away. */
async function breakOff(key: string, body: string): Promise<void> {
  const outgoing = request(`${server.url}/graphql`, { method: 'POST', headers: headersOf(key), agent: false });
  outgoing.on('error', () => undefined);
  outgoing.end(body);
  await once(outgoing, 'finish');
  outgoing.destroy();
}

const demandSound = async (): Promise<void> => {
  for (const key of Object.values(keys))
    expect((await client(server.url, { key }).post('{ viewer { role } }')).errors).toBeUndefined();
  expect(server.logs.filter((line) => /"level":[56]0/.test(line))).toEqual([]);
};

test('queries that mix allowed and refused fields, also broken off, end no server, for any role', async () => {
  const codes = new Set<string>();
  for (let n = 0; n < runs(120); n += 1) {
    const dice = random(1, n);
    const body = JSON.stringify(mixedDocument(dice, () => dice.pick(ids)));
    // The same one often is compiled.
    const times = n % 20 === 0 ? 10 : 1;
    for (const [role, key] of Object.entries(keys)) {
      for (let time = 0; time < times; time += 1) {
        const said = await send(`${server.url}/graphql`, { method: 'POST', headers: headersOf(key), body });
        const code = /"code":"([A-Z_]+)"/.exec(said.body)?.[1] ?? 'answered';
        expect(code, `${role} ${body}`).not.toMatch(/^(INTERNAL_SERVER_ERROR|GRAPHQL_VALIDATION_FAILED)$/);
        codes.add(code);
      }
      if (n % 5 === 0) await breakOff(key, body);
    }
  }
  expect([...codes]).toEqual(expect.arrayContaining(['answered', 'FORBIDDEN', 'BAD_USER_INPUT']));
  await demandSound();
}, 120_000);

test('a field that fails after a null argument ended its list is logged, and ends no server', async () => {
  const { data } = await client(server.url, { key: keys.ADMIN }).post<{
    handoffs: { nodes: { session: { id: string } }[] };
  }>(
    '{ handoffs(where: { targetAgentId: "reviewer-1", status: [COMPLETED] }, first: 1) { nodes { session { id } } } }',
  );
  const { errors } = await client(server.url, { key: keys.AGENT }).post(
    `query ($query: String!, $format: ToolFormat = MCP) { search(query: $query, first: 3) { nodes {
       ... on Session { handoffs(first: 3) { nodes { targetAgent { totalAssigned } } } } ... on Agent { handoffToolDefinitions(format: $format) } } } }`,
    { query: `/agents/codex-1/${data.handoffs.nodes[0]!.session.id}`, format: null },
  );
  expect(errors).toMatchObject([
    { extensions: { code: 'BAD_USER_INPUT' }, path: ['search', 'nodes', 1, 'handoffToolDefinitions'] },
  ]);
  await vi.waitFor(() => expect(server.logs.join()).toContain('A field failed that its answer no longer needed'));
  await demandSound();
});
