import { describe, expect, it } from 'vitest';
import { askersOf, roles } from '../../../test/askers.ts';
import { unknownId } from '../../../test/refusals.ts';
import { agentCaller } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import { askPerson } from '../../work/approvals/askPerson.ts';
import { recordDecision } from '../../work/log/addToLog.ts';
import { schema } from '../graphql/schema.ts';

const { db, askers, initiate, reassign, run, held, addressed, pipeline } = await askersOf();
await pipeline('story', ['write DONE end']);
await held('own');
const { rows } = await db.pool.query<{ id: string }>(`WITH webhook AS (
    INSERT INTO webhooks (id, url, types, secret_version, key_check, position, created_by, created_at) VALUES (gen_random_uuid(), 'https://example.com/', '{}', 1, 'x', 0, 'admin', now()) RETURNING id)
  INSERT INTO deliveries (id, webhook_id, event_id, position, lane, status, attempts, created_at)
    SELECT gen_random_uuid(), webhook.id, e.id, 1, 'x', 'DELIVERED', 1, now() FROM webhook, (SELECT id FROM events LIMIT 1) e RETURNING webhook_id AS id`);
const webhookId = encodeId('webhook', rows[0]!.id);

interface Read {
  query: string;
  variables: (whose: 'own' | 'foreign') => Promise<object>;
  /** Something that is in the answer when the record is. */
  mark: (variables: Record<string, string>) => string;
  AGENT: 'its own' | 'all' | 'FORBIDDEN' | 'FORBIDDEN for others' | 'FORBIDDEN to agents';
}

const inSession = async (whose: 'own' | 'foreign') => ({ id: encodeId('session', await held(whose)) });
const inHandoff = async (whose: 'own' | 'foreign') => ({ id: encodeId('handoff', await addressed(whose)) });
const id = ({ id: named }: Record<string, string>) => `"${named}"`;
const agentNamed = async (whose: 'own' | 'foreign') => ({ id: whose === 'own' ? 'ada' : 'bob' });
const text = (wanted: string) => () => wanted;

const queries: Record<string, Read> = {
  session: {
    query: 'query ($id: ID!) { answer: session(id: $id) { id title } }',
    variables: inSession,
    mark: id,
    AGENT: 'its own',
  },
  sessions: {
    query: '{ answer: sessions(first: 100) { totalCount nodes { id } } }',
    variables: inSession,
    mark: id,
    AGENT: 'its own',
  },
  queue: {
    query: '{ answer: queue(first: 100) { totalCount nodes { session { id } } } }',
    variables: async (whose) => {
      const sessionId = await held(whose);
      await reassign(sessionId, { agentType: 'NOBODY', queue: true });
      return { id: encodeId('session', sessionId) };
    },
    mark: id,
    AGENT: 'its own',
  },
  approvals: {
    query: '{ answer: approvals(first: 100) { totalCount nodes { id session { id } } } }',
    variables: async (whose) => {
      const sessionId = await held(whose);
      await run(askPerson, { sessionId, question: 'Which?', options: null });
      return { id: encodeId('session', sessionId) };
    },
    mark: id,
    AGENT: 'its own',
  },
  attention: {
    query: '{ answer: attention(first: 100) { totalCount nodes { session { id } text } } }',
    variables: async (whose) => {
      const sessionId = await held(whose);
      await run(askPerson, { sessionId, question: 'Which?', options: null });
      return { id: encodeId('session', sessionId) };
    },
    mark: id,
    AGENT: 'its own',
  },
  simulateApproval: {
    query: 'query ($id: ID!) { answer: simulateApproval(handoffId: $id) { wouldSucceed target { agent { id } } } }',
    variables: async (whose) => {
      const sessionId = await held(whose);
      await db.pool.query(`UPDATE sessions SET handoff_approval = 'REQUIRED' WHERE id = $1`, [sessionId]);
      const holder = whose === 'own' ? 'ada' : 'bob';
      const { handoffId } = await initiate(sessionId, 'eve', {}, { caller: agentCaller(holder) });
      return { id: encodeId('handoff', handoffId) };
    },
    mark: text('"eve"'),
    AGENT: 'FORBIDDEN to agents',
  },
  handoff: {
    query: 'query ($id: ID!) { answer: handoff(id: $id) { id markdown } }',
    variables: inHandoff,
    mark: id,
    AGENT: 'its own',
  },
  handoffs: {
    query: '{ answer: handoffs(first: 100) { nodes { id } } }',
    variables: inHandoff,
    mark: id,
    AGENT: 'its own',
  },
  handoffGraph: {
    query: 'query ($id: ID!) { answer: handoffGraph(where: { sessionId: $id }) { edges { source { id } count } } }',
    variables: async (whose) => ({ id: encodeId('session', (await initiate(await held(whose), 'eve')).sessionId) }),
    mark: text('"count":1'),
    AGENT: 'its own',
  },
  handoffCounts: {
    query: '{ answer: handoffCounts(where: { agentId: "ada" }) { totalCount nodes { source { id } count } } }',
    variables: inHandoff,
    mark: text('"source"'),
    AGENT: 'FORBIDDEN to agents',
  },
  handoffStats: {
    query:
      'query ($id: ID!) { answer: handoffStats(groupBy: [AGENT], where: { sessionId: $id }) { agent { id } count } }',
    variables: async (whose) => ({ id: encodeId('session', (await initiate(await held(whose), 'eve')).sessionId) }),
    mark: text('"count":1'),
    AGENT: 'its own',
  },
  events: {
    query: '{ answer: events(first: 100) { nodes { type } } }',
    variables: inSession,
    mark: text('SESSION_CREATED'),
    AGENT: 'FORBIDDEN to agents',
  },
  contextPreview: {
    query: 'query ($id: ID!) { answer: contextPreview(sessionId: $id) { text } }',
    variables: inSession,
    mark: text('A piece of work'),
    AGENT: 'its own',
  },
  contextItem: {
    query: 'query ($id: ID!, $item: ID!) { answer: contextItem(handoffId: $id, itemId: $item) { content } }',
    variables: async (whose) => {
      const { handoffId } = await initiate(await held(whose), 'eve', { reason: 'because' });
      const given = { id: encodeId('handoff', handoffId) };
      const { data } = await askers.ADMIN.post<{
        handoff: { contextPrompt: { kept: { id: string; kind: string }[] } };
      }>('query ($id: ID!) { handoff(id: $id) { contextPrompt { kept { id kind } } } }', given);
      return { ...given, item: data.handoff.contextPrompt.kept.find(({ kind }) => kind === 'REASON')!.id };
    },
    mark: text('because'),
    AGENT: 'its own',
  },
  sessionEvents: {
    query: 'query ($id: ID!) { answer: sessionEvents(sessionId: $id) { nodes { type } } }',
    variables: inSession,
    mark: text('SESSION_CREATED'),
    AGENT: 'its own',
  },
  node: {
    query: 'query ($id: ID!) { answer: node(id: $id) { id } }',
    variables: inHandoff,
    mark: id,
    AGENT: 'its own',
  },
  nodes: {
    query: 'query ($id: ID!) { answer: nodes(ids: [$id, "ada"]) { id } }',
    variables: inSession,
    mark: id,
    AGENT: 'its own',
  },
  agent: {
    query: 'query ($id: ID!) { answer: agent(id: $id) { id name type status } }',
    variables: agentNamed,
    mark: id,
    AGENT: 'all',
  },
  agents: {
    query: '{ answer: agents(first: 100) { nodes { id name type status } } }',
    variables: agentNamed,
    mark: id,
    AGENT: 'all',
  },
  simulateHandoff: {
    query: 'query ($id: ID!) { answer: simulateHandoff(sessionId: $id, targetAgentId: "eve") { wouldSucceed } }',
    variables: inSession,
    mark: text('"wouldSucceed":true'),
    AGENT: 'its own',
  },
  suggestTargets: {
    query: 'query ($id: ID!) { answer: suggestTargets(sessionId: $id) { agent { id } } }',
    variables: inSession,
    mark: text('"agent"'),
    AGENT: 'its own',
  },
  pipeline: {
    query: '{ answer: pipeline(slug: "story") { slug stages { name } } }',
    variables: async () => ({}),
    mark: text('"story"'),
    AGENT: 'all',
  },
  pipelines: {
    query: '{ answer: pipelines { nodes { slug } } }',
    variables: async () => ({}),
    mark: text('"story"'),
    AGENT: 'all',
  },
  // One that is generated because ada may hand off to bob, and one the other way round.
  handoffTools: {
    query: 'query ($of: ID!) { answer: handoffTools(where: { agentId: $of }) { nodes { name agents { id } } } }',
    variables: async (whose) => ({ of: whose === 'own' ? 'ada' : 'bob' }),
    mark: ({ of }) => `{"id":"${of}"}`,
    AGENT: 'its own',
  },
  detectHandoffs: {
    query:
      'query ($id: ID!) { answer: detectHandoffs(agentId: $id, response: [{ type: "tool_use", name: "transfer_to_eve" }]) { chosen { target { id } } } }',
    variables: agentNamed,
    mark: text('"eve"'),
    AGENT: 'FORBIDDEN for others',
  },
  search: {
    query:
      'query ($id: String!) { answer: search(query: $id) { totalCount nodes { ... on Handoff { id } } edges { match { text } } } }',
    variables: inHandoff,
    mark: id,
    AGENT: 'its own',
  },
  rateLimit: {
    query: '{ answer: rateLimit { reads { remaining } writes { remaining } } }',
    variables: async () => ({}),
    mark: text('"writes"'),
    AGENT: 'all',
  },
  viewer: {
    query: '{ answer: viewer { role agent { id } key { id name role } } }',
    variables: async () => ({}),
    mark: text('"role"'),
    AGENT: 'all',
  },
  webhooks: {
    query: '{ answer: webhooks { nodes { id url } } }',
    variables: async () => ({}),
    mark: text('https://example.com/'),
    AGENT: 'FORBIDDEN',
  },
  deliveries: {
    query: `{ answer: deliveries(webhookId: "${webhookId}") { nodes { id status event { id } } } }`,
    variables: async () => ({}),
    mark: text('DELIVERED'),
    AGENT: 'FORBIDDEN',
  },
  keys: {
    query: '{ answer: keys { nodes { id name role } } }',
    variables: async () => ({}),
    mark: text("a test's"),
    AGENT: 'FORBIDDEN',
  },
};

it('the matrix has a line for every query', () => {
  expect(Object.keys(queries).sort()).toEqual(Object.keys(schema.getQueryType()!.getFields()).sort());
});

describe.each(Object.entries(queries))('%s', (name, { query, variables, mark, AGENT }) => {
  it.each(roles.flatMap((role) => (['own', 'foreign'] as const).map((whose) => [role, whose] as const)))(
    'answers %s about a record that is %s',
    async (role, whose) => {
      const given = (await variables(whose)) as Record<string, string>;
      const { data, errors } = await askers[role].post<{ answer: unknown } | null>(query, given);
      const forbidden =
        (AGENT === 'FORBIDDEN' && role !== 'ADMIN') ||
        (AGENT === 'FORBIDDEN to agents' && role === 'AGENT') ||
        (AGENT === 'FORBIDDEN for others' && role === 'AGENT' && whose === 'foreign');
      if (forbidden) return expect(errors).toMatchObject([{ path: ['answer'], extensions: { code: 'FORBIDDEN' } }]);
      expect(errors).toBeUndefined();
      const seen = JSON.stringify(data).includes(mark(given));
      expect(seen).toBe(role !== 'AGENT' || AGENT === 'all' || whose === 'own');
      if (seen || !('id' in given)) return;
      const missing = { ...given, id: unknownId(given['id'].startsWith('session') ? 'session' : 'handoff') };
      expect((await askers[role].post(query, missing)).data).toEqual(data);
    },
  );
});

describe('an Agent', () => {
  const ofAll =
    'id type name role description model models contextWindow status administrativeStatus currentLoad maxCapacity freePlaces registeredAt archivedAt connected lastSeenAt'.split(
      ' ',
    );
  const ofItself = [
    'instructions',
    'metadata',
    'totalAssigned',
    'collaborators { id }',
    'collaborations { agent { id } }',
    'definition { path }',
    'prompt { text }',
    'notices { id text }',
    'handoffToolDefinitions(format: MCP)',
    ...['sessions', 'handoffsReceived', 'handoffsGiven'].map((list) => `${list} { totalCount nodes { id } }`),
  ];

  it('has only the fields of this table', () => {
    const type = schema.getType('Agent') as unknown as { getFields(): object };
    expect(Object.keys(type.getFields()).sort()).toEqual(
      [...ofAll, ...ofItself].map((field) => field.split(/[ (]/)[0]).sort(),
    );
  });

  it.each([...ofAll, ...ofItself])('shows %s to the roles that may read it, and FORBIDDEN to others', async (field) => {
    const forItself = ofItself.includes(field);
    for (const role of roles) {
      for (const of of ['ada', 'bob']) {
        const { data, errors } = await askers[role].post<{ agent: object | null }>(
          `query ($of: ID!) { agent(id: $of) { ${field} } }`,
          { of },
        );
        if (role === 'AGENT' && of === 'bob' && forItself) {
          expect(errors).toMatchObject([
            { path: ['agent', field.split(/[ (]/)[0]], extensions: { code: 'FORBIDDEN' } },
          ]);
        } else {
          expect(errors).toBeUndefined();
          expect(data.agent).not.toBeNull();
        }
      }
    }
  });

  it('lists to an agent the handoffs that it gave and received and the sessions that it holds', async () => {
    const [given, got] = [await initiate(await held('own'), 'eve'), await initiate(await held('foreign'), 'ada')];
    const { data } = await askers.AGENT.post(
      '{ viewer { agent { sessions(first: 100) { nodes { id } } handoffsGiven(first: 1) { nodes { id } } handoffsReceived(first: 1) { nodes { id } } } } }',
    );
    expect(data).toMatchObject({
      viewer: {
        agent: {
          sessions: { nodes: expect.arrayContaining([{ id: encodeId('session', got.sessionId) }]) as object },
          handoffsGiven: { nodes: [{ id: encodeId('handoff', given.handoffId) }] },
          handoffsReceived: { nodes: [{ id: encodeId('handoff', got.handoffId) }] },
        },
      },
    });
  });
});

it('an agent that held a session may read everything recorded in it afterwards', async () => {
  const sessionId = await held('seen');
  await run(recordDecision, { sessionId, text: 'decided by bob' });
  const { data } = await askers.AGENT.post(
    'query ($id: ID!) { session(id: $id) { agent { id } decisions { text } } }',
    { id: encodeId('session', sessionId) },
  );
  expect(data).toMatchObject({ session: { agent: { id: 'bob' }, decisions: [{ text: 'decided by bob' }] } });
});
