import {
  execute,
  getNamedType,
  type GraphQLField,
  isCompositeType,
  isNonNullType,
  isObjectType,
  validate,
} from 'graphql';
import type { Pool } from 'pg';
import { contexts } from '../server/api/graphql/context.ts';
import { schema } from '../server/api/graphql/schema.ts';
import { encodeId } from '../server/core/ids.ts';
import { limits } from '../server/core/limits.ts';
import { checkOperation, parseWithin } from '../server/infra/limits/checkOperation.ts';
import { costOfField, isConnection } from '../server/infra/limits/cost.ts';
import { createRates } from '../server/infra/limits/rates.ts';
import { silentLog } from '../server/infra/log.ts';
import { loopback } from '../server/work/keys/authenticate.ts';
import { loadBulk } from '../test/bulk.ts';
import { largeContexts } from '../test/largeContexts.ts';
import type { Place } from './place.ts';
import { atMost, digits, type Line } from './report.ts';
import { measured } from './rounds.ts';

const goal = 3;
/** Of 250 KB each: one statement may read 12 MB. */
const rows = 40;
const rootFields = limits.query.rootFields;
/** The minimum number of runs. Fast queries get more, because pauses of the machine distort them more. */
const runs = { least: 7, most: 41, ms: 150 };
/** Compilation dominates the first runs. */
const warmUps = 3;
/** A statement may time out while other processes use the machine. */
const tries = 5;

/** Fields that do more than return a column. Each is measured alone; a type's other leaves are measured together. */
const heavy = ['usage', 'chain'];
const isHeavy = (field: GraphQLField<unknown, unknown>): boolean =>
  heavy.includes(field.name) || costOfField(field) !== undefined;
/** Of fields of records that require some. */
const argumentsOf: Record<string, string> = { handoffToolDefinitions: 'format: MCP' };
const tables: Record<string, string> = {
  Session: 'sessions',
  AgentSession: 'agent_sessions',
  Handoff: 'handoffs',
  Turn: 'turns',
  Message: 'messages',
  ToolCall: 'tool_calls',
  Decision: 'decisions',
  Task: 'tasks',
  ContextSnapshot: 'context_snapshots',
};
const isRecord = (type: string): boolean => type in tables || type === 'Agent';

/**
 * Measures processor time per cost point for each field of Query and of records: parsing, checking, validating, executing
 * and writing JSON. Handoffs carry 250 KB.
 *
 * A request and its root fields have a fixed price (parsing, and a statement, about 1 ms), which other limits bound: 10
 * root fields per request, and the rate. So the benchmark measures increments: for a field of records or of a page, a query
 * with up to 40 or 100 rows minus the same query with a tenth of them; for another root field, 10 of it in one request minus
 * 10 Agents with only their ids. Root fields that read one record by its id are measured as records of `nodes`.
 */
export async function cost(place: Place, say: (line: string) => void): Promise<Line[]> {
  const { url, pool, patient, prisma } = await place.database();
  await loadBulk(url, { sessions: 400, handoffs: 3, turns: 10, agents: 100 });
  const sessionId = encodeId('session', await largeContexts(patient, rows));
  const createContext = contexts({
    prisma,
    pool,
    env: { staleAfterMinutes: 30, handoffsEnabled: true },
    log: silentLog,
    rates: createRates(),
    processorMs: Infinity,
    heldBytes: Infinity,
  });

  async function once(source: string, attempt = 1): Promise<number> {
    const before = process.cpuUsage();
    const document = parseWithin(source);
    checkOperation(schema, document, undefined, {});
    const [invalid] = validate(schema, document);
    if (invalid !== undefined) throw invalid;
    const result = await execute({ schema, document, contextValue: createContext(loopback) });
    JSON.stringify(result);
    const { user, system } = process.cpuUsage(before);
    if (result.errors === undefined) return (user + system) / 1_000;
    if (attempt === tries) throw new Error(`${source.slice(0, 200)}: ${result.errors[0]!.message}`);
    return once(source, attempt + 1);
  }
  /** Alternates the two queries, so that a slow phase of the machine affects both. Takes the minimum, because other processes only add time. */
  async function increment({ large, small }: Question): Promise<number> {
    for (let round = 0; round < warmUps; round += 1) for (const source of [large, small]) await once(source);
    const times: { large: number[]; small: number[] } = { large: [], small: [] };
    for (let run = 0, spent = 0; run < runs.least || (run < runs.most && spent < runs.ms); run += 1) {
      times.large.push(await once(large));
      times.small.push(await once(small));
      spent += times.large.at(-1)! + times.small.at(-1)!;
    }
    return Math.max(0, measured(times.large).least - measured(times.small).least);
  }

  const all = await questions(pool, sessionId);
  // Warms up the code shared by all.
  for (const { large, small } of all) for (const source of [small, large, small, large]) await once(source);
  const figures: { what: string; points: number; perPoint: number }[] = [];
  for (const question of all) {
    const { what, points } = question;
    const perPoint = (await increment(question)) / points;
    figures.push({ what, points, perPoint });
    say(`  ${what}: ${points} points, ${digits(perPoint * 1_000)} µs a point`);
  }
  const { median } = measured(figures.map(({ perPoint }) => perPoint));
  return figures
    .toSorted((a, b) => b.perPoint - a.perPoint)
    .map(({ what, points, perPoint }) => ({
      what: `Cost of \`${what}\``,
      figure: `${digits(perPoint * 1_000)} µs of processor time a point`,
      beside: `${points} points; the median of all fields: ${digits(median * 1_000)} µs`,
      ratio: measured([perPoint / median]),
      goal: atMost(perPoint / median, goal),
    }));
}

interface Question {
  what: string;
  large: string;
  small: string;
  /** The difference in cost. */
  points: number;
}
interface Variant {
  what: string;
  selection: string;
}

const pointsOf = (source: string): number => checkOperation(schema, parseWithin(source), undefined, {}).cost;

async function questions(pool: Pool, sessionId: string): Promise<Question[]> {
  const { rows: handoffs } = await pool.query<{ id: string }>(
    'SELECT id FROM handoffs ORDER BY initiated_at DESC LIMIT 1',
  );
  const args: Record<string, string> = {
    sessionEvents: `sessionId: "${sessionId}"`,
    contextPreview: `sessionId: "${sessionId}"`,
    simulateHandoff: `sessionId: "${sessionId}" targetAgentId: "agent-001"`,
    detectHandoffs:
      'agentId: "agent-000" response: [{ type: "tool_use", id: "t1", name: "transfer_to_agent-001", input: {} }]',
    contextItem: `handoffId: "${encodeId('handoff', handoffs[0]!.id)}" itemId: "summary-1"`,
  };
  const asked: Question[] = [];
  for (const field of Object.values(schema.getQueryType()!.getFields())) {
    if (field.name === 'node' || field.name === 'nodes' || isRecord(getNamedType(field.type).name)) continue;
    const paged = field.args.some(({ name }) => name === 'first');
    for (const { what, selection } of variants(
      'Query',
      field,
      [args[field.name], paged ? 'first: 100' : ''].filter(Boolean).join(' '),
    )) {
      asked.push(paged && selection.includes(' nodes {') ? ofPage(what, selection) : ofRoot(what, selection));
    }
  }
  for (const [type, table] of Object.entries(tables)) {
    const order = type === 'Handoff' ? 'initiated_at DESC' : 'id DESC';
    const { rows: found } = await pool.query<{ id: string }>(`SELECT id FROM ${table} ORDER BY ${order} LIMIT ${rows}`);
    const ids = found.map(({ id }) =>
      JSON.stringify(encodeId(type.toLowerCase().replace('contextsnapshot', 'snapshot') as 'handoff', id)),
    );
    asked.push(...ofType(type, ids));
  }
  const { rows: agents } = await pool.query<{ id: string }>(`SELECT id FROM agents ORDER BY id LIMIT ${rows}`);
  return [
    ...asked,
    ...ofType(
      'Agent',
      agents.map(({ id }) => JSON.stringify(id)),
    ),
  ];
}

const between = (what: string, large: string, small: string): Question => ({
  what,
  large,
  small,
  points: pointsOf(large) - pointsOf(small),
});

function ofPage(what: string, selection: string): Question {
  const page = (first: number): string => `{ ${selection.replace('first: 100', `first: ${first}`)} }`;
  const most = [100, 50, 20].find((first) => pointsOf(page(first)) <= limits.query.cost)!;
  return between(what, page(most), page(most / 10));
}

function ofRoot(what: string, selection: string): Question {
  const times = (each: string): string =>
    `{ ${Array.from({ length: rootFields }, (_, n) => `a${n}: ${each}`).join(' ')} }`;
  const large = times(selection);
  return { what, large, small: times('agent(id: "ada") { id }'), points: pointsOf(large) };
}

function ofType(name: string, ids: readonly string[]): Question[] {
  const type = schema.getType(name);
  if (!isObjectType(type)) return [];
  const below = (count: number, selection: string): string =>
    `{ nodes(ids: [${ids.slice(0, count).join(' ')}]) { ... on ${name} { ${selection} } } }`;
  const fields = Object.values(type.getFields());
  return [
    { what: `${name}: ${leavesOf(name)}`, selection: leavesOf(name) },
    ...fields
      .filter((field) => isCompositeType(getNamedType(field.type)) || isHeavy(field))
      .flatMap((field) => variants(name, field, argumentsOf[field.name] ?? '')),
  ].map(({ what, selection }) => {
    const count = Math.min(ids.length, Math.floor(limits.query.cost / pointsOf(below(1, selection))));
    return between(what, below(count, selection), below(Math.ceil(count / 10), selection));
  });
}

/** The selections of a field: for a connection its rows and their number. */
function variants(parent: string, field: GraphQLField<unknown, unknown>, given: string): Variant[] {
  const type = getNamedType(field.type);
  const name = `${parent}.${field.name}`;
  const head = (size: string): string => {
    const both = [given, size].filter((each) => each !== '').join(' ');
    return `${field.name}${both === '' ? '' : `(${both})`}`;
  };
  if (isConnection(type)) {
    const node = getNamedType(
      (type as { getFields(): Record<string, GraphQLField<unknown, unknown>> }).getFields()['nodes']!.type,
    ).name;
    const size = given.includes('first') ? '' : 'first: 10';
    return [
      { what: name, selection: `${head(size)} { nodes { ${leavesOf(node)} } }` },
      { what: `${name}.totalCount`, selection: `${head(size)} { totalCount }` },
    ];
  }
  return [{ what: name, selection: isCompositeType(type) ? `${head('')} { ${leavesOf(type.name)} }` : head('') }];
}

function leavesOf(name: string): string {
  const type = schema.getType(name);
  if (!isObjectType(type)) return '__typename';
  const leaves = Object.values(type.getFields()).filter(
    (field) =>
      !isCompositeType(getNamedType(field.type)) &&
      !isHeavy(field) &&
      !field.args.some(({ type: asked }) => isNonNullType(asked)),
  );
  // For a type that only has object fields.
  return leaves.length === 0
    ? Object.values(type.getFields())
        .map((field) => `${field.name} { ${leavesOf(getNamedType(field.type).name)} }`)
        .join(' ')
    : leaves.map((field) => field.name).join(' ');
}
