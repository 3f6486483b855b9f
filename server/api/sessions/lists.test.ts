import { beforeAll, describe, expect, test } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { startApp } from '../../../test/server.ts';
import { world } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import { workspaceId } from '../../core/workspace.ts';
import { acceptHandoff } from '../../work/handoffs/changeHandoff.ts';
import { completeSession } from '../../work/sessions/changeSession.ts';
import { updateSession } from '../../work/sessions/updateSession.ts';

const database = await testDatabase();
const { url } = await startApp(database);
const { post } = client(url);
const { agent, session, reassign, turn, run } = world(database.pool);

const ids: Record<string, string> = {};
const names = (found: { id: string }[]): string[] =>
  found.map(({ id }) => Object.keys(ids).find((name) => encodeId('session', ids[name]!) === id)!);

beforeAll(async () => {
  await agent('ada');
  await agent('bob');
  await agent('cody', { type: 'CODEX' });
  ids['held'] = await session('ada', { title: '100% of the Login_page' });
  ids['waiting'] = await session('ada', { title: '100 steps of the LOGIN page' });
  ids['accepted'] = await session('ada', { title: 'Search' });
  ids['done'] = await session('bob', { title: 'Billing', externalId: 'T-1', project: 'shop' });
  ids['nobody'] = await session(null, {
    workspace: {
      host: 'box',
      folder: '/srv/shop',
      repository: 'git@example.org:o/shop.git',
      branch: null,
      commit: null,
    },
    title: 'Back\\slash',
    project: 'shop',
    priority: 'URGENT',
  });
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

describe('the list of sessions', () => {
  test.each([
    ['by nothing', '{}', ['held', 'waiting', 'accepted', 'done', 'nobody']],
    ['by status', '{ status: [PAUSED] }', ['nobody']],
    ['by several statuses', '{ status: [PAUSED, COMPLETED] }', ['done', 'nobody']],
    ['by an empty list of statuses', '{ status: [] }', []],
    ['by agentId', '{ agentId: "ada" }', ['held']],
    ['by agentId, with the last holder of finished sessions', '{ agentId: "bob" }', ['waiting', 'done']],
    ['by agentType', '{ agentType: "CODEX" }', ['accepted']],
    ['by an unknown agentType', '{ agentType: "GEMINI" }', []],
    ['by unassigned true', '{ unassigned: true }', ['nobody']],
    ['by unassigned false', '{ unassigned: false }', ['held', 'waiting', 'accepted', 'done']],
    ['by hasOpenHandoff true', '{ hasOpenHandoff: true }', ['waiting', 'accepted']],
    ['by hasOpenHandoff false', '{ hasOpenHandoff: false }', ['held', 'done', 'nobody']],
    ['by a text in the title, upper or lower case', '{ titleContains: "login" }', ['held', 'waiting']],
    ['by a literal percent sign in the title', '{ titleContains: "100%" }', ['held']],
    ['by a literal underscore in the title', '{ titleContains: "n_p" }', ['held']],
    ['by a literal backslash in the title', '{ titleContains: "k\\\\s" }', ['nobody']],
    ['by external id', '{ externalId: "T-1" }', ['done']],
    ['by project', '{ project: "shop" }', ['done', 'nobody']],
    ['by workspace', `{ workspaceId: "${workspaceId('box', '/srv/shop')}" }`, ['nobody']],
    ['by the workspace of another machine', `{ workspaceId: "${workspaceId('other', '/srv/shop')}" }`, []],
    ['by repository', '{ repository: "git@example.org:o/shop.git" }', ['nobody']],
    ['by priority', '{ priority: [URGENT, LOW] }', ['nobody']],
    ['by several fields together', '{ titleContains: "login", hasOpenHandoff: true }', ['waiting']],
  ])('filters %s', async (_name, filter, expected) => {
    expect(await where(filter)).toEqual(expected);
  });

  test('filters by createdBefore and createdAfter, which exclude the given time', async () => {
    const { createdAt } = await database.prisma.session.findUniqueOrThrow({ where: { id: ids['accepted']! } });
    const at = createdAt.toISOString();
    expect(await where(`{ createdBefore: "${at}" }`)).not.toContain('accepted');
    expect(await where(`{ createdAfter: "${at}" }`)).not.toContain('accepted');
    expect(await where(`{ createdAfter: "2000-01-01T00:00:00Z", createdBefore: "2999-01-01T00:00:00Z" }`)).toHaveLength(
      5,
    );
  });

  test('sorts by last activity, which a change of fields is not', async () => {
    await run(updateSession, { sessionId: ids['nobody']!, priority: 'HIGH', expectedVersion: null });
    await turn(ids['held']!);
    await run(updateSession, { sessionId: ids['nobody']!, priority: 'URGENT', expectedVersion: null });
    const { data } = await post<{ sessions: { nodes: { id: string }[] } }>(
      '{ sessions(orderBy: { field: LAST_ACTIVITY }, first: 1) { nodes { id } } }',
    );
    expect(names(data.sessions.nodes)).toEqual(['held']);
  });

  test('session(externalId) returns the newest session, open or finished, and needs either id', async () => {
    const find = (args: string) => post<{ session: { id: string } | null }>(`{ session(${args}) { id } }`);
    expect((await find('externalId: "T-1"')).data.session).toEqual({ id: encodeId('session', ids['done']!) });
    const again = await session(null, { externalId: 'T-1' });
    expect((await find('externalId: "T-1"')).data.session).toEqual({ id: encodeId('session', again) });
    expect((await find('externalId: "T-2"')).data.session).toBeNull();
    await database.pool.query('UPDATE sessions SET external_id = NULL WHERE id = $1', [again]);
    for (const wrong of ['', `id: "${encodeId('session', again)}", externalId: "T-1"`, 'externalId: " "']) {
      const { errors } = await post<unknown>(`{ session${wrong === '' ? '' : `(${wrong})`} { id } }`);
      expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
    }
  });

  test('sorts by last change, newest first', async () => {
    await turn(ids['held']!);
    const { data } = await post<{ sessions: { nodes: { id: string }[] } }>(
      '{ sessions(orderBy: { field: UPDATED_AT }, first: 1) { nodes { id } } }',
    );
    expect(names(data.sessions.nodes)).toEqual(['held']);
  });
});

const fields = `status version agent { id } agentType previousAgentType result summary handoffsEnabled maxHandoffs
  agentSession { state agent { id } } openHandoff { status targetAgent { id } } lastHandoff { status } lastReassignedAt contextVariables { name value setBy }`;
const read = async (name: string) =>
  (await post<{ session: object }>(`{ session(id: "${encodeId('session', ids[name]!)}") { ${fields} } }`)).data.session;

describe('a Session', () => {
  test('returns its holder, its open tenure and its open handoff', async () => {
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
    expect(await read('accepted')).toMatchObject({
      agentType: 'CODEX',
      agentSession: { state: 'ACTIVE' },
      openHandoff: { status: 'ACCEPTED' },
    });
  });

  test('returns null for holder, tenure and handoff when it is unassigned', async () => {
    expect(await read('nobody')).toMatchObject({
      status: 'PAUSED',
      agent: null,
      agentType: null,
      agentSession: null,
      openHandoff: null,
      lastHandoff: null,
      lastReassignedAt: null,
    });
  });

  test('returns its last holder and nothing open when it is finished', async () => {
    expect(await read('done')).toMatchObject({
      status: 'COMPLETED',
      agent: { id: 'bob' },
      agentSession: null,
      openHandoff: null,
      result: { ok: true },
      summary: 'Paid',
    });
  });

  test('returns its context variables by name with the principal that set each', async () => {
    ids['variables'] = await session('ada', { contextVariables: { zone: 'eu', alpha: null } });
    expect(await read('variables')).toMatchObject({
      contextVariables: [
        { name: 'alpha', value: null, setBy: 'operator' },
        { name: 'zone', value: 'eu', setBy: 'operator' },
      ],
    });
  });

  test('is null for an unknown id', async () => {
    const { data } = await post('{ session(id: "session_00000000000000000000000000") { id } }');
    expect(data).toEqual({ session: null });
  });
});
