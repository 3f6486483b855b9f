import { fileURLToPath } from 'node:url';
import type { Pool } from 'pg';
import { encodeId } from '../server/core/ids.ts';
import { loadBulk } from '../test/bulk.ts';
import { post } from './api.ts';
import { callers } from './callers.ts';
import { dashboardLists, type List, loadDashboard, otherLists } from './dashboardLists.ts';
import { requestsPerSecond } from './httpLoad.ts';
import { startBaton, startListening } from './listening.ts';
import type { Place } from './place.ts';
import { findPostgraphile } from './postgraphile.ts';
import { atLeast, digits, spread, type Line } from './report.ts';
import { alternate, ratioOf, type Rounds } from './rounds.ts';

const size = { sessions: 20_000, handoffs: 2, agents: 1_000 };
const load = { clients: 8, times: 400 };
const rounds = 5;
const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

const agent = 'id name type';
const theirAgent = 'rowId name type';
const handoff = 'status via reason depth initiatedAt acceptedAt';
const ours = `id ${handoff} sourceAgent { ${agent} } targetAgent { ${agent} } session { id title status }`;
const theirs = `rowId ${handoff} agentBySourceAgentId { ${theirAgent} } agentByTargetAgentId { ${theirAgent} } sessionBySessionId { rowId title status }`;
const newest = 'orderBy: [INITIATED_AT_DESC, ROW_ID_DESC]';
const created = 'orderBy: [CREATED_AT_DESC, ROW_ID_DESC]';
const page = 'pageInfo { hasNextPage endCursor }';

const firstLists: [List, ...List[]] = [
  {
    what: 'handoffs(first: 20) with source, target and session',
    ours: { query: `{ handoffs(first: 20) { nodes { ${ours} } ${page} } }` },
    theirs: `{ allHandoffs(first: 20, ${newest}) { nodes { ${theirs} } ${page} } }`,
  },
  {
    what: 'sessions(first: 20) with agent and last handoff',
    ours: {
      query: `{ sessions(first: 20) { nodes { id title status version createdAt updatedAt agent { ${agent} } lastHandoff { id status via initiatedAt } } ${page} } }`,
    },
    theirs: `{ allSessions(first: 20, ${created}) { nodes { rowId title status version createdAt updatedAt agentByAgentId { ${theirAgent} } handoffByLastHandoffId { rowId status via initiatedAt } } ${page} } }`,
  },
  {
    what: 'handoffs(first: 20) to an agent, with source, target and session',
    ours: { query: `{ handoffs(first: 20, where: { targetAgentId: "busy" }) { nodes { ${ours} } ${page} } }` },
    theirs: `{ allHandoffs(first: 20, ${newest}, condition: { targetAgentId: "busy" }) { nodes { ${theirs} } ${page} } }`,
  },
  {
    what: 'agents(first: 50) by id',
    ours: {
      query:
        '{ agents(first: 50, orderBy: { field: ID, direction: ASC }) { nodes { id name type role currentLoad maxCapacity registeredAt } } }',
    },
    theirs:
      '{ allAgents(first: 50, orderBy: [ROW_ID_ASC]) { nodes { rowId name type role currentLoad maxCapacity registeredAt } } }',
  },
  {
    what: 'handoffs(first: 20) with their Context, field by field',
    ours: {
      query: `{ handoffs(first: 20) { nodes { id depth initiatedAt toolSummaries { toolName callCount errorCount lastResult } filesModified pendingTasks decisions recentMessages { role content } contextVariables { name value setBy } } } }`,
    },
    theirs: `{ allHandoffs(first: 20, ${newest}) { nodes { rowId depth initiatedAt context } } }`,
  },
  {
    what: 'sessions(first: 20) with handoffs(first: 5) and their targets',
    ours: {
      query:
        '{ sessions(first: 20) { nodes { id title handoffs(first: 5) { nodes { id status depth initiatedAt targetAgent { id name } } } } } }',
    },
    theirs: `{ allSessions(first: 20, ${created}) { nodes { rowId title handoffsBySessionId(first: 5, orderBy: [DEPTH_DESC]) { nodes { rowId status depth initiatedAt agentByTargetAgentId { rowId name } } } } } }`,
  },
];
const goal = 0.8;
const meanGoal = 1;
/** Measures the lists whose names match. */
const only = new RegExp(process.env['BENCH_LISTS'] ?? '');

/** Measures lists over HTTP beside PostGraphile, and the dashboard's first list beside a minimal server with the same answer. */
export async function compareLists(place: Place, say: (line: string) => void): Promise<Line[]> {
  const { url, pool, patient } = await place.database();
  await loadBulk(url, size);
  await storePublicIds(patient);
  const named = await loadDashboard(patient);
  const lists = [...firstLists, ...dashboardLists(named), ...otherLists(named)];

  // Others may not read webhooks.
  const keys = await callers(pool, 'ADMIN');
  const baton = await startBaton({ DATABASE_URL: url });
  place.atEnd(baton.stop);
  const askOurs = (list: List['ours']) =>
    post({ url: `${baton.url}/graphql`, body: JSON.stringify(list), authorization: keys[0] });
  const measureOurs = (list: List['ours']) => () =>
    requestsPerSecond({ url: `${baton.url}/graphql`, body: JSON.stringify(list), callers: keys, ...load });

  const first = firstLists[0].ours;
  const answer = await askOurs(first);
  const bare = await startListening(process.execPath, [here('bareServer.mjs'), url, tailOf(answer)]);
  place.atEnd(bare.stop);
  const same = await post({ url: bare.url, body: JSON.stringify(first) });
  if (same !== answer) throw new Error(`the bare server answers something else:\n${same}\n${answer}`);
  const against = await alternate(rounds, {
    baton: measureOurs(first),
    bare: () => requestsPerSecond({ url: bare.url, body: JSON.stringify(first), ...load }),
  });
  const lines = [
    againstBare(
      `\`${firstLists[0].what}\` over HTTP keep-alive, keys and limits on, ${load.clients} clients, ${Buffer.byteLength(answer)} bytes`,
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
  for (const { what, ours, theirs } of lists.filter((each) => only.test(each.what))) {
    const theirBody = JSON.stringify({ query: theirs });
    demandSameRows(await askOurs(ours), await post({ url: graphile.url, body: theirBody }));
    const measured = await alternate(rounds, {
      baton: measureOurs(ours),
      postgraphile: () => requestsPerSecond({ url: graphile.url, body: theirBody, ...load }),
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
    [...text.matchAll(/"(title|initiatedAt|createdAt|slug|depth|totalCount)":("[^"]*"|\d+)/g)]
      .map(([, name, value]) => {
        const time = name!.endsWith('At') ? Date.parse(value!.slice(1, -1)) : value!;
        return `${name} ${time}`;
      })
      .sort();
  const [a, b] = [[...new Set(values(ours))], [...new Set(values(theirs))]];
  if (JSON.stringify(a) !== JSON.stringify(b)) throw new Error(`PostGraphile answers other rows:\n${theirs}\n${ours}`);
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
