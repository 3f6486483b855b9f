import { beforeAll, describe, expect, test } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { startApp } from '../../../test/server.ts';
import { world } from '../../../test/world.ts';
import { decodeId, encodeId } from '../../core/ids.ts';
import { createCursors, cursorsOf } from './cursors.ts';

const database = await testDatabase();
const { url } = await startApp(database);
const { post } = client(url);
const { agent, session, reassign, turn } = world(database.pool);

let id = '';
let other = '';

beforeAll(async () => {
  await agent('ada');
  await agent('bob');
  const sessionId = await session('ada');
  await turn(sessionId);
  await reassign(sessionId, { agentId: 'bob' });
  id = encodeId('session', sessionId);
  other = encodeId('session', await session('ada'));
});

interface Events {
  sessionEvents: {
    nodes: { cursor: string; type: string; sessionSequence: number }[];
    edges: { cursor: string }[];
    pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; endCursor: string };
    totalCount: number;
  } | null;
}
const read = (args: string, sessionId = id) =>
  post<Events>(`{ sessionEvents(sessionId: "${sessionId}"${args}) { nodes { cursor type sessionSequence recovered inboxSequence actor { principal role }
    session { id } handoff { status } agent { id } } edges { cursor } pageInfo { hasNextPage hasPreviousPage endCursor } totalCount } }`);

describe('sessionEvents', () => {
  test('returns the events of the session, oldest first, numbered without gaps', async () => {
    const { data } = await read('');
    const { nodes, edges, ...rest } = data.sessionEvents!;
    expect(nodes).toMatchObject([
      {
        type: 'SESSION_CREATED',
        sessionSequence: 1,
        agent: { id: 'ada' },
        handoff: null,
        session: { id },
        actor: { principal: 'operator', role: 'OPERATOR' },
      },
      { type: 'TURN_APPENDED', sessionSequence: 2 },
      { type: 'HANDOFF_INITIATED', sessionSequence: 3, handoff: { status: 'INITIATED' } },
      { type: 'SESSION_REASSIGNED', sessionSequence: 4, agent: { id: 'bob' }, recovered: null, inboxSequence: null },
    ]);
    expect(edges.map(({ cursor }) => cursor)).toEqual(nodes.map(({ cursor }) => cursor));
    expect(rest).toEqual({
      totalCount: 4,
      pageInfo: { hasNextPage: false, hasPreviousPage: false, endCursor: nodes[3]!.cursor },
    });
  });

  test('returns what follows the cursor of an event', async () => {
    const { data } = await read(', first: 3');
    const { endCursor, hasNextPage } = data.sessionEvents!.pageInfo;
    expect(hasNextPage).toBe(true);
    const next = (await read(`, after: "${endCursor}"`)).data.sessionEvents!;
    expect(next.nodes.map(({ sessionSequence }) => sessionSequence)).toEqual([4]);
    expect(next.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
    expect((await read(`, after: "${next.pageInfo.endCursor}"`)).data.sessionEvents!.nodes).toEqual([]);
  });

  test('returns null for an unknown session', async () => {
    expect((await read('', 'session_00000000000000000000000000')).data).toEqual({ sessionEvents: null });
  });

  test('rejects a cursor of another session, ahead of the stream, or forged with CURSOR_EXPIRED', async () => {
    const theirs = (await read('', other)).data.sessionEvents!.nodes[0]!.cursor;
    const own = (await read('')).data.sessionEvents!.nodes;
    // The number of a genuine one, changed; and one that this database never signed.
    const bytes = Buffer.from(own[0]!.cursor, 'base64url');
    const altered = Buffer.from(bytes.toString('latin1').replace('session 1 ', 'session 2 '), 'latin1').toString(
      'base64url',
    );
    expect(altered).not.toBe(own[0]!.cursor);
    const foreign = createCursors({ id: 'another', key: Buffer.alloc(32) }).encode(
      { stream: 'session', of: decodeId(id)!.uuid, number: 1 },
      null,
    );
    const ahead = (await cursorsOf(database.pool)).encode(
      { stream: 'session', of: decodeId(id)!.uuid, number: 5 },
      null,
    );
    for (const after of [
      theirs,
      altered,
      foreign,
      ahead,
      'nonsense',
      '',
      own[0]!.cursor.slice(0, -1),
      `${own[0]!.cursor}=`,
    ]) {
      const { errors } = await read(`, after: "${after}"`);
      expect(errors).toMatchObject([{ path: ['sessionEvents'], extensions: { code: 'CURSOR_EXPIRED' } }]);
    }
  });

  test('takes a page size of 1 to 100', async () => {
    for (const first of [-1, 101]) {
      expect((await read(`, first: ${first}`)).errors).toMatchObject([
        { extensions: { code: 'BAD_USER_INPUT', path: ['first'] } },
      ]);
    }
  });
});
