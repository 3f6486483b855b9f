import fc from 'fast-check';
import { graphql } from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import { bulkId, loadBulk } from '../../../test/bulk.ts';
import { testDatabase } from '../../../test/database.ts';
import { operator } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import { silentLog } from '../../infra/log.ts';
import { contexts } from './context.ts';
import { maxSize } from './page.ts';
import { schema } from './schema.ts';

const database = await testDatabase();
let sessionId = '';

beforeAll(async () => {
  // Sessions come in pairs with equal times, and all agents have the same load.
  await loadBulk(database.url, { sessions: 60, handoffs: 7, turns: 9, agents: 30 });
  sessionId = encodeId('session', await bulkId(database.pool, 'session', 30));
});

interface Page {
  edges: { cursor: string; node: { id: string } }[];
  nodes: { id: string }[];
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null };
  totalCount: number;
}

async function ask(document: string) {
  const { prisma, pool } = database;
  const contextValue = contexts({
    prisma,
    pool,
    env: { staleAfterMinutes: 30, handoffsEnabled: true },
    log: silentLog,
  })(operator);
  return graphql({ schema, source: document.replaceAll('SESSION', sessionId), contextValue });
}

/** A list is written with PAGE where its paging arguments go. */
async function read(list: string, page: string): Promise<Page> {
  const fields =
    '{ edges { cursor node { id } } nodes { id } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } totalCount }';
  const { data, errors } = await ask(`{ ${list.replace('PAGE', page).replace('FIELDS', fields)} }`);
  expect(errors).toBeUndefined();
  let found: unknown = data;
  while (typeof found === 'object' && found !== null && !('edges' in found)) found = Object.values(found)[0];
  return found as Page;
}

const lists: Record<string, string> = {
  sessions: 'sessions(PAGE) FIELDS',
  'sessions, the oldest first': 'sessions(orderBy: { field: CREATED_AT, direction: ASC }, PAGE) FIELDS',
  'sessions by last change': 'sessions(orderBy: { field: UPDATED_AT }, PAGE) FIELDS',
  'sessions of an agent type': 'sessions(where: { agentType: "CLAUDE" }, PAGE) FIELDS',
  agents: 'agents(PAGE) FIELDS',
  'agents by id': 'agents(orderBy: { field: ID, direction: ASC }, PAGE) FIELDS',
  'agents by load, which is the same': 'agents(orderBy: { field: LOAD }, PAGE) FIELDS',
  'handoffs from or to an agent': 'handoffs(where: { agentId: "busy" }, PAGE) FIELDS',
  'handoffs in some statuses': 'handoffs(where: { status: [REJECTED, FAILED, TIMED_OUT] }, PAGE) FIELDS',
  'Session.handoffs': 'session(id: "SESSION") { handoffs(PAGE) FIELDS }',
  'Session.agentSessions': 'session(id: "SESSION") { agentSessions(PAGE) FIELDS }',
  'Session.turns': 'session(id: "SESSION") { turns(PAGE) FIELDS }',
  'Session.messages': 'session(id: "SESSION") { messages(PAGE) FIELDS }',
  'Session.snapshots': 'session(id: "SESSION") { snapshots(PAGE) FIELDS }',
  'Agent.sessions': 'agent(id: "busy") { sessions(PAGE) FIELDS }',
  'Agent.handoffsGiven': 'agent(id: "busy") { handoffsGiven(PAGE) FIELDS }',
  'Agent.handoffsReceived': 'agent(id: "busy") { handoffsReceived(PAGE) FIELDS }',
};
const listNames = fc.constantFrom(...Object.keys(lists));
const sizes = fc.array(fc.integer({ min: 1, max: maxSize }), { minLength: 1, maxLength: 4 });
const ids = (page: Page): string[] => page.nodes.map(({ id }) => id);

const wholes = new Map<string, Page['edges']>();
/** A whole list, by the largest pages. */
async function whole(name: string): Promise<Page['edges']> {
  const known = wholes.get(name);
  if (known !== undefined) return known;
  const edges: Page['edges'] = [];
  for (let page: Page | undefined; page === undefined || page.pageInfo.hasNextPage;) {
    page = await read(
      lists[name]!,
      `first: ${maxSize}${edges.length === 0 ? '' : `, after: "${edges.at(-1)!.cursor}"`}`,
    );
    edges.push(...page.edges);
  }
  wholes.set(name, edges);
  return edges;
}

describe('Pages of any sizes', () => {
  test('visit every row once in the same order, forward and backward, also where times are equal', async () => {
    await fc.assert(
      fc.asyncProperty(listNames, sizes, fc.boolean(), async (name, [...steps], backward) => {
        const seen: string[] = [];
        let page: Page | undefined;
        for (
          let turn = 0;
          page === undefined || (backward ? page.pageInfo.hasPreviousPage : page.pageInfo.hasNextPage);
          turn += 1
        ) {
          const size = steps[turn % steps.length]!;
          const at: string | null = (backward ? page?.pageInfo.startCursor : page?.pageInfo.endCursor) ?? null;
          const from = at === null ? '' : `, ${backward ? 'before' : 'after'}: "${at}"`;
          page = await read(lists[name]!, `${backward ? 'last' : 'first'}: ${size}${from}`);
          expect(page.nodes).toHaveLength(page.edges.length);
          expect(backward ? page.pageInfo.hasNextPage : page.pageInfo.hasPreviousPage).toBe(at !== null);
          if (backward) seen.unshift(...ids(page));
          else seen.push(...ids(page));
        }
        expect(new Set(seen).size).toBe(seen.length);
        expect(seen).toHaveLength(page.totalCount);
        expect(seen).toEqual((await whole(name)).map(({ node }) => node.id));
      }),
      { numRuns: 60 },
    );
  });

  test('return the rows between any two cursors', async () => {
    await fc.assert(
      fc.asyncProperty(
        listNames,
        fc.nat(),
        fc.nat(),
        fc.integer({ min: 0, max: maxSize }),
        fc.boolean(),
        async (name, a, b, size, backward) => {
          const all = await whole(name);
          const [from, to] = [a % all.length, b % all.length].sort((x, y) => x - y) as [number, number];
          const between = all.slice(from + 1, to);
          const page = await read(
            lists[name]!,
            `${backward ? 'last' : 'first'}: ${size}, after: "${all[from]!.cursor}", before: "${all[to]!.cursor}"`,
          );
          const expected = size === 0 ? [] : backward ? between.slice(-size) : between.slice(0, size);
          expect(page.edges).toEqual(expected);
          expect(page.totalCount).toBe(all.length);
        },
      ),
      { numRuns: 60 },
    );
  });
});

test('every order sorts as named, then by id', async () => {
  const { rows } = await database.pool.query<{ id: string }>(
    'SELECT id FROM sessions ORDER BY updated_at DESC, id DESC',
  );
  expect((await whole('sessions by last change')).map(({ node }) => node.id)).toEqual(
    rows.map(({ id }) => encodeId('session', id)),
  );
  const oldest = await database.pool.query<{ id: string }>('SELECT id FROM sessions ORDER BY created_at, id');
  expect((await whole('sessions, the oldest first')).map(({ node }) => node.id)).toEqual(
    oldest.rows.map(({ id }) => encodeId('session', id)),
  );
  const messages = await database.pool.query<{ id: string }>(
    'SELECT m.id FROM messages m WHERE session_id = $1 ORDER BY sequence DESC',
    [await bulkId(database.pool, 'session', 30)],
  );
  expect((await whole('Session.messages')).map(({ node }) => node.id)).toEqual(
    messages.rows.map(({ id }) => encodeId('message', id)),
  );
});

test('a page has 50 rows by default, and none with first: 0', async () => {
  expect((await read('sessions(PAGE) FIELDS', 'after: null')).nodes).toHaveLength(50);
  expect(await read('sessions(PAGE) FIELDS', 'first: 0')).toMatchObject({
    nodes: [],
    totalCount: 60,
    pageInfo: { hasNextPage: true, hasPreviousPage: false, startCursor: null, endCursor: null },
  });
});

describe('is rejected with BAD_USER_INPUT and its path:', () => {
  const cursorOf = (parts: unknown): string => Buffer.from(JSON.stringify(parts)).toString('base64url');
  const someUuid = '019b76e2-4920-780b-8daf-7ed33a36b5ef';

  test.each([
    ['more than 100', 'first: 101', 'first'],
    ['less than 0', 'last: -1', 'last'],
    ['both first and last', 'first: 1, last: 1', 'last'],
    ['a malformed cursor', 'after: "nonsense"', 'after'],
    ['an empty cursor', 'after: ""', 'after'],
    [
      'a cursor of another list',
      `after: "${cursorOf(['handoff INITIATED_AT desc', 1767226100000, someUuid])}"`,
      'after',
    ],
    [
      'a cursor of another order',
      `before: "${cursorOf(['session UPDATED_AT desc', 1767226100000, someUuid])}"`,
      'before',
    ],
    [
      'a cursor of the other direction',
      `after: "${cursorOf(['session CREATED_AT asc', 1767226100000, someUuid])}"`,
      'after',
    ],
    ['a forged id', `after: "${cursorOf(['session CREATED_AT desc', 1767226100000, "x' OR 1=1"])}"`, 'after'],
    ['a forged time', `after: "${cursorOf(['session CREATED_AT desc', 1e300, someUuid])}"`, 'after'],
    [
      'a cursor with an extra part',
      `after: "${cursorOf(['session CREATED_AT desc', 1767226100000, someUuid, 1])}"`,
      'after',
    ],
    [
      'a cursor in another spelling',
      `after: "${cursorOf(['session CREATED_AT desc', 1767226100000, someUuid])}=="`,
      'after',
    ],
  ])('%s, at the root and in a nested list', async (_name, page, path) => {
    for (const list of [
      `sessions(${page}) { nodes { id } }`,
      `agent(id: "busy") { sessions(${page}) { nodes { id } } }`,
    ]) {
      const { errors } = await ask(`{ ${list} }`);
      expect(errors?.[0]?.extensions).toEqual({ code: 'BAD_USER_INPUT', path: [path] });
    }
  });
});
