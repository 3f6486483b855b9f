import type { Pool } from 'pg';
import { appendTurn } from '../server/work/log/appendTurn.ts';
import { findMatches } from '../server/work/search/find.ts';
import { newestTwentieth } from '../server/work/search/newest.ts';
import type { Search } from '../server/work/search/query.ts';
import { kinds, termsOf } from '../server/work/search/terms.ts';
import { loadBulk } from '../test/bulk.ts';
import { world } from '../test/world.ts';
import { callers } from './callers.ts';
import { requestsPerSecond } from './httpLoad.ts';
import { startBaton } from './listening.ts';
import type { Place } from './place.ts';
import { atMost, digits, spread, type Line } from './report.ts';
import { alternate, ratioOf } from './rounds.ts';

const messages = Number(process.env['BATON_BENCH_MESSAGES'] ?? 1_000_000);
const sessions = 10_000;
const goal = 3;
const rounds = 5;

/** Words of which many are frequent and most are rare, as in a language. Each row has a place of its own, so that all have the newest matches. */
const word = (row: string, place: string): string =>
  `'w' || floor(power(50000, (hashint8(${row}::bigint * 31 + ${place}) + 2147483648) / 4294967296.0::float8))::int`;

/** Of words from the most frequent to the rarest: alone, as a beginning, in pairs, in order, without another. */
const mixed = Array.from({ length: 300 }, (_, n) => {
  const rank = (part: number): number => Math.floor(50_000 ** (((n + part * 97) % 300) / 300));
  const [one, other] = [`w${rank(0)}`, `w${rank(1)}`];
  return [`${one} `, one, `${one} ${other} `, `"${one} ${other}"`, `${one} -${other} `][n % 5]!;
});

const searches = [
  { what: 'a rare word', query: 'w4711' },
  { what: 'a word of one message in 250', query: 'w500' },
  { what: 'a word of one message in 15', query: 'w50' },
  { what: 'two frequent words', query: 'w5 w50' },
];

/** Searches a million messages beside the bare scans of the index, and appends turns with and without the index of words. */
export async function search(place: Place, say: (line: string) => void): Promise<Line[]> {
  const { url, pool, patient } = await place.database();
  await loadBulk(url, { sessions, handoffs: 1, agents: 100 });
  await loadMessages(patient);
  const keys = await callers(pool);
  const server = await startBaton({ DATABASE_URL: url });
  place.atEnd(server.stop);
  const lines: Line[] = [await firstPages(`${server.url}/graphql`, keys[0]!)];
  for (const { what, query } of searches) {
    const body = bodyOf(query);
    const bare = `SELECT id FROM search_entries WHERE kind = 'MESSAGE' AND words @@ search_query('${query}') ORDER BY id DESC LIMIT 1000`;
    const asked: Search = {
      newestFrom: await newestTwentieth(patient),
      terms: termsOf(query),
      named: [],
      types: kinds,
      caller: { role: 'OPERATOR', agentId: null },
      sessionIds: null,
      after: null,
      sessionId: null,
    };
    const timed = async (work: () => Promise<unknown>): Promise<number> => {
      const started = performance.now();
      for (let time = 0; time < 30; time += 1) await work();
      return (performance.now() - started) / 30;
    };
    const measured = await alternate(rounds, {
      http: async () =>
        1_000 / (await requestsPerSecond({ url: `${server.url}/graphql`, body, callers: keys, clients: 1, times: 30 })),
      search: () => timed(() => findMatches(patient, asked, 21)),
      scan: () => timed(() => patient.query(bare)),
    });
    const ratio = ratioOf(measured.search, measured.scan);
    say(`  ${what}: ${ratio.median.toFixed(2)}`);
    lines.push({
      what: `\`search\` for 20 of ${messages.toLocaleString('en')} messages, all types: ${what}`,
      figure: `${spread(measured.search, 'ms')}; the whole request over HTTP ${spread(measured.http, 'ms')}`,
      beside: `the bare scan of the index for the newest 1,000: ${spread(measured.scan, 'ms')}`,
      ratio,
      goal: atMost(ratio.median, goal),
    });
  }
  return [...lines, await appending(pool, patient)];
}

const document =
  'query Search($query: String!) { search(query: $query, first: 20) { nodes { ... on Session { id } ... on Agent { id } ... on Handoff { id } ... on Message { id session { id } } } } }';
const bodyOf = (query: string): string => JSON.stringify({ query: document, variables: { query } });

/** Each of the mixed searches once, one at a time, over HTTP, after a round that is not counted. */
async function firstPages(url: string, authorization: string): Promise<Line> {
  const took: number[] = [];
  for (const isCounted of [false, true])
    for (const query of mixed) {
      const started = performance.now();
      const answer = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization },
        body: bodyOf(query),
      });
      if (answer.status !== 200) throw new Error(`${query}: ${await answer.text()}`);
      await answer.arrayBuffer();
      if (isCounted) took.push(performance.now() - started);
    }
  const sorted = took.toSorted((a, b) => a - b);
  const at = (part: number): number => sorted[Math.ceil(sorted.length * part) - 1]!;
  return {
    what: `the first 20 of ${messages.toLocaleString('en')} messages, ${mixed.length} searches of rare and frequent words`,
    figure: `p50 ${digits(at(0.5))} ms, p95 ${digits(at(0.95))} ms, slowest ${digits(at(1))} ms`,
    goal: atMost(at(0.95), 100, ' ms p95'),
  };
}

async function appending(pool: Pool, patient: Pool): Promise<Line> {
  const { agent, session, turn } = world(pool);
  await agent('writer', { maxCapacity: 1_000 });
  const ids = await Promise.all(Array.from({ length: 8 }, () => session('writer')));
  let number = 0;
  const text = (): string =>
    Array.from({ length: 80 }, () => `w${Math.floor(50_000 ** Math.abs(Math.sin((number += 1))))}`).join(' ');
  const turns = (setting: 'ENABLE' | 'DISABLE') => async (): Promise<number> => {
    await patient.query(`ALTER TABLE messages ${setting} TRIGGER search_entries_of_new`);
    const started = performance.now();
    const append = async (sessionId: string): Promise<void> => {
      for (let time = 0; time < 40; time += 1)
        await turn(sessionId, {
          messages: [
            { role: 'USER', content: text() },
            { role: 'ASSISTANT', content: text() },
          ],
        });
    };
    await Promise.all(ids.map(append));
    return (ids.length * 40 * 1_000) / (performance.now() - started);
  };
  const measured = await alternate(rounds, { indexed: turns('ENABLE'), bare: turns('DISABLE') });
  return {
    what: `\`${appendTurn.name}\`, two messages of 80 words, 8 at once`,
    figure: spread(measured.indexed, 'a second'),
    beside: `the same without the words that \`search\` finds: ${spread(measured.bare, 'a second')}`,
    ratio: ratioOf(measured.indexed, measured.bare),
  };
}

async function loadMessages(client: Pool): Promise<void> {
  const id = `(lpad(to_hex(1767225600000 + i * 20::bigint), 12, '0') || '70058' || lpad(to_hex(i::bigint), 15, '0'))::uuid`;
  await client.query(`SET session_replication_role = replica; SET maintenance_work_mem = '256MB'; DROP INDEX search_entries_of_messages;
    INSERT INTO messages (id, session_id, sequence, role, content, agent_session_id, created_at)
      SELECT ${id}, bulk_id(0, 1 + i % ${sessions}, 0), 1 + i / ${sessions}, 'ASSISTANT', 'Message ' || i, bulk_id(1, 1 + i % ${sessions}, 0), to_timestamp(1767225600 + i) FROM generate_series(0, ${messages - 1}) i;
    INSERT INTO search_entries (kind, id, session_id, sequence, words)
      SELECT 'MESSAGE', ${id}, bulk_id(0, 1 + i % ${sessions}, 0), 1 + i / ${sessions}, (SELECT string_agg(${word('i', 'j')} || ':' || j, ' ') FROM generate_series(1, 12) j)::tsvector FROM generate_series(0, ${messages - 1}) i;
    CREATE INDEX search_entries_of_messages ON search_entries USING gin (words) WHERE kind = 'MESSAGE';
    SET session_replication_role = origin`);
  await client.query('VACUUM ANALYZE search_entries');
  await client.query('ANALYZE messages');
}
