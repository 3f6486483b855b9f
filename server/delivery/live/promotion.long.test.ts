import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { beforeAll, expect, it, vi } from 'vitest';
import { atEnd } from '../../../test/database.ts';
import { client, send } from '../../../test/graphql.ts';
import { connect } from '../../../test/mcp.ts';
import { installMissing, systemInstaller } from '../../../test/programs.ts';
import { startServer } from '../../../test/server.ts';
import { rawSocket, sseStream } from '../../../test/socket.ts';
import { postgresProgram, streamingReplica, type Node } from '../../../test/streamingReplica.ts';
import { tcpProxy } from '../../../test/tcpProxy.ts';
import { startWatch, watchPlace } from '../../../test/watching.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
const until = { timeout: 60_000, interval: 50 };

let primary: Node;
let replica: Node;
beforeAll(async () => {
  const problem = installMissing([postgresProgram], systemInstaller);
  if (problem !== null) throw new Error(problem);
  ({ primary, replica } = await streamingReplica(atEnd));
});

const portOf = ({ url }: Node): number => Number(new URL(url).port);

it('a standby that lacks commits and is promoted: every client is told, reads again, and gets what comes then', async () => {
  const proxy = await tcpProxy(portOf(primary));
  atEnd(() => proxy.close());
  const databaseUrl = primary.url.replace(`:${portOf(primary)}`, `:${proxy.port}`);
  const { url, logs } = await startServer({ databaseUrl });
  const { post } = client(url);
  const made = async (mutation: string, input: object, selection: string): Promise<Record<string, { id: string }>> => {
    const type = `${mutation[0]!.toUpperCase()}${mutation.slice(1)}`;
    const { data } = await post<{ made: Record<string, { id: string }> }>(
      `mutation ($input: ${type}Input!) { made: ${mutation}(input: $input) { ... on ${type}Payload { ${selection} } } }`,
      { input },
    );
    return data.made;
  };
  for (const id of ['ada', 'bob'])
    await made('registerAgent', { id, type: 'CLAUDE', maxCapacity: 100 }, 'agent { id }');
  const handOver = async (): Promise<string> => {
    const { session } = await made('createSession', { title: 'Work', agentId: 'ada' }, 'session { id }');
    const { handoff } = await made('reassignSession', { sessionId: session!.id, agentId: 'bob' }, 'handoff { id }');
    return handoff!.id;
  };

  const place = watchPlace();
  const ran = join(place.root, 'ran');
  appendFileSync(ran, '');
  const runs = (): string[] => readFileSync(ran, 'utf8').split('\n');
  const watching = await startWatch(place, [
    ...['--agent', 'bob', '--any', '--exec', `echo $BATON_HANDOFF >> ${ran}`, '--url', url],
  ]);
  const model = await connect(url, '/ada');
  let told = 0;
  model.client.setNotificationHandler(ToolListChangedNotificationSchema, () => void (told += 1));
  const socket = await rawSocket(url);
  atEnd(() => socket.terminate());
  await socket.init();
  const subscription = 'subscription ($after: String) { handoffEvents(after: $after) { type cursor handoff { id } } }';
  socket.subscribe('1', subscription);
  const sse = await sseStream(url, 'subscription { handoffAssigned(agentId: "bob") { type cursor handoff { id } } }');
  type Got = { handoffEvents: { cursor: string; handoff: { id: string } | null } };
  const nextOf = async (id: string): Promise<Got['handoffEvents']> => {
    for (;;) {
      const { data, errors } = await socket.result<Got>('1');
      expect(errors).toBeUndefined();
      if (data!.handoffEvents.handoff?.id === id) return data!.handoffEvents;
    }
  };

  const kept = await handOver();
  const { cursor: keptCursor } = await nextOf(kept);
  await vi.waitFor(() => expect(runs()).toContain(kept), until);
  await vi.waitFor(async () => {
    const [{ at }] = (await primary.query<{ at: string }>('SELECT pg_current_wal_lsn() AS at')) as [{ at: string }];
    expect(await replica.query(`SELECT pg_last_wal_replay_lsn() >= '${at}'::pg_lsn AS has`)).toEqual([{ has: true }]);
  }, until);

  // What is written now, the standby never gets.
  await replica.query(`ALTER SYSTEM SET primary_conninfo = ''`);
  await replica.query('SELECT pg_reload_conf()');
  await vi.waitFor(async () => expect(await primary.query('SELECT pid FROM pg_stat_replication')).toEqual([]), until);
  await made('updateAgent', { id: 'ada', collaborators: ['bob'] }, 'agent { id }');
  const lost = [await handOver(), await handOver(), await handOver()];
  const { cursor: lostCursor } = await nextOf(lost.at(-1)!);
  await vi.waitFor(() => expect(runs()).toContain(lost.at(-1)), until);
  await vi.waitFor(async () => expect(await model.tools()).toContain('transfer_to_bob'), until);
  const toldBefore = told;
  await primary.kill();
  await replica.query('SELECT pg_promote()');
  proxy.aim(portOf(replica));

  const wentBack = { errors: [{ extensions: { code: 'CURSOR_EXPIRED', reason: 'HISTORY_WENT_BACK' } }] };
  for (const next of [() => socket.result('1'), () => sse.result()]) {
    let result = await next();
    while (result.errors === undefined) result = await next();
    expect(result).toMatchObject(wentBack);
  }
  const after = async (cursor: string): Promise<unknown> => {
    const stream = await sseStream(url, subscription, { after: cursor });
    const result = await stream.result();
    stream.close();
    return result;
  };
  expect(await after(lostCursor)).toMatchObject(wentBack);
  expect(await after(keptCursor)).not.toHaveProperty('errors');
  expect(JSON.parse((await send(`${url}/readyz`)).body)).toMatchObject({ degraded: ['history'] });
  expect((await send(`${url}/metrics`)).body).toMatch(/^baton_history_went_back_total\{witness="server"\} 1$/m);
  expect(logs.filter((line) => line.includes('The database went back'))).toHaveLength(1);

  socket.subscribe('2', subscription);
  await socket.result('2');
  const given = [await handOver(), await handOver()];
  await vi.waitFor(() => expect(runs()).toEqual(expect.arrayContaining(given)), until);
  await vi.waitFor(() => expect(told).toBeGreaterThan(toldBefore), until);
  expect(await model.tools()).not.toContain('transfer_to_bob');
  watching.kill('SIGTERM');
  expect(await watching.exited).toBe(0);
  for (const id of runs().filter(Boolean)) expect(runs().filter((one) => one === id)).toHaveLength(1);
});
