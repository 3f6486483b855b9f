import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { findMatches } from './find.ts';
import { newestTwentieth } from './newest.ts';
import type { Found, Search } from './query.ts';
import { type Kind, termsOf } from './terms.ts';

const { pool } = await testDatabase();
const kinds: Kind[] = ['AGENT', 'MESSAGE', 'TOOL_CALL'];
let newestFrom: string | null = null;

// 4,000 entries, whose words are in each, in some, in old ones only or in new ones only, and Agents whose ids sort before, among and after them.
beforeAll(async () => {
  await pool.query(`CREATE FUNCTION entry_id(n int) RETURNS uuid LANGUAGE sql IMMUTABLE RETURN ('0000' || lpad(to_hex(n), 4, '0') || '-0000-7000-8000-000000000000')::uuid;
    INSERT INTO agents (id, type, name, administrative_status, max_capacity, current_load, total_assigned, inbox_sequence, registered_at)
      SELECT id, 'CLAUDE', 'all seventh', 'AVAILABLE', 5, 0, 0, 0, now() FROM unnest(ARRAY['00000-a', '00000500-b', 'zoe']) id;
    INSERT INTO sessions (id, title, status, version, context_variables, handoffs_enabled, max_handoffs, operator_epoch, message_count, turn_count, tool_call_count, handoff_count, event_count, visible_from, visible_calls_from, created_at, updated_at, last_activity_at)
      VALUES (entry_id(0), 'Another', 'PAUSED', 1, '{}', true, 5, 0, 0, 0, 0, 0, 1, 1, 1, now(), now(), now());
    INSERT INTO search_entries (kind, id, session_id, sequence, words)
      SELECT (ARRAY['MESSAGE', 'MESSAGE', 'TOOL_CALL'])[1 + n % 3], entry_id(n), entry_id(0), n, concat_ws(' ', 'all:1', CASE WHEN n % 7 = 0 THEN 'seventh:2' END, CASE WHEN n < 300 THEN 'older:3' END, CASE WHEN n > 3950 THEN 'olden:3' END, CASE WHEN n % 3 = 0 THEN 'allow:4' END, 'n' || n % 400 || ':5')::tsvector
      FROM generate_series(1, 4000) n`);
  await pool.query('ANALYZE search_entries');
  newestFrom = await newestTwentieth(pool);
  expect(newestFrom).not.toBeNull();
});

const asked = (query: string, types: readonly Kind[], more: Partial<Search> = {}): Search => ({
  newestFrom,
  terms: termsOf(query),
  named: [],
  types,
  caller: { role: 'ADMIN', agentId: null },
  sessionIds: null,
  after: null,
  sessionId: null,
  ...more,
});

it('pages of any size give every match once, in the order of one page of all', async () => {
  const search = fc.record({
    query: fc.constantFrom(
      'all',
      'al',
      'seventh',
      'seventh all',
      'old',
      'older',
      'n1',
      'n17',
      'all -seventh',
      'seventh al',
      'n17 ol',
      'all ol',
      '"all seventh" n1',
      'all seventh -older n3',
      '"all seventh"',
      'none',
    ),
    types: fc.subarray(kinds, { minLength: 1 }),
    from: fc.constantFrom('known', 'unknown'),
    size: fc.integer({ min: 1, max: 90 }),
    pages: fc.integer({ min: 1, max: 8 }),
  });
  await fc.assert(
    fc.asyncProperty(search, async ({ query, types, from, size, pages }) => {
      const more = from === 'known' ? {} : { newestFrom: null };
      const [all, one] = [await findMatches(pool, asked(query, types, { newestFrom: null }), 10_000), []] as [
        Found[],
        Found[],
      ];
      for (let page = 0, after: Found | null = null; page < pages; page += 1) {
        const rows: Found[] = await findMatches(pool, asked(query, types, { ...more, after }), size);
        one.push(...rows);
        after = rows.at(-1) ?? null;
        if (after === null) break;
      }
      const ids = (rows: Found[]): string[] => rows.map(({ kind, id, rank }) => `${rank} ${kind} ${id}`);
      expect(ids(one)).toEqual(ids(all).slice(0, size * pages));
    }),
    { numRuns: 80 },
  );
});

it.each([
  ['all', 'all', 'all:*'],
  ['seventh', 'seventh', 'seventh:*'],
  ['older', 'older', 'older:*'],
  ['olden', 'olden', 'olden:*'],
  ['n17', 'n17', 'n17:*'],
  // One in seven, one in 400 and all have the word before the prefix.
  ['seventh al', 'seventh & al', 'seventh & al:*'],
  ['n17 ol', 'n17 & ol', 'n17 & ol:*'],
  ['all ol', 'all & ol', 'all & ol:*'],
  ['-n17 all seventh ol', 'all & seventh & ol & !n17', 'all & seventh & ol:* & !n17'],
])('finds for %s what a scan finds without an index', async (query, exact, any) => {
  const { rows } = await pool.query<{ id: string }>(
    `SELECT id FROM search_entries WHERE (words @@ $1::tsquery) IS TRUE
     ORDER BY ((words @@ $2::tsquery) IS TRUE) DESC, id DESC LIMIT 50`,
    [any, exact],
  );
  for (const from of [newestFrom, null]) {
    const found = await findMatches(pool, asked(query, ['MESSAGE', 'TOOL_CALL'], { newestFrom: from }), 50);
    expect(found.map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
  }
});

it('a position that no page gave finds something or nothing, and never fails', async () => {
  const position = fc.record({
    rank: fc.integer({ min: -1, max: 4 }),
    kind: fc.constantFrom<Kind>(...kinds, 'SESSION'),
    id: fc.oneof(
      fc.uuid(),
      fc.string({ maxLength: 60 }).map((id) => id.replaceAll('\0', '')),
    ),
    newest: fc.option(fc.uuid()),
  });
  await fc.assert(
    fc.asyncProperty(position, fc.constantFrom('all ', 'al', 'old'), async (after, query) => {
      await findMatches(pool, asked(query, kinds, { after }), 5);
    }),
    { numRuns: 60 },
  );
});
