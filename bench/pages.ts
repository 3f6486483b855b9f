import { encodeCursor } from '../server/api/graphql/page.ts';
import { loadBulk } from '../test/bulk.ts';
import { callers } from './callers.ts';
import { requestsPerSecond } from './httpLoad.ts';
import { startBaton } from './listening.ts';
import type { Place } from './place.ts';
import { atMost, spread, type Line } from './report.ts';
import { alternate, ratioOf } from './rounds.ts';

const size = { sessions: 100_000, handoffs: 2, agents: 1_000 };
const goal = 1.5;
const byInitiation = {
  name: 'handoff INITIATED_AT',
  columns: { initiatedAt: 'time', id: 'uuid' },
  direction: 'desc',
} as const;
const query =
  'query Page($after: String) { handoffs(first: 20, after: $after) { nodes { id status sourceAgent { id } targetAgent { id } session { id title } } pageInfo { endCursor } } }';

/** Reads pages of 20 from 200,000 handoffs, one request at a time, at several depths. */
export async function pages(place: Place): Promise<Line[]> {
  const { url, pool, patient } = await place.database();
  await loadBulk(url, size);
  const keys = await callers(pool);
  const server = await startBaton({ DATABASE_URL: url });
  place.atEnd(server.stop);
  const msAt = async (depth: number): Promise<() => Promise<number>> => {
    const { rows } = await patient.query<{ initiatedAt: Date; id: string }>(
      'SELECT initiated_at AS "initiatedAt", id FROM handoffs ORDER BY initiated_at DESC, id DESC OFFSET $1 LIMIT 1',
      [depth],
    );
    const body = JSON.stringify({
      query,
      variables: { after: depth === 0 ? null : encodeCursor(byInitiation, rows[0]!) },
    });
    return async () =>
      1_000 / (await requestsPerSecond({ url: `${server.url}/graphql`, body, callers: keys, clients: 1, times: 200 }));
  };
  const { first, thousand, deep } = await alternate(5, {
    first: await msAt(0),
    thousand: await msAt(1_000),
    deep: await msAt(100_000),
  });
  const line = (depth: string, ms: typeof first): Line => {
    const ratio = ratioOf(ms, first);
    return {
      what: `A page of 20 of 200,000 handoffs at depth ${depth}`,
      figure: spread(ms, 'ms'),
      ...(ms !== first && { beside: 'the first page', ratio, goal: atMost(ratio.median, goal) }),
    };
  };
  return [line('0', first), line('1,000', thousand), line('100,000', deep)];
}
