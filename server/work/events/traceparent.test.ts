import { describe, expect, test } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { recordQueries } from '../../../test/queries.ts';
import { startApp } from '../../../test/server.ts';
import { rawSocket, sseStream } from '../../../test/socket.ts';
import { world } from '../../../test/world.ts';
import { decodeId, encodeId } from '../../core/ids.ts';
import { sessionSpan, tenureSpan, traceparentOf } from '../../core/traceparent.ts';

const database = await testDatabase();
const { sent } = recordQueries(database.pool);
const { url } = await startApp(database, { pace: { heartbeatMs: 3_600_000 } });
const { post } = client(url);
const { agent, session } = world(database.pool);
const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

interface Event {
  type: string;
  traceparent: string | null;
}
let count = 0;
/** A new Session that `ada` holds; `bob` is free. */
async function held(): Promise<{ id: string; uuid: string }> {
  if (count++ === 0) await Promise.all([agent('ada', { maxCapacity: 50 }), agent('bob', { maxCapacity: 50 })]);
  const uuid = await session('ada');
  return { id: encodeId('session', uuid), uuid };
}
const reassign = (id: string): string =>
  `mutation { reassignSession(input: { sessionId: "${id}", agentId: "bob" }) { __typename } }`;
async function eventsOf(id: string): Promise<Event[]> {
  const { data } = await post<{ sessionEvents: { nodes: Event[] } }>(
    `{ sessionEvents(sessionId: "${id}") { nodes { id type traceparent } } }`,
  );
  return data.sessionEvents.nodes;
}
const tenuresOf = async (id: string): Promise<{ id: string; traceparent: string; agent: { id: string } }[]> =>
  (
    await post<{ session: { agentSessions: { nodes: { id: string; traceparent: string; agent: { id: string } }[] } } }>(
      `{ session(id: "${id}") { agentSessions { nodes { id traceparent agent { id } } } } }`,
    )
  ).data.session.agentSessions.nodes;

describe('the traceparent of an Event', () => {
  test('is what came with the mutation, as a header', async () => {
    const { id } = await held();
    await post(reassign(id), {}, { traceparent });
    const [created, ...moved] = await eventsOf(id);
    expect(created!.traceparent).not.toBe(traceparent);
    expect(moved.map((event) => event.traceparent)).toEqual(moved.map(() => traceparent));
  });

  test('is what came with an operation of a socket, as extensions.traceparent, and only with that one', async () => {
    const [first, second] = [await held(), await held()];
    const socket = await rawSocket(url);
    await socket.init();
    socket.send({ id: 'a', type: 'subscribe', payload: { query: reassign(first.id), extensions: { traceparent } } });
    await socket.result('a');
    socket.subscribe('b', reassign(second.id));
    await socket.result('b');
    expect((await eventsOf(first.id)).at(-1)!.traceparent).toBe(traceparent);
    expect((await eventsOf(second.id)).at(-1)!.traceparent).not.toBe(traceparent);
    socket.close();
  });

  test.each([
    ['an invalid one', { traceparent: '00-0-0-01' }],
    ['two', { traceparent: `${traceparent}, ${traceparent}` }],
  ])('is that of the tenure when the caller sent %s, which is no error', async (_what, headers) => {
    const { id } = await held();
    expect((await post(reassign(id), {}, headers)).errors).toBeUndefined();
    const [second, first] = await tenuresOf(id);
    expect([first!.agent.id, second!.agent.id]).toEqual(['ada', 'bob']);
    expect((await eventsOf(id)).map((event) => [event.type, event.traceparent])).toEqual([
      ['SESSION_CREATED', first!.traceparent],
      ['HANDOFF_INITIATED', second!.traceparent],
      ['SESSION_REASSIGNED', second!.traceparent],
    ]);
  });

  test('is computed from the ids, and the tenures of a Session are in one trace', async () => {
    const { id, uuid } = await held();
    await post(reassign(id));
    const tenures = await tenuresOf(id);
    expect(tenures.map((tenure) => tenure.traceparent)).toEqual(
      tenures.map((tenure) => traceparentOf(tenureSpan(uuid, decodeId(tenure.id)!.uuid))),
    );
    for (const tenure of tenures) expect(tenure.traceparent.split('-')[1]).toBe(sessionSpan(uuid).traceId);
  });

  test('is that of the Session before its first tenure, and null without a Session', async () => {
    const { data } = await post<{ createSession: { session: { id: string } } }>(
      'mutation { createSession(input: { title: "x", agentType: "NONE", queue: true }) { ... on CreateSessionPayload { session { id } } } }',
    );
    const { id } = data.createSession.session;
    const [created] = await eventsOf(id);
    expect(created!.traceparent).toBe(traceparentOf(sessionSpan(decodeId(id)!.uuid)));
    const stream = await sseStream(url, 'subscription { handoffEvents { type traceparent } }');
    expect(await stream.result()).toEqual({ data: { handoffEvents: { type: 'READY', traceparent: null } } });
    await post('mutation { setAgentStatus(input: { id: "bob", status: OFFLINE }) { __typename } }');
    expect(await stream.result()).toEqual({ data: { handoffEvents: { type: 'AGENT_CHANGED', traceparent: null } } });
    await post(
      'mutation { setAgentStatus(input: { id: "bob", status: AVAILABLE }) { __typename } }',
      {},
      { traceparent },
    );
    expect(await stream.result()).toEqual({ data: { handoffEvents: { type: 'AGENT_CHANGED', traceparent } } });
    stream.close();
  });

  test('reaches subscribers, and one that came costs no statement', async () => {
    const { id } = await held();
    const stream = await sseStream(url, `subscription { sessionUpdated(sessionIds: ["${id}"]) { type traceparent } }`);
    await stream.result();
    await post(reassign(id), {}, { traceparent });
    expect(await stream.result()).toEqual({ data: { sessionUpdated: { type: 'HANDOFF_INITIATED', traceparent } } });
    sent.length = 0;
    await eventsOf(id);
    expect(sent).toHaveLength(2);
    stream.close();
  });
});

test('the database refuses a traceparent of another form', async () => {
  const { uuid } = await held();
  await expect(
    database.pool.query(`UPDATE events SET traceparent = 'x' WHERE session_id = $1`, [uuid]),
  ).rejects.toThrow('events_traceparent_has_its_form');
});
