import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { takeHandoffs } from '../../../client/api/takeHandoffs.ts';
import { openStream, type Topic } from '../../../client/stream/index.ts';
import { atEnd, testDatabase } from '../../../test/database.ts';
import { bodiesOf, delivering } from '../../../test/delivering.ts';
import { goingBack } from '../../../test/goingBack.ts';
import { client } from '../../../test/graphql.ts';
import { webhookKey } from '../../../test/keyring.ts';
import { receiver } from '../../../test/receiver.ts';
import { type StartedApp, startApp } from '../../../test/server.ts';
import { rawSocket, sseStream } from '../../../test/socket.ts';
import { operator, world } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import { silentLog } from '../../infra/log.ts';
import { createDatabase } from '../../infra/prisma.ts';
import { cursorsOf } from '../../work/events/cursors.ts';
import { EventLog } from '../exports/eventLog.ts';
import { startLooking } from './assemble.ts';
import { temporaryFolder } from '../../../test/temporary.ts';

const database = await testDatabase();
const { keep, goBack } = goingBack(database);
const { agent, session, reassign, turn } = world(database.pool);
const errors: string[] = [];
const log = {
  ...silentLog,
  error: (_fields: object, message: string) => void errors.push(message),
} as typeof silentLog;
const wait = { timeout: 30_000, interval: 10 };

/** A server with a pool of its own, as in another process. */
async function server(): Promise<StartedApp> {
  const own = createDatabase(database.url, silentLog);
  atEnd(() => own.close());
  return startApp(
    { ...database, ...own },
    {
      log,
      pace: { pollMs: 30 },
      variables: { BATON_WEBHOOK_KEY: webhookKey, BATON_WEBHOOK_ALLOW: '127.0.0.1' },
    },
  );
}

let servers: StartedApp[] = [];
let uuid = '';
beforeAll(async () => {
  for (const id of ['ada', 'bob', 'eve']) await agent(id, { maxCapacity: 100 });
  uuid = await session('ada');
  servers = [await server(), await server()];
}, 60_000);

async function act(kind: 'turn' | 'move'): Promise<void> {
  if (kind === 'turn') return void (await turn(uuid));
  const { agent: now } = await database.prisma.session.findUniqueOrThrow({
    where: { id: uuid },
    select: { agent: { select: { id: true } } },
  });
  await reassign(uuid, { agentId: now?.id === 'ada' ? 'bob' : 'ada', skipHandoff: true });
}

interface Got {
  id: string;
  cursor: string;
  type: string;
  place: string;
}

/** A program that follows a topic, and reads again when it is told. `parts`: what it got between. */
function follow({ url }: StartedApp, topic: Topic, after?: string) {
  const parts: Got[][] = [[]];
  const stream = openStream<{ id: string }>({
    url,
    topic,
    webSocket: WebSocket,
    fields: 'id',
    ...(after !== undefined && { after }),
    onExpired: () => void parts.push([]),
    backoff: { baseMs: 20, capMs: 100 },
  });
  atEnd(() => stream.stop());
  const over = (async () => {
    for await (const { id, cursor, type, sessionSequence, inboxSequence, session } of stream)
      parts.at(-1)!.push({
        id,
        cursor,
        type,
        place: topic.kind === 'handoffAssigned' ? `inbox ${inboxSequence}` : `${session?.id} ${sessionSequence}`,
      });
  })();
  return { stream, parts, topic, over };
}
type Follower = ReturnType<typeof follow>;

const topics = (): Topic[] => [
  { kind: 'handoffEvents' },
  { kind: 'handoffAssigned', agentId: 'ada' },
  { kind: 'sessionUpdated', sessionIds: [encodeId('session', uuid)] },
];

/** The ids of the events of a topic, in order, as the database has them. */
async function eventsOf({ kind }: Topic): Promise<string[]> {
  await servers[0]!.streams.positioned();
  const { rows } = await database.pool.query<{ id: string }>(
    kind === 'handoffAssigned'
      ? `SELECT event_id AS id FROM inbox_entries WHERE agent_id = 'ada' ORDER BY sequence`
      : `SELECT e.id FROM event_positions p JOIN events e ON e.id = p.event_id WHERE ${kind === 'handoffEvents' ? `type NOT IN ('TURN_APPENDED', 'LOG_CHANGED')` : `session_id = '${uuid}'`} ORDER BY position`,
  );
  return rows.map(({ id }) => encodeId('event', id));
}

/** Waits until a follower has the newest event, and checks that it has everything since it read, and nothing twice. */
async function isWhole(follower: Follower): Promise<void> {
  const all = await eventsOf(follower.topic);
  await vi.waitFor(() => expect(follower.parts.at(-1)!.at(-1)?.id).toBe(all.at(-1)), wait);
  const ids = follower.parts.at(-1)!.map(({ id }) => id);
  expect(ids).toEqual(all.slice(-ids.length));
  for (const part of follower.parts) expect(new Set(part.map(({ place }) => place)).size).toBe(part.length);
}

const subscription = `subscription ($after: String) { handoffEvents(after: $after) { id type cursor recovered } }`;
const inboxSubscription = `subscription ($after: String) { handoffAssigned(agentId: "ada", after: $after) { id type cursor } }`;
const logSubscription = (): string =>
  `subscription ($after: String) { sessionUpdated(sessionIds: ["${encodeId('session', uuid)}"], after: $after) { id type cursor } }`;
const refused = { errors: [{ extensions: { code: 'CURSOR_EXPIRED', reason: 'HISTORY_WENT_BACK' } }] };

/** The first answer to a subscription after a cursor. */
async function first({ url }: StartedApp, query: string, after: string): Promise<unknown> {
  const stream = await sseStream(url, query, { after });
  const result = await stream.result();
  stream.close();
  return result;
}

describe('a database that went back', () => {
  it('tells every subscriber, which is whole after it reads again, whatever was lost and written since', async () => {
    const kinds = fc.constantFrom<'turn' | 'move'>('turn', 'move');
    const story = fc.record({
      lost: fc.array(kinds, { minLength: 1, maxLength: 12 }),
      written: fc.array(kinds, { maxLength: 18 }),
    });
    await fc.assert(
      fc.asyncProperty(story, async ({ lost, written }) => {
        const followers = servers.flatMap((each) => topics().map((topic) => follow(each, topic)));
        await Promise.all(followers.map(({ stream }) => stream.ready));
        for (let n = 0; n < 2; n += 1) for (const kind of ['move', 'turn'] as const) await act(kind);
        await Promise.all(followers.map(isWhole));
        const kept = followers.map(({ parts }) => parts.at(-1)!.at(-1)!);
        await keep();
        for (const kind of ['move', ...lost, 'move'] as const) await act(kind);
        await act('turn');
        await Promise.all(followers.map(isWhole));
        const gone = followers.map(({ parts }) => parts.at(-1)!.at(-1)!);
        expect(followers.map(({ parts }) => parts.length)).toEqual(followers.map(() => 1));

        await goBack();
        for (const kind of written) await act(kind);
        await vi.waitFor(
          () => expect(followers.map(({ parts }) => parts.length)).toEqual(followers.map(() => 2)),
          wait,
        );
        for (const kind of ['move', 'turn', 'move'] as const) await act(kind);
        await Promise.all(followers.map(isWhole));

        // Clients that come later, to a server that started since.
        const fresh = await server();
        for (const [index, { topic }] of followers.entries()) {
          const query =
            topic.kind === 'handoffEvents'
              ? subscription
              : topic.kind === 'handoffAssigned'
                ? inboxSubscription
                : logSubscription();
          expect(await first(fresh, query, gone[index]!.cursor)).toMatchObject(refused);
          expect(await first(fresh, query, kept[index]!.cursor)).not.toHaveProperty('errors');
        }
        for (const { stream } of followers) stream.stop();
        await Promise.all(followers.map(({ over }) => over));
        await fresh.stop();
      }),
      { numRuns: 4, endOnFailure: true },
    );
  }, 120_000);

  it('ends streams over WebSocket and SSE with CURSOR_EXPIRED and a reason', async () => {
    const [{ url }] = servers as [StartedApp];
    const socket = await rawSocket(url);
    await socket.init();
    socket.subscribe('1', subscription);
    const sse = await sseStream(url, inboxSubscription);
    expect(await Promise.all([socket.result('1'), sse.result()])).toMatchObject([
      { data: { handoffEvents: { type: 'READY' } } },
      { data: { handoffAssigned: { type: 'READY' } } },
    ]);
    await keep();
    await act('move');
    await act('move');
    await socket.result('1');
    await sse.result();
    await goBack();
    for (let result = await sse.result(); ; result = await sse.result()) {
      if (result.errors === undefined) continue;
      expect(result).toMatchObject(refused);
      break;
    }
    for (;;) {
      const result = await socket.result('1');
      if (result.errors === undefined) continue;
      expect(result).toMatchObject(refused);
      break;
    }
    socket.close();
  });

  it('is the reason when an Event is gone between its delivery and the reading of its fields, also when another has its number', async () => {
    const fresh = await server();
    const events = await fresh.streams.open({
      key: { kind: 'all' },
      caller: operator,
      after: null,
      accepts: () => true,
    });
    await events.next();
    await keep();
    await act('move');
    const { value } = await events.next();
    await goBack();
    const why = (): Promise<string> => fresh.streams.whyGone(value!.cursor, value!.event!.id);
    expect(await why()).toBe('history');
    for (let time = 0; time < 5; time += 1) await act('turn');
    await fresh.streams.positioned();
    expect(await why()).toBe('history');
    await keep();
    await database.pool.query('UPDATE pruning SET position = (SELECT max(position) FROM event_positions)');
    await database.pool.query('DELETE FROM event_positions');
    expect(await why()).toBe('pruned');
    await goBack();
    await fresh.stop();
  });

  it('refuses a cursor of sessionEvents whose event is another one now, and accepts one of an older version without its mark', async () => {
    const fresh = await server();
    const { post } = client(fresh.url);
    const id = encodeId('session', uuid);
    const read = (after: string | null) =>
      post<{ sessionEvents: { edges: { cursor: string }[] } }>(
        'query ($id: ID!, $after: String) { sessionEvents(sessionId: $id, after: $after, first: 100) { edges { cursor } } }',
        { id, after },
      );
    const last = async (): Promise<string> => {
      for (let after: string | null = null; ;) {
        const { edges }: { edges: { cursor: string }[] } = (await read(after)).data.sessionEvents;
        if (edges.length < 100) return edges.at(-1)!.cursor;
        after = edges.at(-1)!.cursor;
      }
    };
    const kept = await last();
    await keep();
    await act('turn');
    const gone = await last();
    await goBack();
    expect(await read(gone)).toMatchObject(refused);
    await act('move');
    expect(await read(gone)).toMatchObject(refused);
    expect((await read(kept)).errors).toBeUndefined();
    const { eventCount } = await database.prisma.session.findUniqueOrThrow({ where: { id: uuid } });
    const old = (await cursorsOf(database.pool)).encode({ stream: 'session', of: uuid, number: eventCount - 1 }, null);
    expect((await read(old)).data.sessionEvents.edges).toHaveLength(1);
    const position = (await cursorsOf(database.pool)).encode({ stream: 'all', number: 1 }, null);
    expect(await first(fresh, subscription, position)).not.toHaveProperty('errors');
    await fresh.stop();
  });

  it('is said once in the log, in /readyz and in the metrics, also while no stream is open', async () => {
    const quiet = await server();
    const looking = startLooking(quiet.streams);
    atEnd(() => looking.stop());
    const readyz = async (): Promise<unknown> => (await fetch(`${quiet.url}/readyz`)).json();
    const counted = async (): Promise<string | undefined> =>
      /^baton_history_went_back_total\{witness="server"\} (\d+)$/m.exec(
        await (await fetch(`${quiet.url}/metrics`)).text(),
      )?.[1];
    expect([await readyz(), await counted()]).toEqual([{ status: 'ok' }, '0']);
    await keep();
    await act('turn');
    await quiet.streams.positioned();
    await quiet.streams.look();
    expect([await readyz(), await counted()]).toEqual([{ status: 'ok' }, '0']);
    errors.length = 0;
    await goBack();
    await vi.waitFor(async () => expect(await readyz()).toEqual({ status: 'ok', degraded: ['history'] }), wait);
    await quiet.streams.look();
    expect(await counted()).toBe('1');
    expect(errors.filter((line) => line.startsWith('The database went back'))).toHaveLength(1);
    await looking.stop();
    await quiet.stop();
  });

  it('does not end takeHandoffs, which takes what comes afterwards', async () => {
    const taken: string[] = [];
    const stopping = new AbortController();
    const taking = takeHandoffs(
      {
        url: servers[0]!.url,
        agentId: 'eve',
        webSocket: WebSocket,
        signal: stopping.signal,
      },
      async ({ session }) => void taken.push(session.id),
    );
    const give = async (): Promise<string> => {
      const id = await session('ada');
      await reassign(id, { agentId: 'eve' });
      return encodeId('session', id);
    };
    const before = await give();
    await vi.waitFor(() => expect(taken).toContain(before), wait);
    await keep();
    const lost = await give();
    await vi.waitFor(() => expect(taken).toContain(lost), wait);
    await goBack();
    const after = [await give(), await give()];
    await vi.waitFor(() => expect(taken).toEqual(expect.arrayContaining(after)), wait);
    stopping.abort();
    await taking;
  });

  it('is written again by the event log while it runs, and every webhook gets what is new', async () => {
    const folder = temporaryFolder('baton-history');
    const file = join(folder, 'events.jsonl');
    const own = createDatabase(database.url, silentLog);
    atEnd(() => own.close());
    const place = { ...database, ...own };
    const positioned = () => servers[0]!.streams.positioned();
    const eventLog = new EventLog({
      file,
      bytes: 1e9,
      pool: own.pool,
      positioned,
      bodies: bodiesOf(place),
      log: silentLog,
    });
    const { url, received } = await receiver();
    const { post } = client(servers[0]!.url);
    await post(`mutation { createWebhook(input: { url: "${url}" }) { __typename } }`);
    delivering(place);
    await act('move');
    await eventLog.catchUp();
    await vi.waitFor(() => expect(received.length).toBeGreaterThan(0), wait);
    await keep();
    for (let n = 0; n < 3; n += 1) await act('move');
    await eventLog.catchUp();
    await goBack();
    for (let n = 0; n < 7; n += 1) await act(n % 2 === 0 ? 'move' : 'turn');
    await vi.waitFor(() => eventLog.catchUp(), wait);
    await eventLog.close();
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
    const again = lines.map((line) => JSON.parse(line) as { position: number; event: { id: string } });
    const { rows } = await database.pool.query<{ id: string }>(
      'SELECT event_id AS id FROM event_positions ORDER BY position',
    );
    const ids = rows.map(({ id }) => encodeId('event', id));
    expect(again.slice(again.findLastIndex(({ position }) => position === 1)).map(({ event }) => event.id)).toEqual(
      ids,
    );
    const all = await eventsOf({ kind: 'handoffEvents' });
    await vi.waitFor(() => {
      const known = new Set(received.map(({ event }) => event.id));
      expect(all.slice(-5).filter((id) => !known.has(id))).toEqual([]);
    }, wait);
  });
});

it('nothing is said when every connection is cut and the database is another copy without a loss', async () => {
  const [each] = servers as [StartedApp];
  const followers = topics().map((topic) => follow(each, topic));
  await Promise.all(followers.map(({ stream }) => stream.ready));
  await act('move');
  await act('move');
  await Promise.all(followers.map(isWhole));
  errors.length = 0;
  await keep();
  await goBack();
  await each.streams.look();
  await act('move');
  await act('move');
  await Promise.all(followers.map(isWhole));
  expect(followers.map(({ parts }) => parts.length)).toEqual([1, 1, 1]);
  expect(errors).toEqual([]);
});
