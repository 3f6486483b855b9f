import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { loadBulk } from '../test/bulk.ts';
import { childrenOf } from '../test/processes.ts';
import { streamingReplica, type Node } from '../test/streamingReplica.ts';
import { requestsPerSecond } from './httpLoad.ts';
import { startBaton } from './listening.ts';
import type { Place } from './place.ts';
import { digits, spread, type Line } from './report.ts';
import { alternate, measured, ratioOf } from './rounds.ts';

const load = { clients: 8, times: 800 };
const rounds = 3;
const lists = {
  'the newest 20 handoffs':
    '{ handoffs(first: 20) { nodes { id status sourceAgent { id } targetAgent { id } session { id title } } } }',
  '`handoffs` with `totalCount` of 40,000': '{ handoffs(first: 1) { totalCount nodes { id } } }',
};

/** What a replica takes from its primary, on the same machine: lists a second, and processor time of both PostgreSQL. */
export async function replica(place: Place, say: (line: string) => void): Promise<Line[]> {
  const { primary, replica: standby } = await streamingReplica((undo) => place.atEnd(undo));
  await loadBulk(primary.url, { sessions: 20_000, handoffs: 2, agents: 20 });
  // Else the servers time them out meanwhile.
  await primary.query(`UPDATE handoffs SET deadline_at = now() + interval '1 year' WHERE status = 'INITIATED'`);
  await primary.query('VACUUM');
  await primary.query('CHECKPOINT');
  const positionOf = async (node: Node, what: string): Promise<number> =>
    (await node.query<{ at: number }>(`SELECT pg_wal_lsn_diff(${what}(), '0/0')::float8 AS at`))[0]!.at;
  for (
    const loaded = await positionOf(primary, 'pg_current_wal_flush_lsn');
    (await positionOf(standby, 'pg_last_wal_replay_lsn')) < loaded;
    await wait(100)
  );
  const alone = await startBaton({ DATABASE_URL: primary.url });
  const beside = await startBaton({ DATABASE_URL: primary.url, DATABASE_REPLICA_URL: standby.url });
  for (const server of [alone, beside]) place.atEnd(server.stop);
  await wait(2_000);
  const lines: Line[] = [];
  for (const [what, query] of Object.entries(lists)) {
    const spent: Record<string, number[]> = { alone: [], 'primary beside a replica': [], replica: [] };
    const ask = async (url: string, servers: Record<string, Node>): Promise<number> => {
      const before = Object.fromEntries(Object.entries(servers).map(([name, { pid }]) => [name, processorMs(pid)]));
      const perSecond = await requestsPerSecond({ url: `${url}/graphql`, body: JSON.stringify({ query }), ...load });
      for (const [name, { pid }] of Object.entries(servers))
        spent[name]!.push((processorMs(pid) - before[name]!) / load.times);
      return perSecond;
    };
    const results = await alternate(rounds, {
      alone: () => ask(alone.url, { alone: primary }),
      beside: () => ask(beside.url, { 'primary beside a replica': primary, replica: standby }),
    });
    const answered = await Promise.all(
      ['replica', 'primary'].map(async (from) =>
        Number(
          new RegExp(`^baton_queries_total{from="${from}"} (.*)$`, 'm').exec(
            await (await fetch(`${beside.url}/metrics`)).text(),
          )?.[1] ?? 0,
        ),
      ),
    );
    const ms = Object.entries(spent)
      .map(([name, values]) => `${name} ${digits(measured(values).median)}`)
      .join(', ');
    lines.push({
      what: `${what} with a replica on the same machine, ${load.clients} clients. Processor time of PostgreSQL for each query, ms: ${ms}`,
      figure: spread(results.beside, 'a second'),
      beside: `${answered[0]} queries so far read the replica, ${answered[1]} the primary; without a replica: ${spread(results.alone, 'a second')}`,
      ratio: ratioOf(results.beside, results.alone),
    });
    say(`  ${lines.at(-1)!.what}: ${lines.at(-1)!.figure}, ${lines.at(-1)!.beside}`);
  }
  return lines;
}

/** User and system time of a PostgreSQL, in milliseconds: of its first process, of those that ended, and of those that run. */
const processorMs = (pid: number): number =>
  [pid, ...childrenOf(pid)].reduce((sum, each) => sum + ticksOf(each) * 10, 0);

function ticksOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  // utime, stime, cutime, cstime
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0);
}
