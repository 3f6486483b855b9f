import fc from 'fast-check';
import { graphql } from 'graphql';
import { beforeAll, expect, it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { recordQueries } from '../../../test/queries.ts';
import { agentCaller, world } from '../../../test/world.ts';
import { encodeId, type IdPrefix } from '../../core/ids.ts';
import { silentLog } from '../../infra/log.ts';
import { updateAgent } from '../../work/agents/updateAgent.ts';
import { asCarry } from '../../work/context/carry.ts';
import { acceptHandoff, rejectHandoff } from '../../work/handoffs/changeHandoff.ts';
import { contexts } from '../graphql/context.ts';
import { schema } from '../graphql/schema.ts';

const { prisma, pool } = await testDatabase();
const { sent } = recordQueries(pool);
const { agent, session, initiate, reassign, turn, run } = world(pool);
const contextFor = contexts({ prisma, pool, env: { staleAfterMinutes: 30, handoffsEnabled: true }, log: silentLog });
const agents = ['ada', 'bob', 'cid'] as const;
type Agent = (typeof agents)[number];

beforeAll(async () => {
  for (const id of agents) await agent(id, { maxCapacity: 1_000 });
});

async function ask<Data>(agentId: Agent, source: string, variableValues: Record<string, unknown>): Promise<Data> {
  const { data, errors } = await graphql({
    schema,
    source,
    variableValues,
    contextValue: contextFor(agentCaller(agentId)),
  });
  expect(errors).toBeUndefined();
  return data as Data;
}

/** A move by the holder with a Carry, or by an operator, and whether the target takes it over. */
const move = fc.record({
  to: fc.constantFrom(...agents),
  carry: fc.option(
    fc.record({
      messages: fc.constantFrom('ALL', 'LAST', 'HUMAN', 'NONE'),
      toolCalls: fc.constantFrom('ALL', 'SUMMARY', 'NONE'),
      files: fc.boolean(),
      tasks: fc.boolean(),
      decisions: fc.boolean(),
    }),
    { freq: 3 },
  ),
  by: fc.constantFrom('holder', 'holder', 'operator'),
  accepted: fc.boolean(),
  turns: fc.integer({ min: 1, max: 3 }),
});
type Move = typeof move extends fc.Arbitrary<infer T> ? T : never;

async function storyOf(moves: readonly Move[]): Promise<string> {
  const id = await session('ada', { maxHandoffs: 100 });
  let holder: Agent = 'ada';
  await turn(id, {
    messages: [
      { role: 'USER', content: 'The request' },
      { role: 'ASSISTANT', content: 'Begun' },
    ],
  });
  for (const [index, { to, carry, by, accepted, turns }] of moves.entries()) {
    if (to === holder) continue;
    await run(updateAgent, {
      id: holder,
      collaborations: [{ agentId: to, when: null, carry: carry === null ? null : asCarry(carry) }],
    });
    const { handoffId } =
      by === 'holder'
        ? await initiate(id, to, { reason: `Step ${index}` }, { caller: agentCaller(holder) })
        : await reassign(id, { agentId: to });
    await run(accepted ? acceptHandoff : rejectHandoff, { handoffId: handoffId!, reason: 'no' });
    if (accepted) holder = to;
    for (let n = 0; n < turns; n += 1)
      await turn(id, { messages: [{ role: 'ASSISTANT', content: `Step ${index}, turn ${n}` }] });
  }
  return id;
}

interface List {
  prefix: IdPrefix;
  of: 'session' | 'agent' | 'tenure';
  /** SQL for its rows in its order. */
  rows: string;
  query: string;
}

const page =
  '(first: $first, after: $after, last: $last, before: $before) { totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor } edges { node { id } } }';
const lists: Record<string, List> = {
  'Session.messages': {
    prefix: 'message',
    of: 'session',
    rows: 'SELECT id FROM messages WHERE session_id = $1 ORDER BY sequence DESC',
    query: `node(id: $session) { ... on Session { list: messages${page} } }`,
  },
  'Session.turns': {
    prefix: 'turn',
    of: 'session',
    rows: 'SELECT id FROM turns WHERE session_id = $1 ORDER BY index DESC',
    query: `node(id: $session) { ... on Session { list: turns${page} } }`,
  },
  'Session.handoffs': {
    prefix: 'handoff',
    of: 'session',
    rows: 'SELECT id FROM handoffs WHERE session_id = $1 ORDER BY depth DESC',
    query: `node(id: $session) { ... on Session { list: handoffs${page} } }`,
  },
  'AgentSession.turns': {
    prefix: 'turn',
    of: 'tenure',
    rows: 'SELECT id FROM turns WHERE agent_session_id = $1 ORDER BY index DESC',
    query: `node(id: $tenure) { ... on AgentSession { list: turns${page} } }`,
  },
  'Agent.handoffsGiven': {
    prefix: 'handoff',
    of: 'agent',
    rows: 'SELECT id FROM handoffs WHERE source_agent_id = $1 ORDER BY initiated_at DESC, id DESC',
    query: `node: agent(id: $agent) { list: handoffsGiven${page} }`,
  },
  'Query.handoffs': {
    prefix: 'handoff',
    of: 'session',
    rows: 'SELECT id FROM handoffs WHERE session_id = $1 ORDER BY initiated_at DESC, id DESC',
    query: `list: handoffs${page.replace('(', '(where: { sessionId: $session }, ')}`,
  },
};

interface Page {
  totalCount: number;
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null };
  edges: { node: { id: string } }[];
}

/** Reads a list page by page and returns its ids in its order. All pages but the last are full, and each has the number of all. */
async function paged(read: (page: object) => Promise<Page>, size: number, backward: boolean): Promise<string[]> {
  let ids: string[] = [];
  for (let given: object = backward ? { last: size } : { first: size }; ;) {
    const { totalCount, pageInfo, edges } = await read(given);
    const found = edges.map(({ node }) => node.id);
    ids = backward ? [...found, ...ids] : [...ids, ...found];
    const more = backward ? pageInfo.hasPreviousPage : pageInfo.hasNextPage;
    if (more) expect(found).toHaveLength(size);
    else {
      expect(totalCount).toBe(ids.length);
      return ids;
    }
    given = backward ? { last: size, before: pageInfo.startCursor } : { first: size, after: pageInfo.endCursor };
  }
}

const nothing = { messages: 'NONE', toolCalls: 'NONE', files: false, tasks: false, decisions: false } as const;
const handedOver = { to: 'bob', carry: nothing, by: 'holder', accepted: true, turns: 1 } as const;

it('counts the rows that the pages return, and fills each page but the last, whatever Carries withhold', async () => {
  let withheld = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(move, { minLength: 4, maxLength: 10 }),
      fc.integer({ min: 1, max: 5 }),
      fc.boolean(),
      async (moves, size, backward) => {
        const id = await storyOf(moves);
        const { rows: tenures } = await pool.query<{ id: string; agent_id: Agent }>(
          'SELECT id, agent_id FROM agent_sessions WHERE session_id = $1 ORDER BY started_at, id',
          [id],
        );
        for (const agentId of new Set(tenures.map(({ agent_id }) => agent_id))) {
          const tenure = tenures[size % tenures.length]!.id;
          const ids = { session: id, agent: agentId, tenure };
          const variables = {
            session: encodeId('session', id),
            agent: agentId,
            tenure: encodeId('agentsession', tenure),
          };
          for (const [name, { prefix, of, rows, query }] of Object.entries(lists)) {
            const all = (await pool.query<{ id: string }>(rows, [ids[of]])).rows.map((row) => encodeId(prefix, row.id));
            // What the agent reads by id.
            const { nodes } = await ask<{ nodes: ({ id: string } | null)[] }>(
              agentId,
              'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }',
              { ids: all },
            );
            const readable = all.filter((_, index) => nodes[index] !== null);
            withheld += all.length - readable.length;
            const source = `query ($session: ID!, $agent: ID!, $tenure: ID!, $first: Int, $after: String, $last: Int, $before: String) { used: nodes(ids: [$session, $agent, $tenure]) { __typename } ${query} }`;
            const read = async (given: object): Promise<Page> => {
              const data = await ask<{ list?: Page; node?: { list: Page } }>(agentId, source, {
                ...variables,
                ...given,
              });
              return (data.node?.list ?? data.list)!;
            };
            expect([name, agentId, await paged(read, size, backward)]).toEqual([name, agentId, readable]);
          }
        }
      },
    ),
    { numRuns: 5, endOnFailure: true, examples: [[[handedOver, handedOver], 2, false]] },
  );
  expect(withheld).toBeGreaterThan(0);
}, 300_000);

it('sends the same number of statements for one Session and for several, some of which are read in part', async () => {
  for (const carry of [null, nothing, nothing]) await storyOf([{ ...handedOver, carry }]);
  const fields = 'totalCount nodes { id }';
  const source = `query ($first: Int) { sessions(first: $first) { nodes { messages(first: 2) { ${fields} } turns(first: 2) { ${fields} } handoffs(first: 2) { ${fields} } agentSessions { nodes { turns(first: 2) { ${fields} } } } } } }`;
  const statements: number[] = [];
  for (const first of [1, 3]) {
    sent.length = 0;
    await ask('bob', source, { first });
    statements.push(sent.length);
  }
  expect(statements[1]).toBe(statements[0]);
});
