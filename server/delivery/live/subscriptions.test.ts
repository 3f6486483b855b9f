import { beforeAll, describe, expect, test } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { startApp } from '../../../test/server.ts';
import { type RawSocket, rawSocket, sseStream } from '../../../test/socket.ts';
import { world } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import { silentLog } from '../../infra/log.ts';
import { acceptHandoff } from '../../work/handoffs/changeHandoff.ts';
import { touchHandoff } from '../../work/handoffs/touchHandoff.ts';
import { Pruner } from '../../work/keeping/prune.ts';
import { cancelSession } from '../../work/sessions/changeSession.ts';

const database = await testDatabase();
const { url } = await startApp(database);
const { post } = client(url);
const { agent, session } = world(database.pool);

interface Event {
  cursor: string;
  type: string;
  at: string;
  recovered: boolean | null;
  sessionSequence: number | null;
  inboxSequence: number | null;
  actor: { principal: string; role: string } | null;
  session: { id: string; status: string; agent: { id: string } | null } | null;
  handoff: { id: string; status: string } | null;
  agent: { id: string } | null;
}
const fields =
  'cursor type at recovered sessionSequence inboxSequence actor { principal role } session { id status agent { id } } handoff { id status } agent { id }';
const inbox = `subscription ($agentId: ID!, $after: String) { event: handoffAssigned(agentId: $agentId, after: $after) { ${fields} } }`;
const handoffs = `subscription ($where: HandoffEventsWhere, $after: String) { event: handoffEvents(where: $where, after: $after) { ${fields} } }`;
const sessions = `subscription ($sessionIds: [ID!], $after: String) { event: sessionUpdated(sessionIds: $sessionIds, after: $after) { ${fields} } }`;

let socket: RawSocket;
let count = 0;

/** Subscribes on the one socket, and reads events. */
function listen(query: string, variables: object = {}) {
  const id = `s${(count += 1)}`;
  socket.subscribe(id, query, variables);
  return {
    id,
    result: () => socket.result<{ event: Event }>(id),
    next: async () => {
      const { data, errors } = await socket.result<{ event: Event }>(id);
      expect(errors).toBeUndefined();
      return data!.event;
    },
    stop: () => socket.send({ id, type: 'complete' }),
  };
}
const reassign = (sessionId: string, agentId: string) =>
  post(
    `mutation ($s: ID!, $a: ID!) { reassignSession(input: { sessionId: $s, agentId: $a }) { __typename ... on Error { message } } }`,
    { s: sessionId, a: agentId },
  );
const held = async (by: string) => encodeId('session', await session(by));

beforeAll(async () => {
  await agent('ada', { maxCapacity: 100 });
  await agent('bob', { maxCapacity: 100 });
  socket = await rawSocket(url);
  await socket.init();
});

describe('events that an older program does not know', () => {
  test('come numbered and in order among the others, and a replay from any cursor gives the same', async () => {
    const story = world(database.pool);
    await agent('queued-for', { type: 'QUEUE', maxCapacity: 1 });
    const first = await session('queued-for');
    const id = await session('ada');
    const live = listen(sessions, { sessionIds: [encodeId('session', id)] });
    const ready = await live.next();
    await story.reassign(id, { agentType: 'QUEUE', queue: true });
    await story.run(cancelSession, { sessionId: first, expectedVersion: null, reason: null });
    const { id: handoffId } = await database.prisma.handoff.findFirstOrThrow({ where: { sessionId: id } });
    await story.run(touchHandoff, { handoffId, note: null });
    await story.run(acceptHandoff, { handoffId });
    const shown = ({ cursor, type, sessionSequence }: Event) => ({ cursor, type, sessionSequence });
    const events: ReturnType<typeof shown>[] = [];
    const following = async (stream: typeof live): Promise<Event> => {
      const event = await stream.next();
      return event.type === 'HEARTBEAT' ? following(stream) : event;
    };
    while (events.at(-1)?.type !== 'HANDOFF_ACCEPTED') events.push(shown(await following(live)));
    live.stop();
    expect(events.map(({ type, sessionSequence }) => [sessionSequence, type])).toEqual([
      [2, 'SESSION_QUEUED'],
      [3, 'HANDOFF_INITIATED'],
      [4, 'SESSION_REASSIGNED'],
      [5, 'HANDOFF_EXTENDED'],
      [6, 'HANDOFF_ACCEPTED'],
    ]);
    for (const [index, after] of [ready.cursor, ...events.slice(0, -1).map(({ cursor }) => cursor)].entries()) {
      const replay = listen(sessions, { sessionIds: [encodeId('session', id)], after });
      expect(await replay.next()).toMatchObject({ type: 'READY', recovered: true });
      for (const expected of events.slice(index)) expect(shown(await following(replay))).toEqual(expected);
      replay.stop();
    }
  });
});

describe('a subscription', () => {
  test('begins with READY, then delivers committed events with the current state', async () => {
    const stream = listen(inbox, { agentId: 'bob' });
    expect(await stream.next()).toMatchObject({
      type: 'READY',
      recovered: null,
      actor: null,
      session: null,
      handoff: null,
      agent: null,
      inboxSequence: null,
    });
    const id = await held('ada');
    await reassign(id, 'bob');
    expect(await stream.next()).toMatchObject({
      type: 'HANDOFF_INITIATED',
      inboxSequence: 2,
      sessionSequence: 2,
      actor: { principal: 'loopback', role: 'ADMIN' },
      session: { id, status: 'RUNNING', agent: { id: 'bob' } },
      handoff: { status: 'INITIATED' },
      agent: { id: 'ada' },
    });
    expect(await stream.next()).toMatchObject({ type: 'SESSION_REASSIGNED', inboxSequence: 3, recovered: null });
    stream.stop();
  });

  test('delivers the missed events after a cursor, then live ones, without gap or repeat', async () => {
    const stream = listen(handoffs);
    const ready = await stream.next();
    const id = await held('ada');
    await reassign(id, 'bob');
    const heard = [await stream.next(), await stream.next(), await stream.next()];
    expect(heard.map(({ type }) => type)).toEqual(['SESSION_CREATED', 'HANDOFF_INITIATED', 'SESSION_REASSIGNED']);
    stream.stop();

    const again = listen(handoffs, { after: ready.cursor });
    expect(await again.next()).toMatchObject({ type: 'READY', recovered: true, cursor: ready.cursor });
    for (const { cursor, type } of heard) expect(await again.next()).toMatchObject({ cursor, type });
    await reassign(id, 'ada');
    expect(await again.next()).toMatchObject({ type: 'HANDOFF_CANCELLED' });
    again.stop();

    const later = listen(sessions, { after: heard[1]!.cursor, sessionIds: [id] });
    expect(await later.next()).toMatchObject({ type: 'READY', recovered: true });
    expect(await later.next()).toMatchObject({ type: 'SESSION_REASSIGNED', cursor: heard[2]!.cursor });
    later.stop();
  });

  test('of Sessions delivers log changes of the chosen sessions only', async () => {
    const [id, other] = [await held('ada'), await held('ada')];
    const stream = listen(sessions, { sessionIds: [id] });
    await stream.next();
    for (const sessionId of [other, id]) {
      await post(`mutation ($s: ID!) { recordDecision(input: { sessionId: $s, text: "So be it" }) { __typename } }`, {
        s: sessionId,
      });
    }
    expect(await stream.next()).toMatchObject({ type: 'LOG_CHANGED', session: { id } });
    stream.stop();
  });

  test('of Handoffs can be filtered by Session and Agent, and delivers changes of agents', async () => {
    const [id, other] = [await held('ada'), await held('ada')];
    const [ofSession, ofAgent] = [
      listen(handoffs, { where: { sessionId: id } }),
      listen(handoffs, { where: { agentId: 'bob' } }),
    ];
    await Promise.all([ofSession.next(), ofAgent.next()]);
    await post('mutation { setAgentStatus(input: { id: "ada", status: DRAINING }) { __typename } }');
    await post('mutation { setAgentStatus(input: { id: "bob", status: DRAINING }) { __typename } }');
    await post('mutation { setAgentStatus(input: { id: "bob", status: AVAILABLE }) { __typename } }');
    await post('mutation { setAgentStatus(input: { id: "ada", status: AVAILABLE }) { __typename } }');
    await reassign(other, 'bob');
    await reassign(id, 'bob');
    expect(await ofSession.next()).toMatchObject({ type: 'HANDOFF_INITIATED', session: { id } });
    expect(await ofAgent.next()).toMatchObject({
      type: 'AGENT_CHANGED',
      agent: { id: 'bob' },
      session: null,
      sessionSequence: null,
    });
    expect(await ofAgent.next()).toMatchObject({ type: 'AGENT_CHANGED' });
    expect(await ofAgent.next()).toMatchObject({ type: 'HANDOFF_INITIATED', session: { id: other } });
    ofSession.stop();
    ofAgent.stop();
  });

  test('delivers the same over Server-Sent Events', async () => {
    const stream = await sseStream(url, inbox, { agentId: 'bob' });
    expect(stream.headers['content-type']).toContain('text/event-stream');
    expect((await stream.result<{ event: Event }>()).data!.event).toMatchObject({ type: 'READY' });
    const id = await held('ada');
    await reassign(id, 'bob');
    expect((await stream.result<{ event: Event }>()).data!.event).toMatchObject({
      type: 'HANDOFF_INITIATED',
      session: { id },
    });
    stream.close();
  });
});

describe('a refused subscription delivers one result with a code, then completes, over sockets and SSE', () => {
  test.each([
    ['an unknown agent', inbox, { agentId: 'nobody' }, 'BAD_USER_INPUT'],
    ['a malformed agent id', inbox, { agentId: 'NOBODY' }, 'BAD_USER_INPUT'],
    ['an unknown session', handoffs, { where: { sessionId: 'session_00000000000000000000000000' } }, 'BAD_USER_INPUT'],
    ['a malformed cursor', handoffs, { after: 'nonsense' }, 'CURSOR_EXPIRED'],
  ])('%s', async (_name, query, variables, code) => {
    const refused = listen(query, variables);
    expect(await refused.result()).toMatchObject({ errors: [{ path: ['event'], extensions: { code } }] });
    await socket.message('complete', refused.id);
    const sse = await sseStream(url, query, variables);
    expect(await sse.result()).toMatchObject({ errors: [{ path: ['event'], extensions: { code } }] });
    expect(await sse.ended).toBe('complete');
  });
});

test('a cursor from before what was pruned is CURSOR_EXPIRED, but not for Sessions that are there, and a live stream goes on', async () => {
  await post('mutation { registerAgent(input: { id: "dora", type: "CLAUDE", maxCapacity: 9 }) { __typename } }');
  const [own, all] = [listen(inbox, { agentId: 'dora' }), listen(sessions)];
  const cursors: string[] = [(await all.next()).cursor];
  const inboxCursors: string[] = [(await own.next()).cursor];
  const ids = [await held('dora'), await held('dora'), await held('dora')];
  for (const [stream, into] of [
    [all, cursors],
    [own, inboxCursors],
  ] as const) {
    while (into.length <= ids.length) {
      const event = await stream.next();
      if (event.type === 'SESSION_CREATED') into.push(event.cursor);
    }
  }
  const later = await held('dora');
  await post(`mutation { cancelSession(input: { sessionId: "${ids[1]}" }) { __typename } }`);
  await post(`mutation { cancelSession(input: { sessionId: "${later}" }) { __typename } }`);
  const ended = [await all.result(), await all.result(), await all.result()].at(-1)!.data!.event.cursor;
  const pruned = await new Pruner({ pool: database.pool, log: silentLog, days: 0 }).batch();
  expect(pruned.sessions).toBeGreaterThanOrEqual(2);

  const cold = await startApp(database);
  const made: string[] = [];
  for (const server of [url, cold.url]) {
    const resume = (query: string, variables: object) => sseStream(server, query, variables);
    for (const [query, variables] of [
      [sessions, { after: cursors[3] }],
      [handoffs, { after: cursors[1] }],
      [handoffs, { after: cursors[1], where: { agentId: 'dora' } }],
      [inbox, { agentId: 'dora', after: inboxCursors[3] }],
    ] as const) {
      const expired = await resume(query, variables);
      expect(await expired.result()).toMatchObject({ errors: [{ extensions: { code: 'CURSOR_EXPIRED' } }] });
      expect(await expired.ended).toBe('complete');
    }
    // The newest events are pruned: a subscriber that had them has missed nothing.
    const atHead = await resume(sessions, { after: ended });
    expect(await atHead.result()).toMatchObject({ data: { event: { type: 'READY', recovered: true, cursor: ended } } });
    const ofKept = await resume(sessions, { after: cursors[0], sessionIds: [ids[0], ids[2]] });
    expect(await ofKept.result()).toMatchObject({ data: { event: { type: 'READY', recovered: true } } });
    for (const n of [0, 2])
      expect(await ofKept.result()).toMatchObject({
        data: { event: { session: { id: ids[n] }, cursor: cursors[n + 1] } },
      });
    made.push(await held('dora'));
    for (const id of made)
      expect(await atHead.result()).toMatchObject({ data: { event: { type: 'SESSION_CREATED', session: { id } } } });
    expect(await all.next()).toMatchObject({ type: 'SESSION_CREATED', session: { id: made.at(-1) } });
    for (const stream of [atHead, ofKept]) stream.close();
  }
  await cold.stop();
  for (const stream of [all, own]) stream.stop();
});
