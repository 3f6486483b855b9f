import { beforeAll, describe, expect, test } from 'vitest';
import { encodeId } from '../core/ids.ts';
import { acceptHandoff } from '../handoffs/changeHandoff.ts';
import { testDatabase } from '../../test/database.ts';
import { client } from '../../test/graphql.ts';
import { startApp } from '../../test/server.ts';
import { world } from '../../test/world.ts';
import { completeSession } from './changeSession.ts';

const database = await testDatabase();
const { url } = await startApp(database);
const { post } = client(url);
const { agent, session, reassign, turn, run } = world(database.pool);

const ids: Record<string, string> = {};
const names = (found: { id: string }[]): string[] => found.map(({ id }) => Object.keys(ids).find((name) => encodeId('session', ids[name]!) === id)!);

beforeAll(async () => {
  await agent('ada');
  await agent('bob');
  await agent('cody', { type: 'CODEX' });
  ids['held'] = await session('ada', { title: '100% of the Login_page' });
  ids['waiting'] = await session('ada', { title: '100 steps of the LOGIN page' });
  ids['accepted'] = await session('ada', { title: 'Search' });
  ids['done'] = await session('bob', { title: 'Billing' });
  ids['nobody'] = await session(null, { title: 'Back\\slash' });
  await reassign(ids['waiting'], { agentId: 'bob' });
  const { handoffId } = await reassign(ids['accepted'], { agentId: 'cody' });
  await run(acceptHandoff, { handoffId: handoffId! });
  await run(completeSession, { sessionId: ids['done'], result: { ok: true }, summary: 'Paid', expectedVersion: null });
});

async function where(filter: string): Promise<string[]> {
  const { data, errors } = await post<{ sessions: { nodes: { id: string }[]; totalCount: number } }>(
    `{ sessions(where: ${filter}, orderBy: { field: CREATED_AT, direction: ASC }) { nodes { id } totalCount } }`,
  );
  expect(errors).toBeUndefined();
  expect(data.sessions.totalCount).toBe(data.sessions.nodes.length);
  return names(data.sessions.nodes);
}

describe('sessions', () => {
  test.each([
    ['all', '{}', ['held', 'waiting', 'accepted', 'done', 'nobody']],
    ['in a status', '{ status: [PAUSED] }', ['nobody']],
    ['in one of several', '{ status: [PAUSED, COMPLETED] }', ['done', 'nobody']],
    ['in none of none', '{ status: [] }', []],
    ['held by an agent', '{ agentId: "ada" }', ['held']],
    ['held last by an agent, when finished', '{ agentId: "bob" }', ['waiting', 'done']],
    ['of an agent type', '{ agentType: "CODEX" }', ['accepted']],
    ['of an agent type that nobody has', '{ agentType: "GEMINI" }', []],
    ['held by nobody', '{ unassigned: true }', ['nobody']],
    ['the others', '{ unassigned: false }', ['held', 'waiting', 'accepted', 'done']],
    ['with an open handoff', '{ hasOpenHandoff: true }', ['waiting', 'accepted']],
    ['without one', '{ hasOpenHandoff: false }', ['held', 'done', 'nobody']],
    ['with a text in the title, upper or lower case', '{ titleContains: "login" }', ['held', 'waiting']],
    ['with a percent sign, which stands for itself', '{ titleContains: "100%" }', ['held']],
    ['with an underscore, which stands for itself', '{ titleContains: "n_p" }', ['held']],
    ['with a backslash, which stands for itself', '{ titleContains: "k\\\\s" }', ['nobody']],
    ['that meet all that is given', '{ titleContains: "login", hasOpenHandoff: true }', ['waiting']],
  ])('%s', async (_name, filter, expected) => {
    expect(await where(filter)).toEqual(expected);
  });

  test('created before and after a moment, which is neither', async () => {
    const { createdAt } = await database.prisma.session.findUniqueOrThrow({ where: { id: ids['accepted']! } });
    const at = createdAt.toISOString();
    expect(await where(`{ createdBefore: "${at}" }`)).not.toContain('accepted');
    expect(await where(`{ createdAfter: "${at}" }`)).not.toContain('accepted');
    expect(await where(`{ createdAfter: "2000-01-01T00:00:00Z", createdBefore: "2999-01-01T00:00:00Z" }`)).toHaveLength(5);
  });

  test('by last change, the last first', async () => {
    await turn(ids['held']!);
    const { data } = await post<{ sessions: { nodes: { id: string }[] } }>('{ sessions(orderBy: { field: UPDATED_AT }, first: 1) { nodes { id } } }');
    expect(names(data.sessions.nodes)).toEqual(['held']);
  });
});

const fields = `status version agent { id } agentType previousAgentType result summary handoffsEnabled maxHandoffs
  agentSession { state agent { id } } openHandoff { status targetAgent { id } } lastHandoff { status } lastReassignedAt contextVariables { name value setBy }`;
const read = async (name: string) => (await post<{ session: object }>(`{ session(id: "${encodeId('session', ids[name]!)}") { ${fields} } }`)).data.session;

describe('a Session shows', () => {
  test('its holder, the open tenure and the open handoff', async () => {
    expect(await read('waiting')).toMatchObject({
      status: 'RUNNING',
      version: 2,
      agent: { id: 'bob' },
      agentType: 'CLAUDE',
      previousAgentType: 'CLAUDE',
      agentSession: { state: 'PENDING', agent: { id: 'bob' } },
      openHandoff: { status: 'INITIATED', targetAgent: { id: 'bob' } },
      lastHandoff: { status: 'INITIATED' },
    });
    expect(await read('accepted')).toMatchObject({ agentType: 'CODEX', agentSession: { state: 'ACTIVE' }, openHandoff: { status: 'ACCEPTED' } });
  });

  test('nobody and nothing open, when nobody holds it', async () => {
    expect(await read('nobody')).toMatchObject({ status: 'PAUSED', agent: null, agentType: null, agentSession: null, openHandoff: null, lastHandoff: null, lastReassignedAt: null });
  });

  test('who held it last, and nothing open, when it is finished', async () => {
    expect(await read('done')).toMatchObject({ status: 'COMPLETED', agent: { id: 'bob' }, agentSession: null, openHandoff: null, result: { ok: true }, summary: 'Paid' });
  });

  test('its context variables by name, and who set them', async () => {
    ids['variables'] = await session('ada', { contextVariables: { zone: 'eu', alpha: null } });
    expect(await read('variables')).toMatchObject({
      contextVariables: [
        { name: 'alpha', value: null, setBy: 'operator' },
        { name: 'zone', value: 'eu', setBy: 'operator' },
      ],
    });
  });

  test('null for an id that there is not', async () => {
    const { data } = await post('{ session(id: "session_00000000000000000000000000") { id } }');
    expect(data).toEqual({ session: null });
  });
});
