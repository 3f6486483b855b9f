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
import { atLeast, digits, spread, type Line } from './report.ts';
import { alternate, ratioOf, type Rounds } from './rounds.ts';

const size = { sessions: 20_000, handoffs: 2, agents: 1_000 };
const load = { clients: 8, times: 800 };
const rounds = 5;
const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

interface List {
  what: string;
  ours: string;
  /** The same rows and columns from PostGraphile 5. */
  theirs: string;
  goal: number;
}

const agent = 'id name type';
const theirAgent = 'rowId name type';
const handoff = 'status via reason depth initiatedAt acceptedAt';
const ours = `id ${handoff} sourceAgent { ${agent} } targetAgent { ${agent} } session { id title status }`;
const theirs = `rowId ${handoff} agentBySourceAgentId { ${theirAgent} } agentByTargetAgentId { ${theirAgent} } sessionBySessionId { rowId title status }`;
const newest = 'orderBy: [INITIATED_AT_DESC, ROW_ID_DESC]';
const created = 'orderBy: [CREATED_AT_DESC, ROW_ID_DESC]';
const page = 'pageInfo { hasNextPage endCursor }';

const lists: [List, ...List[]] = [
  {
    what: 'handoffs(first: 20) with source, target and session',
    ours: `{ handoffs(first: 20) { nodes { ${ours} } ${page} } }`,
    theirs: `{ allHandoffs(first: 20, ${newest}) { nodes { ${theirs} } ${page} } }`,
    goal: 1.1,
  },
  {
    what: 'sessions(first: 20) with agent and last handoff',
    ours: `{ sessions(first: 20) { nodes { id title status version createdAt updatedAt agent { ${agent} } lastHandoff { id status via initiatedAt } } ${page} } }`,
    theirs: `{ allSessions(first: 20, ${created}) { nodes { rowId title status version createdAt updatedAt agentByAgentId { ${theirAgent} } handoffByLastHandoffId { rowId status via initiatedAt } } ${page} } }`,
    goal: 1.1,
  },
  {
    what: 'handoffs(first: 20) to an agent, with source, target and session',
    ours: `{ handoffs(first: 20, where: { targetAgentId: "busy" }) { nodes { ${ours} } ${page} } }`,
    theirs: `{ allHandoffs(first: 20, ${newest}, condition: { targetAgentId: "busy" }) { nodes { ${theirs} } ${page} } }`,
    goal: 1.1,
  },
  {
    what: 'agents(first: 50) by id',
    ours: '{ agents(first: 50, orderBy: { field: ID, direction: ASC }) { nodes { id name type role currentLoad maxCapacity registeredAt } } }',
    theirs:
      '{ allAgents(first: 50, orderBy: [ROW_ID_ASC]) { nodes { rowId name type role currentLoad maxCapacity registeredAt } } }',
    goal: 0.45,
  },
  {
    what: 'handoffs(first: 20) with their Context, field by field',
    ours: `{ handoffs(first: 20) { nodes { id depth initiatedAt toolSummaries { toolName callCount errorCount lastResult } filesModified pendingTasks decisions recentMessages { role content } contextVariables { name value setBy } } } }`,
    theirs: `{ allHandoffs(first: 20, ${newest}) { nodes { rowId depth initiatedAt context } } }`,
    goal: 0.45,
  },
  {
    what: 'sessions(first: 20) with handoffs(first: 5) and their targets',
    ours: '{ sessions(first: 20) { nodes { id title handoffs(first: 5) { nodes { id status depth initiatedAt targetAgent { id name } } } } } }',
    theirs: `{ allSessions(first: 20, ${created}) { nodes { rowId title handoffsBySessionId(first: 5, orderBy: [DEPTH_DESC]) { nodes { rowId status depth initiatedAt agentByTargetAgentId { rowId name } } } } } }`,
    goal: 0.45,
  },
];
const meanGoal = 0.9;

/** Measures lists over HTTP beside PostGraphile, and the dashboard's first list beside a minimal server with the same answer. */
export async function compareLists(place: Place, say: (line: string) => void): Promise<Line[]> {
  const { url, pool, patient } = await place.database();
  await loadBulk(url, size);
  await storePublicIds(patient);

  const keys = await callers(pool);
  const baton = await startBaton({ DATABASE_URL: url });
  place.atEnd(baton.stop);
  const askOurs = (query: string) => post({ url: `${baton.url}/graphql`, body: bodyOf(query), authorization: keys[0] });
  const measureOurs = (query: string) => () =>
    requestsPerSecond({ url: `${baton.url}/graphql`, body: bodyOf(query), callers: keys, ...load });

  const first = lists[0].ours;
  const answer = await askOurs(first);
  const bare = await startListening(process.execPath, [here('bareServer.mjs'), url, tailOf(answer)]);
  place.atEnd(bare.stop);
  const same = await post({ url: bare.url, body: bodyOf(first) });
  if (same !== answer) throw new Error(`the bare server answers something else:\n${same}\n${answer}`);
  const against = await alternate(rounds, {
    baton: measureOurs(first),
    bare: () => requestsPerSecond({ url: bare.url, body: bodyOf(first), ...load }),
  });
  const lines = [
    againstBare(
      `\`${lists[0].what}\` over HTTP keep-alive, keys and limits on, ${load.clients} clients, ${Buffer.byteLength(answer)} bytes`,
      against.baton,
      against.bare,
    ),
  ];

  const found = findPostgraphile(say);
  if (found === null)
    return [
      ...lines,
      { what: 'lists beside PostGraphile 5', figure: '', beside: 'nothing: it could not be installed' },
    ];
  // Its AgentConnection would be of this table, not the list of agents.
  await patient.query(`COMMENT ON TABLE agent_connections IS E'@behavior -*'`);
  const graphile = await startListening(found.node, [here('postgraphileServer.mjs'), found.folder, url]);
  place.atEnd(graphile.stop);
  const ratios: number[] = [];
  for (const { what, ours, theirs, goal } of lists) {
    demandSameRows(await askOurs(ours), await post({ url: graphile.url, body: bodyOf(theirs) }));
    const measured = await alternate(rounds, {
      baton: measureOurs(ours),
      postgraphile: () => requestsPerSecond({ url: graphile.url, body: bodyOf(theirs), ...load }),
    });
    const ratio = ratioOf(measured.baton, measured.postgraphile);
    ratios.push(ratio.median);
    say(`  ${what}: ${digits(ratio.median)}`);
    const beside = `PostGraphile 5 on Node 22, which it asks for: ${spread(measured.postgraphile, 'a second')}`;
    lines.push({
      what: `\`${what}\``,
      figure: spread(measured.baton, 'a second'),
      beside,
      ratio,
      goal: atLeast(ratio.median, goal),
    });
  }
  const mean = Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);
  say(`  geometric mean: ${digits(mean)}`);
  return [
    ...lines,
    {
      what: 'all of these lists',
      figure: '',
      beside: 'PostGraphile 5: the geometric mean',
      ratio: { median: mean, least: Math.min(...ratios), most: Math.max(...ratios) },
      goal: atLeast(mean, meanGoal),
    },
  ];
}

const bodyOf = (query: string): string => JSON.stringify({ query });

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

/** The part after `data`, which the bare server sends too. */
const tailOf = (answer: string): string =>
  answer.slice(`{"data":${JSON.stringify((JSON.parse(answer) as { data: object }).data)}`.length);

/** Checks that both servers return the same rows, by the fields that both schemas have. */
function demandSameRows(ours: string, theirs: string): void {
  const values = (text: string): string[] =>
    [...text.matchAll(/"(?:title|initiatedAt|name|depth)":("[^"]*"|\d+)/g)].map(([, value]) => {
      const time = /^"\d{4}-\d\d-\d\dT/.test(value!) ? Date.parse(value!.slice(1, -1)) : Number.NaN;
      return Number.isNaN(time) ? value! : String(time);
    });
  const [a, b] = [values(ours), values(theirs)];
  if (a.length < 20 || JSON.stringify(a) !== JSON.stringify(b))
    throw new Error(`PostGraphile answers other rows:\n${theirs}\n${ours}`);
}

/** Stores public ids for the bare server. */
async function storePublicIds(pool: Pool): Promise<void> {
  for (const [table, prefix] of [
    ['handoffs', 'handoff'],
    ['sessions', 'session'],
  ] as const) {
    await pool.query(`ALTER TABLE ${table} ADD COLUMN public_id text`);
    const { rows } = await pool.query<{ id: string }>(`SELECT id FROM ${table}`);
    const ids = rows.map(({ id }) => id);
    const values = [ids, ids.map((id) => encodeId(prefix, id))];
    await pool.query(
      `UPDATE ${table} t SET public_id = n.public_id FROM unnest($1::uuid[], $2::text[]) n (id, public_id) WHERE t.id = n.id`,
      values,
    );
  }
  await pool.query('VACUUM ANALYZE');
}
