import { getNamedType, graphql, isInterfaceType, isUnionType } from 'graphql';
import { expect, it } from 'vitest';
import { crawler } from '../../../test/crawl.ts';
import { testDatabase } from '../../../test/database.ts';
import { recordQueries } from '../../../test/queries.ts';
import { agentCaller, operator, toolCall, world } from '../../../test/world.ts';
import { encodeId, type IdPrefix } from '../../core/ids.ts';
import { silentLog } from '../../infra/log.ts';
import { updateAgent } from '../../work/agents/updateAgent.ts';
import { acceptHandoff } from '../../work/handoffs/changeHandoff.ts';
import { recordDecision, setTasks } from '../../work/log/addToLog.ts';
import { createHandoffTool } from '../../work/tools/changeTool.ts';
import { contexts } from '../graphql/context.ts';
import { schema } from '../graphql/schema.ts';

const { prisma, pool } = await testDatabase();
const { sent } = recordQueries(pool);
const { agent, session, initiate, reassign, turn, run } = world(pool);
const contextFor = contexts({ prisma, pool, env: { staleAfterMinutes: 30, handoffsEnabled: true }, log: silentLog });
const crawl = crawler(contextFor, ['ada', 'bob', 'eve']);

/** A Session with something of every kind in it. */
async function fill(sessionId: string, to: string, mark: string): Promise<void> {
  await turn(sessionId, {
    messages: [
      { role: 'USER', content: `${mark} question` },
      { role: 'ASSISTANT', content: `${mark} answer` },
    ],
    toolCalls: [toolCall('c1', `${mark}-tool`, { arguments: { path: mark }, filesModified: [`${mark}.ts`] })],
  });
  await run(recordDecision, { sessionId, text: `${mark} decision` });
  await run(setTasks, { sessionId, tasks: [{ content: `${mark} task`, status: 'PENDING' }] });
  const { handoffId } = await initiate(sessionId, to, {
    reason: `${mark} reason`,
    summary: `${mark} summary`,
    contextVariables: { [mark]: mark },
    metadata: { [mark]: 1 },
  });
  await run(acceptHandoff, { handoffId });
}

it('an agent reaches no unreadable record through any path of the graph, and an operator reaches all of them', async () => {
  await agent('bob', { maxCapacity: 100 });
  await agent('eve', { maxCapacity: 100, instructions: 'INSTRUCTIONS of eve' });
  await agent('ada', { maxCapacity: 100, collaborators: ['bob', 'eve'], instructions: 'INSTRUCTIONS of ada' });
  await run(updateAgent, { id: 'bob', collaborators: ['ada', 'eve'] });
  // The same agents in both, so that every agent is a bridge.
  const foreign = await session('bob', { title: 'FOREIGN work', metadata: { note: 'FOREIGN' } });
  await fill(foreign, 'eve', 'FOREIGN');
  const own = await session('bob', { title: 'OWN work' });
  await fill(own, 'ada', 'OWN');
  await reassign(own, { agentId: 'eve' });

  const tool = { targetAgentId: 'eve', description: 'Hands off.', variables: [], instructions: null };
  await run(createHandoffTool, { ...tool, name: 'OWN_tool', agentIds: ['ada', 'bob'] });
  const foreignTool = await run(createHandoffTool, { ...tool, name: 'FOREIGN_tool', agentIds: ['bob'] });

  const foreignIds: string[] = [encodeId('session', foreign), encodeId('tool', foreignTool.toolId)];
  const tables: [IdPrefix, string][] = [
    ['agentsession', 'agent_sessions'],
    ['handoff', 'handoffs'],
    ['turn', 'turns'],
    ['message', 'messages'],
    ['toolcall', 'tool_calls'],
    ['decision', 'decisions'],
    ['task', 'tasks'],
    ['snapshot', 'context_snapshots'],
    ['event', 'events'],
  ];
  for (const [prefix, table] of tables) {
    const { rows } = await pool.query<{ id: string }>(`SELECT id FROM ${table} WHERE session_id = $1`, [foreign]);
    expect([table, rows.length > 0]).toEqual([table, true]);
    foreignIds.push(...rows.map(({ id }) => encodeId(prefix, id)));
  }

  const [ada, everybody] = [await crawl(agentCaller('ada')), await crawl(operator)];
  expect(ada.texts).toContain('OWN summary');
  expect(ada.texts).toContain('OWN_tool');
  expect(ada.texts).not.toContain('FOREIGN');
  // Of handoffs that it reads, those to others keep their instructions to themselves.
  expect(ada.texts).toContain('INSTRUCTIONS of ada');
  expect(ada.texts).not.toContain('INSTRUCTIONS of eve');
  expect(everybody.texts).toContain('INSTRUCTIONS of eve');
  expect(foreignIds.filter((id) => ada.ids.has(id))).toEqual([]);
  expect(everybody.texts).toContain('FOREIGN summary');
  // The Events are in no list but their Session's stream.
  expect(foreignIds.filter((id) => !id.startsWith('event_') && !everybody.ids.has(id))).toEqual([]);

  // And asked for by its id each is as if it were not there.
  const ids = foreignIds.filter((id) => !id.startsWith('tool_')).slice(0, 100);
  sent.length = 0;
  const { data } = await graphql({
    schema,
    source: 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }',
    variableValues: { ids },
    contextValue: contextFor(agentCaller('ada')),
  });
  expect(data).toEqual({ nodes: ids.map(() => null) });
  // One statement for each type.
  expect(sent).toHaveLength(new Set(ids.map((id) => id.split('_')[0])).size);
});

it('the only abstract types besides mutation results are ContextText, Error, Node and SearchResult', () => {
  const results = new Set(Object.values(schema.getMutationType()!.getFields()).map(({ type }) => getNamedType(type)));
  const others = Object.values(schema.getTypeMap()).filter(
    (type) => (isInterfaceType(type) || isUnionType(type)) && !results.has(type),
  );
  // A new one is a new way through the graph: see that the crawl above takes it.
  expect(others.map(({ name }) => name).sort()).toEqual(['ContextText', 'Error', 'Node', 'SearchResult']);
});
