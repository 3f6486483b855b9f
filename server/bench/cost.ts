import { execute, getNamedType, type GraphQLField, isCompositeType, isNonNullType, isObjectType, validate } from 'graphql';
import type { Pool } from 'pg';
import { encodeId } from '../core/ids.ts';
import { contexts } from '../graphql/context.ts';
import { schema } from '../graphql/schema.ts';
import { createRates } from '../limits/rates.ts';
import { silentLog } from '../infra/log.ts';
import { loopback } from '../keys/authenticate.ts';
import { checkOperation, parseWithin } from '../limits/checkOperation.ts';
import { isConnection } from '../limits/listSizes.ts';
import { loadBulk } from '../testing/bulk.ts';
import { largeContexts } from '../testing/largeContexts.ts';
import type { Place } from './place.ts';
import { atMost, digits, type Line } from './report.ts';
import { measured } from './rounds.ts';

const goal = 3;
const rows = 50;
const runs = 7;
/** Compiling comes first, and takes longer than what is compiled. */
const warmUps = 3;

/** Fields that do more than answer a column; each is asked for by itself, other leaves of a type together. */
const heavy = ['markdown', 'contextPrompt', 'totalCount', 'usage', 'chain'];
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

/**
 * What a point of cost takes of the processor, for every field that can be asked of a Query and of records: parsing, checking, validating,
 * executing and writing JSON, less what an operation takes that reads one column of one record, for requests are counted by themselves. Handoffs
 * carry 270 KB.
 */
export async function cost(place: Place, say: (line: string) => void): Promise<Line[]> {
  const { url, pool, prisma } = await place.database();
  await loadBulk(url, { sessions: 400, handoffs: 3, turns: 10, agents: 100 });
  const sessionId = encodeId('session', await largeContexts(pool, rows));
  const createContext = contexts({ prisma, pool, env: { staleAfterMinutes: 30, handoffsEnabled: true }, log: silentLog, rates: createRates(), processorMs: Infinity });

  async function once(source: string): Promise<{ ms: number; points: number }> {
    const before = process.cpuUsage();
    const document = parseWithin(source);
    const checked = checkOperation(schema, document, undefined, {});
    const [invalid] = validate(schema, document);
    if (invalid !== undefined) throw invalid;
    const result = await execute({ schema, document, contextValue: createContext(loopback) });
    JSON.stringify(result);
    const { user, system } = process.cpuUsage(before);
    if (result.errors !== undefined) throw new Error(`${source.slice(0, 200)}: ${result.errors[0]!.message}`);
    return { ms: (user + system) / 1_000, points: checked.cost };
  }
  async function typical(source: string): Promise<{ ms: number; points: number }> {
    const times: number[] = [];
    let points = 0;
    for (let run = 0; run < runs; run += 1) {
      const { ms, points: counted } = await once(source);
      points = counted;
      times.push(ms);
    }
    return { ms: measured(times).median, points };
  }

  const all = await questions(pool, sessionId);
  for (let round = 0; round < warmUps; round += 1) for (const { source } of all) await once(source);
  const smallest = await typical('{ agent(id: "ada") { id } }');
  const figures: { what: string; points: number; perPoint: number }[] = [];
  for (const { what, source } of all) {
    const { ms, points } = await typical(source);
    const perPoint = Math.max(0, ms - smallest.ms) / points;
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
  source: string;
}

async function questions(pool: Pool, sessionId: string): Promise<Question[]> {
  const { rows: handoffs } = await pool.query<{ id: string }>('SELECT id FROM handoffs ORDER BY initiated_at DESC LIMIT 1');
  const args: Record<string, string> = {
    'Query.session': `id: "${sessionId}"`,
    'Query.sessionEvents': `sessionId: "${sessionId}"`,
    'Query.contextPreview': `sessionId: "${sessionId}"`,
    'Query.contextItem': `handoffId: "${encodeId('handoff', handoffs[0]!.id)}" itemId: "summary-1"`,
    'Query.handoff': `id: "${encodeId('handoff', handoffs[0]!.id)}"`,
    'Query.agent': 'id: "ada"',
  };
  const asked: Question[] = [];
  for (const field of Object.values(schema.getQueryType()!.getFields())) {
    if (field.name === 'node' || field.name === 'nodes') continue;
    const given = [args[`Query.${field.name}`], field.args.some(({ name }) => name === 'first') ? 'first: 100' : undefined].filter((each) => each !== undefined);
    asked.push(...variants('Query', field, given.join(' ')).map(({ what, source }) => ({ what, source: `{ ${source} }` })));
  }
  for (const [type, table] of Object.entries(tables)) {
    const order = type === 'Handoff' ? 'initiated_at DESC' : 'id DESC';
    const { rows: found } = await pool.query<{ id: string }>(`SELECT id FROM ${table} ORDER BY ${order} LIMIT ${rows}`);
    const ids = found.map(({ id }) => JSON.stringify(encodeId(type.toLowerCase().replace('contextsnapshot', 'snapshot') as 'handoff', id)));
    asked.push(...ofType(type, ids));
  }
  const { rows: agents } = await pool.query<{ id: string }>(`SELECT id FROM agents ORDER BY id LIMIT ${rows}`);
  return [...asked, ...ofType('Agent', agents.map(({ id }) => JSON.stringify(id)))];
}

function ofType(name: string, ids: readonly string[]): Question[] {
  const type = schema.getType(name);
  if (!isObjectType(type)) return [];
  const below = (selection: string): string => `{ nodes(ids: [${ids.join(' ')}]) { ... on ${name} { ${selection} } } }`;
  const fields = Object.values(type.getFields());
  return [
    { what: `${name}: ${leavesOf(name)}`, source: below(leavesOf(name)) },
    ...fields.filter((field) => isCompositeType(getNamedType(field.type)) || heavy.includes(field.name)).flatMap((field) => variants(name, field, '')),
  ].map(({ what, source }) => ({ what, source: source.startsWith('{') ? source : below(source) }));
}

/** What is asked of a field: of a connection its rows, and their number. */
function variants(parent: string, field: GraphQLField<unknown, unknown>, given: string): Question[] {
  const type = getNamedType(field.type);
  const name = `${parent}.${field.name}`;
  const head = (size: string): string => {
    const both = [given, size].filter((each) => each !== '').join(' ');
    return `${field.name}${both === '' ? '' : `(${both})`}`;
  };
  if (isConnection(type)) {
    const node = getNamedType((type as { getFields(): Record<string, GraphQLField<unknown, unknown>> }).getFields()['nodes']!.type).name;
    const size = given.includes('first') ? '' : 'first: 10';
    return [
      { what: name, source: `${head(size)} { nodes { ${leavesOf(node)} } }` },
      { what: `${name}.totalCount`, source: `${head(size)} { totalCount }` },
    ];
  }
  return [{ what: name, source: isCompositeType(type) ? `${head('')} { ${leavesOf(type.name)} }` : head('') }];
}

function leavesOf(name: string): string {
  const type = schema.getType(name);
  if (!isObjectType(type)) return '__typename';
  const leaves = Object.values(type.getFields()).filter((field) => !isCompositeType(getNamedType(field.type)) && !heavy.includes(field.name) && !field.args.some(({ type: asked }) => isNonNullType(asked)));
  // What shows nothing but other objects.
  return leaves.length === 0 ? Object.values(type.getFields()).map((field) => `${field.name} { ${leavesOf(getNamedType(field.type).name)} }`).join(' ') : leaves.map((field) => field.name).join(' ');
}
