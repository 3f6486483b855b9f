import { beforeAll, describe, expect, test } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { startApp } from '../../../test/server.ts';
import { toolCall, world } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import { acceptHandoff, rejectHandoff } from '../../work/handoffs/changeHandoff.ts';

const database = await testDatabase();
const { url } = await startApp(database);
const { post } = client(url);
const { agent, session, reassign, initiate, turn, run } = world(database.pool);

let first = '';
let second = '';
const handoffs: string[] = [];
const publicId = (id: string) => encodeId('handoff', id);

beforeAll(async () => {
  for (const id of ['ada', 'bob', 'cody']) await agent(id);
  first = await session('ada', { contextVariables: { ticket: 7 }, project: 'shop' });
  second = await session(null);
  const give = async (id: string, agentId: string) => {
    const { handoffId } = await reassign(id, { agentId, reason: `to ${agentId}` });
    handoffs.push(handoffId!);
    return { handoffId: handoffId! };
  };
  const messages = [{ role: 'ASSISTANT' as const, content: 'Working on it.' }];
  await turn(first, {
    messages,
    toolCalls: [toolCall('c1', 'Write', { filesModified: ['a.ts'] })],
    usage: {
      inputTokens: 5,
      outputTokens: 1,
      cacheCreationInputTokens: null,
      cacheReadInputTokens: null,
      model: 'opus',
    },
  });
  await run(rejectHandoff, { ...(await give(first, 'bob')), reason: 'too much' });
  await run(acceptHandoff, await give(first, 'bob'));
  await turn(first);
  handoffs.push((await initiate(first, 'ada')).handoffId);
  await give(second, 'cody');
});

async function where(filter: string): Promise<number[]> {
  const { data, errors } = await post<{ handoffs: { nodes: { id: string }[]; totalCount: number } }>(
    `{ handoffs(where: ${filter.replace('FIRST', encodeId('session', first))}, orderBy: { field: INITIATED_AT, direction: ASC }) { nodes { id } totalCount } }`,
  );
  expect(errors).toBeUndefined();
  expect(data.handoffs.totalCount).toBe(data.handoffs.nodes.length);
  return data.handoffs.nodes.map(({ id }) => handoffs.findIndex((handoff) => publicId(handoff) === id) + 1);
}

describe('the list of handoffs (1: ada to bob, rejected; 2: ada to bob, completed; 3: bob to ada, by the agent; 4: to cody, without a source)', () => {
  test.each([
    ['by nothing', '{}', [1, 2, 3, 4]],
    ['by session', '{ sessionId: "FIRST" }', [1, 2, 3]],
    ['by agentId: each handoff from or to the agent once', '{ agentId: "ada" }', [1, 2, 3]],
    ['by source', '{ sourceAgentId: "ada" }', [1, 2]],
    ['by target', '{ targetAgentId: "ada" }', [3]],
    ['by agentId and target', '{ agentId: "bob", targetAgentId: "ada" }', [3]],
    ['by status', '{ status: [REJECTED] }', [1]],
    ['by several statuses', '{ status: [REJECTED, COMPLETED] }', [1, 2]],
    ['by via API', '{ via: [API] }', [3]],
    ['by via OPERATOR or TOOL', '{ via: [OPERATOR, TOOL] }', [1, 2, 4]],
    ['by circular true', '{ circular: true }', [3]],
    ['by circular false', '{ circular: false }', [1, 2, 4]],
    ['by staleForMinutes 0: waiting handoffs', '{ staleForMinutes: 0 }', [3, 4]],
    ['by staleForMinutes 60: none', '{ staleForMinutes: 60 }', []],
    ['by several fields together', '{ sessionId: "FIRST", status: [INITIATED, COMPLETED], sourceAgentId: "ada" }', [2]],
  ])('filters %s', async (_name, filter, expected) => {
    expect(await where(filter)).toEqual(expected);
  });

  test('filters by initiatedBefore and initiatedAfter, which exclude the given time', async () => {
    const { initiatedAt } = await database.prisma.handoff.findUniqueOrThrow({ where: { id: handoffs[1]! } });
    expect(await where(`{ initiatedBefore: "${initiatedAt.toISOString()}" }`)).toEqual([1]);
    expect(await where(`{ initiatedAfter: "${initiatedAt.toISOString()}" }`)).toEqual([3, 4]);
  });

  test('filters by staleForMinutes, which includes handoffs that waited exactly so long', async () => {
    await database.pool.query("UPDATE handoffs SET initiated_at = initiated_at - interval '30 minutes' WHERE id = $1", [
      handoffs[3],
    ]);
    expect(await where('{ staleForMinutes: 30 }')).toEqual([4]);
    expect(await where('{ staleForMinutes: 31 }')).toEqual([]);
    await database.pool.query("UPDATE handoffs SET initiated_at = initiated_at + interval '30 minutes' WHERE id = $1", [
      handoffs[3],
    ]);
  });
});

describe('a Handoff', () => {
  test('returns its context, actor and place in the chain', async () => {
    const { data } = await post(`{ handoff(id: "${publicId(handoffs[2]!)}") {
      status via reason depth circular sourceAgent { id } sourceAgentType targetAgent { id } targetAgentType
      sourceAgentSession { agent { id } state terminatedByHandoff { depth } } targetAgentSession { agent { id } state initiatedByHandoff { depth } }
      priorTurn { index agentSession { agent { id } } usage { inputTokens } } triggeringToolCalls { callId } toolSummaries { toolName callCount errorCount lastResult }
      filesModified pendingTasks decisions recentMessages { role content } contextVariables { name value setBy } actor { principal role }
      snapshot { type messageCounts { user assistant total } } session { openHandoff { depth } } previous { depth status } next { id } acceptedAt closedAt
    } }`);
    expect(data).toMatchObject({
      handoff: {
        status: 'INITIATED',
        via: 'API',
        reason: null,
        depth: 3,
        circular: true,
        sourceAgent: { id: 'bob' },
        sourceAgentType: 'CLAUDE',
        targetAgent: { id: 'ada' },
        sourceAgentSession: { agent: { id: 'bob' }, state: 'HANDED_OFF', terminatedByHandoff: { depth: 3 } },
        targetAgentSession: { agent: { id: 'ada' }, state: 'PENDING', initiatedByHandoff: { depth: 3 } },
        priorTurn: { index: 2, agentSession: { agent: { id: 'bob' } }, usage: null },
        triggeringToolCalls: [],
        toolSummaries: [{ toolName: 'Write', callCount: 1, errorCount: 0, lastResult: 'ok' }],
        filesModified: ['a.ts'],
        pendingTasks: [],
        decisions: [],
        contextVariables: expect.arrayContaining([
          { name: 'ticket', value: 7, setBy: 'operator' },
          { name: '_handoff_from', value: 'bob', setBy: 'baton' },
        ]) as unknown,
        actor: { principal: 'operator', role: 'OPERATOR' },
        snapshot: { type: 'HANDOFF_INITIATED' },
        session: { openHandoff: { depth: 3 } },
        previous: { depth: 2, status: 'COMPLETED' },
        next: null,
        acceptedAt: null,
        closedAt: null,
      },
    });
  });

  test('returns the same chain, by depth, from each of its handoffs', async () => {
    for (const id of handoffs.slice(0, 3)) {
      const { data } = await post(`{ handoff(id: "${publicId(id)}") { chain { depth status rejectionReason } } }`);
      expect(data).toEqual({
        handoff: {
          chain: [
            { depth: 1, status: 'REJECTED', rejectionReason: 'too much' },
            { depth: 2, status: 'COMPLETED', rejectionReason: null },
            { depth: 3, status: 'INITIATED', rejectionReason: null },
          ],
        },
      });
    }
  });

  test('has no source when the session was unassigned', async () => {
    const { data } = await post(
      `{ handoff(id: "${publicId(handoffs[3]!)}") { sourceAgent { id } sourceAgentType sourceAgentSession { id } priorTurn { id } previous { id } } }`,
    );
    expect(data).toEqual({
      handoff: { sourceAgent: null, sourceAgentType: null, sourceAgentSession: null, priorTurn: null, previous: null },
    });
  });
});

describe('handoffGraph', () => {
  const graph = async (filter: string) =>
    (
      await post<{ handoffGraph: { nodes: object[]; edges: { medianAcceptMs: number | null }[] } }>(
        `{ handoffGraph(where: ${filter.replace('FIRST', encodeId('session', first))}) { nodes { agent { id } received given }
          edges { source { id } target { id } count byStatus { status count } medianAcceptMs } } }`,
      )
    ).data.handoffGraph;

  test('has an edge for each pair of agents, and none for unassigned sessions', async () => {
    const { nodes, edges } = await graph('{}');
    expect(nodes).toEqual([
      { agent: { id: 'ada' }, received: 1, given: 2 },
      { agent: { id: 'bob' }, received: 2, given: 1 },
    ]);
    expect(edges).toMatchObject([
      {
        source: { id: 'ada' },
        target: { id: 'bob' },
        count: 2,
        byStatus: [
          { status: 'COMPLETED', count: 1 },
          { status: 'REJECTED', count: 1 },
        ],
      },
      {
        source: { id: 'bob' },
        target: { id: 'ada' },
        count: 1,
        byStatus: [{ status: 'INITIATED', count: 1 }],
        medianAcceptMs: null,
      },
    ]);
    expect(edges[0]!.medianAcceptMs).toBeGreaterThan(0);
  });

  test('counts the handoffs of the sessions of one project', async () => {
    const { nodes, edges } = await graph('{ sessionId: "FIRST" }');
    expect(await graph('{ project: "shop" }')).toEqual({ nodes, edges });
    expect(edges.length).toBeGreaterThan(0);
    expect(await graph('{ project: "bank" }')).toEqual({ nodes: [], edges: [] });
  });

  test('returns the first pairs, with the counts of all', async () => {
    const first = async (count: number) =>
      (
        await post(
          `{ handoffGraph(first: ${count}) { nodes { agent { id } received given } edges { target { id } count medianAcceptMs } pairCount agentCount handoffCount } }`,
        )
      ).data;
    const counts = { pairCount: 2, agentCount: 2, handoffCount: 3 };
    expect(await first(1)).toEqual({
      handoffGraph: {
        ...counts,
        nodes: [
          { agent: { id: 'ada' }, received: 1, given: 2 },
          { agent: { id: 'bob' }, received: 2, given: 1 },
        ],
        edges: [{ target: { id: 'bob' }, count: 2, medianAcceptMs: expect.any(Number) as number }],
      },
    });
    expect(await first(0)).toEqual({ handoffGraph: { ...counts, nodes: [], edges: [] } });
    expect((await post('{ handoffGraph(first: 10001) { pairCount } }')).errors).toMatchObject([
      { message: 'first is 10001: give 0 to 10000', extensions: { code: 'BAD_USER_INPUT' } },
    ]);
  });

  test('takes the median from start to acceptance over accepted handoffs only', async () => {
    const accept = (id: string, ms: number) =>
      database.pool.query("UPDATE handoffs SET accepted_at = initiated_at + $2 * interval '1 ms' WHERE id = $1", [
        id,
        ms,
      ]);
    await accept(handoffs[1]!, 1500);
    expect((await graph('{ sessionId: "FIRST" }')).edges[0]).toMatchObject({ count: 2, medianAcceptMs: 1500 });
  });

  test('counts only the filtered handoffs', async () => {
    expect((await graph('{ agentId: "cody" }')).nodes).toEqual([]);
    expect((await graph('{ initiatedAfter: "2999-01-01T00:00:00Z" }')).edges).toEqual([]);
    expect((await graph('{ agentId: "ada", initiatedBefore: "2999-01-01T00:00:00Z" }')).edges).toHaveLength(2);
  });
});
