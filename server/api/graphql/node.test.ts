import { beforeAll, describe, expect, test } from 'vitest';
import { bulkId, loadBulk, type BulkKind } from '../../../test/bulk.ts';
import { testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { startApp } from '../../../test/server.ts';
import { encodeId, newId } from '../../core/ids.ts';
import { decodeNodeId, encodeNodeId, nodePrefixes, type NodeType } from './nodeIds.ts';
import { schema } from './schema.ts';

const database = await testDatabase();
const { url } = await startApp(database);
const { post } = client(url);
const ids = new Map<NodeType, string>([['Agent', 'busy']]);

beforeAll(async () => {
  await loadBulk(database.url, { sessions: 2, handoffs: 1, turns: 1 });
  for (const [type, prefix] of Object.entries(nodePrefixes) as [NodeType, string][]) {
    const kinds: Record<string, BulkKind> = { agentsession: 'tenure' };
    if (!['Key', 'HandoffTool', 'Pipeline', 'Webhook', 'Delivery'].includes(type))
      ids.set(
        type,
        encodeNodeId(
          type,
          await bulkId(database.pool, kinds[prefix] ?? (prefix as BulkKind), 1, /session|event/.test(prefix) ? 0 : 1),
        ),
      );
  }
  const keyId = newId();
  await database.pool.query(
    "INSERT INTO keys (id, name, role, secret_hash, created_by, created_at) VALUES ($1, 'ci', 'ANALYST', 'secret', 'loopback', now())",
    [keyId],
  );
  ids.set('Key', encodeId('key', keyId));
  const toolId = newId();
  await database.pool.query(
    "INSERT INTO handoff_tools (id, name, target_agent_id, description, variables, created_at) VALUES ($1, 'ask', 'busy', 'Asks.', '[]', now())",
    [toolId],
  );
  ids.set('HandoffTool', encodeId('tool', toolId));
  const pipelineId = newId();
  await database.pool.query(
    "INSERT INTO pipelines (id, slug, version, name, start, stages, transitions, created_at) VALUES ($1, 'flow', 1, 'Flow', 'work', $2, $3, now())",
    [pipelineId, JSON.stringify([{ name: 'work' }]), JSON.stringify([{ from: 'work', outcome: 'DONE' }])],
  );
  ids.set('Pipeline', encodeId('pipeline', pipelineId));
  const [webhookId, deliveryId] = [newId(), newId()];
  await database.pool.query(
    "INSERT INTO webhooks (id, url, secret_version, key_check, position, created_by, created_at) VALUES ($1, 'https://example.com/', 1, 'x', 0, 'admin', now())",
    [webhookId],
  );
  await database.pool.query(
    "INSERT INTO deliveries (id, webhook_id, event_id, position, lane, status, attempts, created_at) SELECT $1, $2, id, 1, 'x', 'DELIVERED', 1, now() FROM events LIMIT 1",
    [deliveryId, webhookId],
  );
  ids.set('Webhook', encodeId('webhook', webhookId));
  ids.set('Delivery', encodeId('delivery', deliveryId));
});

interface Nodes {
  nodes: ({ __typename: string; id: string } | null)[];
}
const nodes = (...asked: string[]) =>
  post<Nodes>('query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }', { ids: asked });

describe('node and nodes', () => {
  test('return every type with an id, in the requested order', async () => {
    expect([...ids.keys()].sort()).toEqual(
      schema
        .getPossibleTypes(schema.getType('Node') as never)
        .map(({ name }) => name)
        .sort(),
    );
    const asked = [...ids];
    const { data, errors } = await nodes(...asked.map(([, id]) => id), ...asked.map(([, id]) => id).reverse());
    expect(errors).toBeUndefined();
    const found = asked.map(([type, id]) => ({ __typename: type, id }));
    expect(data.nodes).toEqual([...found, ...found.toReversed()]);
    for (const [type, id] of asked) {
      expect((await post('query ($id: ID!) { node(id: $id) { __typename id } }', { id })).data).toEqual({
        node: { __typename: type, id },
      });
    }
  });

  test('return null for an unknown id', async () => {
    const unknown = [
      ...Object.values(nodePrefixes).map((prefix) => encodeId(prefix, newId())),
      'nobody',
      'No Slug',
      '',
      'a\0b',
      '\ud800',
      'user_01h455vb4pex5vsknk084sn02q',
      'session_01h455vb4pex5vsknk084sn02',
      ids.get('Session')!.toUpperCase(),
      ids.get('Session')!.replace('session_', ''),
      ids.get('Session')!.replace('session_', 'handoff_'),
    ];
    const { data, errors } = await nodes(...unknown, 'busy');
    expect(errors).toBeUndefined();
    expect(data.nodes).toEqual([...unknown.map(() => null), { __typename: 'Agent', id: 'busy' }]);
    expect((await post('{ node(id: "nobody") { id } }')).data).toEqual({ node: null });
  });

  test('return the fields of the type', async () => {
    const { data } = await post(
      `{ node(id: "${ids.get('Handoff')}") { ... on Handoff { status session { id } targetAgentSession { agent { id } } } }
         key: node(id: "${ids.get('Key')}") { ... on Key { name role agent { id } createdAt expiresAt revokedAt } } }`,
    );
    expect(data).toMatchObject({
      node: { session: { id: ids.get('Session') } },
      key: { name: 'ci', role: 'ANALYST', agent: null, expiresAt: null, revokedAt: null },
    });
  });
});

test('a node id decodes to its row, and other text to none', () => {
  for (const type of Object.keys(nodePrefixes) as NodeType[]) {
    const uuid = newId();
    expect(decodeNodeId(encodeNodeId(type, uuid))).toEqual({ typename: type, id: uuid });
  }
  expect(decodeNodeId('claude-1')).toEqual({ typename: 'Agent', id: 'claude-1' });
  expect(decodeNodeId('Claude 1')).toEqual({ typename: 'Agent', id: '' });
});
