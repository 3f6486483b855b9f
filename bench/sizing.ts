import type { Pool } from 'pg';
import { encodeId } from '../server/core/ids.ts';
import { loadBulk } from '../test/bulk.ts';
import { callers } from './callers.ts';
import { requestsPerSecond } from './httpLoad.ts';
import { startBaton } from './listening.ts';
import { idleMemory, probe, startProbed, toBaton } from './live.ts';
import type { Place } from './place.ts';
import { loadWork, sessionIdOf } from './reassignData.ts';
import { digits, spread, type Line } from './report.ts';
import { alternate } from './rounds.ts';

const clients = 8;
const log = { agents: 100, sessions: 200, turns: 200 };
const program = ['--import', 'tsx', 'server/main.ts'];

/** What one process and one PostgreSQL carry: acts and lists a second, idle sockets, bytes on the disk, and queries of 300,000 handoffs. */
export async function sizing(place: Place, say: (line: string) => void): Promise<Line[]> {
  return [...(await acts(place, say)), ...(await idle(place, say)), ...(await large(place, say))];
}

async function acts(place: Place, say: (line: string) => void): Promise<Line[]> {
  const { url, pool, patient } = await place.database();
  await loadWork(url, log);
  const { rows } = await patient.query<{ id: string }>(
    `SELECT ${sessionIdOf('n')} AS id FROM generate_series(0, ${log.sessions - 1}) n ORDER BY n`,
  );
  const ids = rows.map(({ id }) => encodeId('session', id));
  const keys = await callers(pool);
  const server = await startProbed(program, { DATABASE_URL: url, PORT: '0', BATON_DEMO: '0' });
  place.atEnd(server.stop);
  const mutation = (name: string, Input: string, inputs: object[]): string[] =>
    inputs.map((input) =>
      JSON.stringify({
        query: `mutation ($input: ${Input}!) { ${name}(input: $input) { __typename } }`,
        variables: { input },
      }),
    );
  const query = JSON.stringify({
    query:
      '{ handoffs(first: 20) { nodes { id status via reason depth initiatedAt sourceAgent { id name type } targetAgent { id name type } session { id title status } } pageInfo { hasNextPage endCursor } } }',
  });
  let move = 0;
  const bodies: Record<string, () => string | string[]> = {
    appendTurn: () =>
      mutation(
        'appendTurn',
        'AppendTurnInput',
        ids.map((sessionId) => ({
          sessionId,
          messages: [{ role: 'ASSISTANT', content: 'The tests are green and the branch is pushed. '.repeat(10) }],
          toolCalls: [
            { callId: 'call', name: 'Bash', arguments: { command: 'npm test' }, result: 'passed '.repeat(60) },
          ],
        })),
      ),
    reassignSession: () => (
      (move += 37),
      mutation(
        'reassignSession',
        'ReassignSessionInput',
        ids.map((sessionId, n) => ({ sessionId, agentId: `agent-${(n + move) % log.agents}` })),
      )
    ),
    'handoffs(first: 20)': () => query,
  };
  const lines: Line[] = [];
  for (const [what, bodyOf] of Object.entries(bodies)) {
    const [seconds, bytes] = [await probe(server, 'seconds'), await sizeOf(patient)];
    let requests = 0;
    const { perSecond } = await alternate(3, {
      perSecond: () => {
        requests += log.sessions;
        return requestsPerSecond({
          url: `${server.url}/graphql`,
          body: bodyOf(),
          callers: keys,
          clients,
          times: log.sessions,
        });
      },
    });
    const [ms, kb] = [((await probe(server, 'seconds')) - seconds) * 1_000, ((await sizeOf(patient)) - bytes) / 1024];
    const grows = what.startsWith('handoffs') ? '' : `; the database grows by ${digits(kb / requests)} KB each`;
    lines.push({
      what: `\`${what}\` over HTTP, ${clients} clients, ${log.turns} turns of log`,
      figure: `${spread(perSecond, 'a second')}; ${digits(ms / requests)} ms of the server's processor${grows}`,
    });
    say(`  ${lines.at(-1)!.what}: ${lines.at(-1)!.figure}`);
  }
  const { rows: counts } = await patient.query<{ handoffs: number; turns: number }>(
    'SELECT (SELECT count(*)::int FROM handoffs) AS handoffs, (SELECT count(*)::int FROM turns) AS turns',
  );
  if (counts[0]!.handoffs < 3 * log.sessions || counts[0]!.turns < log.sessions * (log.turns + 4))
    throw new Error(`some were refused: ${JSON.stringify(counts[0])}`);
  await server.stop();
  return lines;
}

async function idle(place: Place, say: (line: string) => void): Promise<Line[]> {
  const { url } = await place.database();
  const lines: Line[] = [];
  for (const sockets of [5_000, 9_500]) {
    const kb = await idleMemory(
      () => startProbed(program, { DATABASE_URL: url, PORT: '0', BATON_HEARTBEAT_SECONDS: '12', BATON_DEMO: '0' }),
      toBaton,
      sockets,
    );
    lines.push({
      what: `memory of an idle socket with its subscription, ${sockets.toLocaleString('en-US')} of them`,
      figure: `${digits(kb)} KB`,
    });
    say(`  ${lines.at(-1)!.what}: ${lines.at(-1)!.figure}`);
  }
  return lines;
}

const queries: Record<string, string> = {
  'the newest 20 handoffs':
    '{ handoffs(first: 20) { nodes { id status sourceAgent { id } targetAgent { id } session { id title } } } }',
  'the newest 20 handoffs to an agent':
    '{ handoffs(first: 20, where: { targetAgentId: "agent-3" }) { nodes { id status session { id title } } } }',
  'the newest 20 sessions':
    '{ sessions(first: 20) { nodes { id title status agent { id } lastHandoff { id status } } } }',
  '20 running sessions': '{ sessions(first: 20, where: { status: [RUNNING] }) { nodes { id title } } }',
  'the graph': '{ handoffGraph(first: 250) { pairCount edges { source { id } target { id } count successRate } } }',
  '`handoffs` with `totalCount`': '{ handoffs(first: 1) { totalCount nodes { id } } }',
};

async function large(place: Place, say: (line: string) => void): Promise<Line[]> {
  const open = async (sessions: number) => {
    const { url, pool, patient } = await place.database();
    await loadBulk(url, { sessions, handoffs: 10, turns: 5, agents: 20 });
    // Else the server times them out meanwhile.
    await patient.query(`UPDATE handoffs SET deadline_at = now() + interval '1 year' WHERE status = 'INITIATED'`);
    const keys = await callers(pool);
    const server = await startBaton({ DATABASE_URL: url });
    place.atEnd(server.stop);
    const ms = async (query: string): Promise<number> =>
      1_000 /
      (await requestsPerSecond({
        url: `${server.url}/graphql`,
        body: JSON.stringify({ query }),
        callers: keys,
        clients: 1,
        times: 20,
      }));
    return { patient, ms };
  };
  const [few, many] = [await open(1_000), await open(30_000)];
  const { rows } = await many.patient.query<{ name: string; rows: number; bytes: number }>(
    `SELECT relname AS name, reltuples::float8 AS rows, pg_total_relation_size(oid)::float8 AS bytes FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND reltuples > 10000 ORDER BY bytes DESC`,
  );
  const lines: Line[] = rows.map(({ name, rows: count, bytes }) => ({
    what: `\`${name}\` with indexes`,
    figure: `${Math.round(bytes / count)} bytes a row`,
    beside: `${Math.round(count).toLocaleString('en-US')} rows, ${Math.round(bytes / 1e6)} MB`,
  }));
  lines.unshift({
    what: 'the database of 300,000 handoffs',
    figure: `${Math.round((await sizeOf(many.patient)) / 1e6).toLocaleString('en-US')} MB`,
  });
  for (const [what, query] of Object.entries(queries)) {
    const times = await alternate(3, { few: () => few.ms(query), many: () => many.ms(query) });
    lines.push({
      what: `${what}, 300,000 handoffs`,
      figure: spread(times.many, 'ms'),
      beside: `10,000 handoffs: ${spread(times.few, 'ms')}`,
    });
  }
  for (const { what, figure, beside = '' } of lines) say(`  ${what}: ${figure} ${beside}`);
  return lines;
}

async function sizeOf(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ bytes: number }>('SELECT pg_database_size(current_database())::float8 AS bytes');
  return rows[0]!.bytes;
}
