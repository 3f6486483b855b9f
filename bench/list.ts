import { fileURLToPath } from 'node:url';
import type { Pool } from 'pg';
import { encodeId } from '../server/core/ids.ts';
import { loadBulk } from '../test/bulk.ts';
import { post } from './api.ts';
import { callers } from './callers.ts';
import { requestsPerSecond } from './httpLoad.ts';
import { startBaton, startListening } from './listening.ts';
import type { Place } from './place.ts';
import { findPostgraphile } from './postgraphile.ts';
import { atLeast, spread, type Line } from './report.ts';
import { alternate, ratioOf, type Rounds } from './rounds.ts';

const size = { sessions: 20_000, handoffs: 2, agents: 1_000 };
const load = { clients: 8, times: 1_500 };
const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

const query = `query List($first: Int!) { handoffs(first: $first) {
  nodes { id status via reason depth initiatedAt acceptedAt sourceAgent { id name type } targetAgent { id name type } session { id title status } }
  pageInfo { hasNextPage endCursor } } }`;
const graphileQuery = `query List($first: Int!) { allHandoffs(first: $first, orderBy: [INITIATED_AT_DESC, ROW_ID_DESC]) {
  nodes { rowId status via reason depth initiatedAt acceptedAt agentBySourceAgentId { rowId name type } agentByTargetAgentId { rowId name type } sessionBySessionId { rowId title status } }
  pageInfo { hasNextPage endCursor } } }`;
const variables = { first: 20 };

/** The list that a dashboard opens with, over HTTP, beside the least that could send the same and beside PostGraphile. */
export async function list(place: Place, say: (line: string) => void): Promise<Line[]> {
  const { url, pool, patient } = await place.database();
  await loadBulk(url, size);
  await storePublicIds(patient);

  const keys = await callers(pool);
  const ours = await startBaton({ DATABASE_URL: url });
  place.atEnd(ours.stop);
  const body = JSON.stringify({ query, variables });
  const answer = await post({ url: `${ours.url}/graphql`, body, authorization: keys[0] });
  const bare = await startListening(process.execPath, [here('bareServer.mjs'), url, tailOf(answer)]);
  place.atEnd(bare.stop);
  const same = await post({ url: bare.url, body });
  if (same !== answer) throw new Error(`the bare server answers something else:\n${same}\n${answer}`);
  const contestants = {
    baton: () => requestsPerSecond({ url: `${ours.url}/graphql`, body, callers: keys, ...load }),
    bare: () => requestsPerSecond({ url: bare.url, body, ...load }),
  };
  const what = `\`handoffs(first: 20)\` with source, target and session over HTTP keep-alive, keys and limits on, ${load.clients} clients, ${Buffer.byteLength(answer)} bytes`;

  const found = findPostgraphile(say);
  if (found === null) {
    const { baton, bare: reference } = await alternate(7, contestants);
    return [againstBare(what, baton, reference), { what: 'the same beside PostGraphile 5', figure: '', beside: 'nothing: it could not be installed' }];
  }
  const graphile = await startListening(found.node, [here('postgraphileServer.mjs'), found.folder, url]);
  place.atEnd(graphile.stop);
  const graphileBody = JSON.stringify({ query: graphileQuery, variables });
  demandSameRows(answer, await post({ url: graphile.url, body: graphileBody }));
  const { baton, bare: reference, postgraphile } = await alternate(7, {
    ...contestants,
    postgraphile: () => requestsPerSecond({ url: graphile.url, body: graphileBody, ...load }),
  });
  const ratio = ratioOf(baton, postgraphile);
  return [
    againstBare(what, baton, reference),
    {
      what: 'the same rows and columns',
      figure: spread(baton, 'a second'),
      beside: `PostGraphile 5 on Node 22, which it asks for: ${spread(postgraphile, 'a second')}`,
      ratio,
      goal: atLeast(ratio.median, 0.9),
    },
  ];
}

function againstBare(what: string, baton: Rounds, bare: Rounds): Line {
  const ratio = ratioOf(baton, bare);
  return {
    what,
    figure: spread(baton, 'a second'),
    beside: `\`node:http\` and one prepared statement that builds the same bytes: ${spread(bare, 'a second')}`,
    ratio,
    goal: atLeast(ratio.median, 0.4),
  };
}

/** What follows the data: the bare server sends that too. */
const tailOf = (answer: string): string => answer.slice(`{"data":${JSON.stringify((JSON.parse(answer) as { data: object }).data)}`.length);

/** The handoffs that two servers answer, by what is the same in both schemas. */
function demandSameRows(ours: string, theirs: string): void {
  const values = (text: string): string[] =>
    [...text.matchAll(/"(?:title|initiatedAt|name|depth)":("[^"]*"|\d+)/g)].map(([, value]) => {
      const time = /^"\d{4}-\d\d-\d\dT/.test(value!) ? Date.parse(value!.slice(1, -1)) : Number.NaN;
      return Number.isNaN(time) ? value! : String(time);
    });
  const [a, b] = [values(ours), values(theirs)];
  if (a.length < 20 || JSON.stringify(a) !== JSON.stringify(b)) throw new Error(`PostGraphile answers other rows:\n${theirs}\n${ours}`);
}

/** For the bare server, which spends nothing on making them. */
async function storePublicIds(pool: Pool): Promise<void> {
  for (const [table, prefix] of [['handoffs', 'handoff'], ['sessions', 'session']] as const) {
    await pool.query(`ALTER TABLE ${table} ADD COLUMN public_id text`);
    const { rows } = await pool.query<{ id: string }>(`SELECT id FROM ${table}`);
    const ids = rows.map(({ id }) => id);
    const values = [ids, ids.map((id) => encodeId(prefix, id))];
    await pool.query(`UPDATE ${table} t SET public_id = n.public_id FROM unnest($1::uuid[], $2::text[]) n (id, public_id) WHERE t.id = n.id`, values);
  }
  await pool.query('VACUUM ANALYZE');
}
