import { expect, it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { startApp } from '../../../test/server.ts';
import { world } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import { updateAgent } from '../agents/updateAgent.ts';
import { cancelSession, completeSession, failSession } from './changeSession.ts';

const db = await testDatabase();
const { url } = await startApp(db);
const { post } = client(url);
const { agent, session, reassign, run } = world(db.pool);

const typeOf = async (id: string): Promise<string | null> =>
  (await post<{ session: { agentType: string | null } }>(`{ session(id: "${encodeId('session', id)}") { agentType } }`))
    .data.session.agentType;
const found = async (agentType: string, order = 'CREATED_AT'): Promise<string[]> =>
  (
    await post<{ sessions: { nodes: { id: string }[]; totalCount: number } }>(
      `{ sessions(where: { agentType: "${agentType}" }, orderBy: { field: ${order}, direction: ASC }) { nodes { id } totalCount } }`,
    )
  ).data.sessions.nodes.map(({ id }) => id);

it('a finished session keeps the type that its agent had at the end, an open one has the current type, and the filter agrees', async () => {
  await agent('ada', { type: 'OLD' });
  await agent('bob', { type: 'OTHER' });
  const given = { expectedVersion: null, result: null, summary: null, reason: 'because' };
  const ended: string[] = [];
  for (const end of [completeSession, failSession, cancelSession]) {
    const id = await session('ada');
    await run(end as typeof completeSession, { sessionId: id, ...given });
    ended.push(id);
  }
  const waiting = await session('bob');
  await reassign(waiting, { agentId: 'ada' });
  await run(completeSession, { sessionId: waiting, ...given });
  ended.push(waiting);
  const open = await session('ada');
  const nobodys = await session(null);
  await run(cancelSession, { sessionId: nobodys, ...given });

  await run(updateAgent, { id: 'ada', type: 'NEW' });
  expect(await Promise.all([...ended, open, nobodys].map(typeOf))).toEqual(['OLD', 'OLD', 'OLD', 'OLD', 'NEW', null]);
  const ids = ended.map((id) => encodeId('session', id));
  expect(await found('OLD')).toEqual(ids);
  expect((await found('OLD', 'UPDATED_AT')).sort()).toEqual([...ids].sort());
  expect(await found('NEW')).toEqual([encodeId('session', open)]);
});
