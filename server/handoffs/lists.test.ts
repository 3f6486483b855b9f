import { beforeAll, describe, expect, test } from 'vitest';
import { encodeId } from '../core/ids.ts';
import { testDatabase } from '../../test/database.ts';
import { client } from '../../test/graphql.ts';
import { startApp } from '../../test/server.ts';
import { toolCall, world } from '../../test/world.ts';
import { acceptHandoff, rejectHandoff } from './changeHandoff.ts';

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
  first = await session('ada', { contextVariables: { ticket: 7 } });
  second = await session(null);
  const give = async (id: string, agentId: string) => {
    const { handoffId } = await reassign(id, { agentId, reason: `to ${agentId}` });
    handoffs.push(handoffId!);
    return { handoffId: handoffId! };
  };
  const messages = [{ role: 'ASSISTANT' as const, content: 'Working on it.' }];
  await turn(first, { messages, toolCalls: [toolCall('c1', 'Write', { filesModified: ['a.ts'] })], usage: { inputTokens: 5, outputTokens: 1, cacheCreationInputTokens: null, cacheReadInputTokens: null, model: 'opus' } });
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

describe('handoffs (1: ada to bob, rejected; 2: ada to bob, taken over; 3: bob back to ada, by the agent; 4: nobody to cody)', () => {
  test.each([
    ['all', '{}', [1, 2, 3, 4]],
    ['of a session', '{ sessionId: "FIRST" }', [1, 2, 3]],
    ['from or to an agent, each once', '{ agentId: "ada" }', [1, 2, 3]],
    ['from an agent', '{ sourceAgentId: "ada" }', [1, 2]],
    ['to an agent', '{ targetAgentId: "ada" }', [3]],
    ['from one or to it, and to another', '{ agentId: "bob", targetAgentId: "ada" }', [3]],
    ['in a status', '{ status: [REJECTED] }', [1]],
    ['in one of several', '{ status: [REJECTED, COMPLETED] }', [1, 2]],
    ['started by an agent', '{ via: [API] }', [3]],
    ['started by an operator or a tool', '{ via: [OPERATOR, TOOL] }', [1, 2, 4]],
    ['to an agent that had been active there', '{ circular: true }', [3]],
    ['to others', '{ circular: false }', [1, 2, 4]],
    ['that wait', '{ staleForMinutes: 0 }', [3, 4]],
    ['that have waited for an hour', '{ staleForMinutes: 60 }', []],
    ['that meet all that is given', '{ sessionId: "FIRST", status: [INITIATED, COMPLETED], sourceAgentId: "ada" }', [2]],
  ])('%s', async (_name, filter, expected) => {
    expect(await where(filter)).toEqual(expected);
  });

  test('started before and after a moment, which is neither', async () => {
    const { initiatedAt } = await database.prisma.handoff.findUniqueOrThrow({ where: { id: handoffs[1]! } });
    expect(await where(`{ initiatedBefore: "${initiatedAt.toISOString()}" }`)).toEqual([1]);
    expect(await where(`{ initiatedAfter: "${initiatedAt.toISOString()}" }`)).toEqual([3, 4]);
  });

  test('that have waited long enough: 30 minutes are 30 minutes', async () => {
    await database.pool.query("UPDATE handoffs SET initiated_at = initiated_at - interval '30 minutes' WHERE id = $1", [handoffs[3]]);
    expect(await where('{ staleForMinutes: 30 }')).toEqual([4]);
    expect(await where('{ staleForMinutes: 31 }')).toEqual([]);
    await database.pool.query("UPDATE handoffs SET initiated_at = initiated_at + interval '30 minutes' WHERE id = $1", [handoffs[3]]);
  });
});

describe('a Handoff', () => {
  test('shows what it carries, who started it and where it stands', async () => {
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
        contextVariables: expect.arrayContaining([{ name: 'ticket', value: 7, setBy: 'operator' }, { name: '_handoff_from', value: 'bob', setBy: 'baton' }]) as unknown,
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

  test('shows the chain that it is part of, by depth, the same from each of them', async () => {
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

  test('of a Session that nobody held has no source', async () => {
    const { data } = await post(`{ handoff(id: "${publicId(handoffs[3]!)}") { sourceAgent { id } sourceAgentType sourceAgentSession { id } priorTurn { id } previous { id } } }`);
    expect(data).toEqual({ handoff: { sourceAgent: null, sourceAgentType: null, sourceAgentSession: null, priorTurn: null, previous: null } });
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

  test('has an edge for each pair that handed off, and none where nobody held the session', async () => {
    const { nodes, edges } = await graph('{}');
    expect(nodes).toEqual([
      { agent: { id: 'ada' }, received: 1, given: 2 },
      { agent: { id: 'bob' }, received: 2, given: 1 },
    ]);
    expect(edges).toMatchObject([
      { source: { id: 'ada' }, target: { id: 'bob' }, count: 2, byStatus: [{ status: 'COMPLETED', count: 1 }, { status: 'REJECTED', count: 1 }] },
      { source: { id: 'bob' }, target: { id: 'ada' }, count: 1, byStatus: [{ status: 'INITIATED', count: 1 }], medianAcceptMs: null },
    ]);
    expect(edges[0]!.medianAcceptMs).toBeGreaterThan(0);
  });

  test('takes the median from start to acceptance over those that were accepted', async () => {
    const accept = (id: string, ms: number) =>
      database.pool.query("UPDATE handoffs SET accepted_at = initiated_at + $2 * interval '1 ms' WHERE id = $1", [id, ms]);
    await accept(handoffs[1]!, 1500);
    expect((await graph('{ sessionId: "FIRST" }')).edges[0]).toMatchObject({ count: 2, medianAcceptMs: 1500 });
  });

  test('counts what the filter leaves', async () => {
    expect((await graph('{ agentId: "cody" }')).nodes).toEqual([]);
    expect((await graph('{ initiatedAfter: "2999-01-01T00:00:00Z" }')).edges).toEqual([]);
    expect((await graph('{ agentId: "ada", initiatedBefore: "2999-01-01T00:00:00Z" }')).edges).toHaveLength(2);
  });
});
