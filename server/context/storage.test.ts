import { expect, test } from 'vitest';
import { encodeId } from '../core/ids.ts';
import { migrateDown, migrateUp, readMigrations } from '../infra/migrate.ts';
import { testDatabase } from '../../test/database.ts';
import { client } from '../../test/graphql.ts';
import { startApp } from '../../test/server.ts';
import { toolCall, world } from '../../test/world.ts';
import { withDatabase } from '../../test/cluster.ts';

const database = await testDatabase();
const url = withDatabase(database.adminUrl, database.name);
const { agent, session, reassign, turn } = world(database.pool);

const ownColumns = `summary_composed, original_request, latest_request, last_message, last_tool_calls, left_out, tool_summaries, files_modified,
  pending_tasks, decisions, recent_messages, context_variables, instructions`;
const rows = async () =>
  (await database.pool.query<Record<string, unknown>>(`SELECT id, summary, ${ownColumns} FROM handoffs ORDER BY depth`))
    .rows;
const takeBack = async () => {
  const names = (await readMigrations()).map(({ name }) => name);
  for (const name of names.slice(names.indexOf('0010_one_context')).reverse()) await migrateDown(url, name);
};

test('migration 0010 moves thirteen columns of a Context into one, and its way back restores each', async () => {
  await agent('ada');
  await agent('cleo');
  await agent('bob', { instructions: 'Be brief.' });
  const id = await session('ada', { contextVariables: { ticket: 7 } });
  await turn(id, {
    messages: [
      { role: 'USER', content: 'Fix "it".' },
      { role: 'ASSISTANT', content: 'Done.' },
    ],
    toolCalls: ['a.ts', 'b.ts'].map((file) => toolCall(file, 'Write', { filesModified: [file] })),
  });
  const first = await reassign(id, { agentId: 'bob' });
  const second = await reassign(id, { agentId: 'cleo', summary: 'Half of it.' });
  await reassign(id, { agentId: 'bob' });

  await takeBack();
  // The third is one of before most columns were there; lists may be NULL.
  await database.pool.query(
    `UPDATE handoffs SET summary_composed = NULL, original_request = NULL, latest_request = NULL, last_message = NULL, last_tool_calls = NULL, left_out = NULL,
       decisions = '{"later", "earlier", "say \\"no\\""}' WHERE depth = 3`,
  );
  const before = await rows();
  expect(before[0]).toMatchObject({
    files_modified: ['b.ts', 'a.ts'],
    instructions: 'Be brief.',
    summary_composed: true,
    original_request: { content: 'Fix "it".' },
  });
  expect(before[2]).toMatchObject({ decisions: ['later', 'earlier', 'say "no"'], last_tool_calls: null });

  await migrateUp(url);
  const { url: server } = await startApp(database);
  const fields = `summary summaryComposed originalRequest { sequence content } lastToolCalls { toolName } filesModified decisions instructions leftOut { messages }
    contextVariables { name value } recentMessages { role content } contextPrompt { text }`;
  const read = async (handoffId: string) =>
    (
      await client(server).post<{ handoff: object }>(
        `{ handoff(id: "${encodeId('handoff', handoffId)}") { ${fields} next { ${fields} } } }`,
      )
    ).data.handoff;
  expect(await read(first.handoffId!)).toMatchObject({
    summaryComposed: true,
    originalRequest: { sequence: 1, content: 'Fix "it".' },
    lastToolCalls: [{ toolName: 'Write' }, { toolName: 'Write' }],
    filesModified: ['b.ts', 'a.ts'],
    instructions: 'Be brief.',
    recentMessages: [
      { role: 'USER', content: 'Fix "it".' },
      { role: 'ASSISTANT', content: 'Done.' },
    ],
    contextPrompt: { text: expect.stringContaining('Fix "it".') as string },
  });
  expect(await read(second.handoffId!)).toMatchObject({
    summary: 'Half of it.',
    next: {
      summaryComposed: null,
      originalRequest: null,
      lastToolCalls: null,
      leftOut: null,
      decisions: ['later', 'earlier', 'say "no"'],
      filesModified: ['b.ts', 'a.ts'],
    },
  });

  await takeBack();
  expect(await rows()).toEqual(before);
  await migrateUp(url);
});
