import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { loadBulk } from '../../test/bulk.ts';
import { testDatabase } from '../../test/database.ts';
import { recordQueries } from '../../test/queries.ts';
import { runs } from '../../test/runs.ts';
import { getDatamodel } from '../generated/pothos-types.ts';
import { compile, compileCount, type Page, type Selection } from './compile.ts';
import { readCount, readPage } from './read.ts';
import { type Column, type Table, tablesOf } from './tables.ts';

const database = await testDatabase();
const { pool, prisma } = database;
const { sent } = recordQueries(pool);
const tables = tablesOf(prisma);
/** Reads everything. */
const baton = { role: null, agentId: null };

/** Values of the columns of real rows, for conditions. */
const samples = new Map<string, unknown[]>();

beforeAll(async () => {
  await loadBulk(database.url, { sessions: 40, handoffs: 3, turns: 2, agents: 8 });
  await pool.query(
    `UPDATE sessions SET metadata = '{"big": 12345678901234567890, "small": -0.1e-7, "text": "\\u2028 é \\" \\\\", "deep": [null, {"a": []}]}', last_handoff_id = NULL WHERE title LIKE '%1%';
    UPDATE sessions SET metadata = 'null', result = '"x"' WHERE title LIKE '%2%';
    UPDATE sessions SET title = '100 %_\\ of it, "É"' WHERE title LIKE '%3';
    UPDATE handoffs SET source_agent_id = NULL, source_agent_type = NULL, source_agent_session_id = NULL WHERE depth = 1;
    INSERT INTO webhooks (id, url, types, secret_version, key_check, position, created_by, created_at)
      SELECT gen_random_uuid(), 'https://example.com/' || n, (ARRAY['HANDOFF_ACCEPTED', 'TURN_APPENDED'])[:n - 1], 1, 'x', 9007199254740993 + n, 'admin', '2026-01-01 12:00:00.001+02' FROM generate_series(1, 3) n;
    INSERT INTO agent_collaborators (agent_id, collaborator_id, position, "when") SELECT 'agent-1', id, row_number() OVER (), NULL FROM agents WHERE id <> 'agent-1'`,
  );
  for (const table of tables.values()) {
    const rows = await delegateOf(table.model).findMany({ take: 20 });
    for (const [name, field] of table.fields)
      if (field.kind === 'column')
        samples.set(`${table.model}.${name}`, [...new Set(rows.map((row) => Reflect.get(row, name) as unknown))]);
  }
});

interface Delegate {
  findMany(query: object): Promise<object[]>;
  count(query: object): Promise<number>;
}
const delegateOf = (model: string): Delegate =>
  Reflect.get(prisma, model.charAt(0).toLowerCase() + model.slice(1)) as Delegate;

const columnsOf = (table: Table): [string, Column][] =>
  [...table.fields].filter((entry): entry is [string, Column] => entry[1].kind === 'column');
const nullable = new Set(
  Object.entries(getDatamodel().datamodel.models).flatMap(([model, { fields }]) =>
    fields.filter(({ isRequired }) => !isRequired).map(({ name }) => `${model}.${name}`),
  ),
);
const keys = new Map([
  ['AgentCollaborator', ['agentId', 'collaboratorId']],
  ['AgentConnection', ['agentId', 'processId']],
  ['HandoffToolOffer', ['toolId', 'agentId']],
  ['HandoffToolCall', ['handoffId', 'toolCallId']],
  ['InboxEntry', ['agentId', 'sequence']],
  ['IdempotencyAnswer', ['caller', 'key']],
  ['ImportLine', ['sessionId', 'lineKey']],
]);
const keyOf = (table: Table): string[] => keys.get(table.model) ?? [columnsOf(table)[0]![0]];

const comparable = new Set(['String', 'Int', 'DateTime', 'BigInt']);

/** A condition of one column. */
function columnWhere(table: Table): fc.Arbitrary<object> {
  const columns = columnsOf(table).filter(
    ([, { type, isList }]) => (comparable.has(type) || type === 'Enum') && !isList,
  );
  return fc.constantFrom(...columns).chain(([name, { type }]) => {
    const found = (samples.get(`${table.model}.${name}`) ?? []).filter((value) => value !== null);
    const isNullable = nullable.has(`${table.model}.${name}`);
    if (found.length === 0) return fc.constant({ [name]: isNullable ? null : { in: [] } });
    const value = fc.constantFrom(...found);
    const operators: fc.Arbitrary<object | null>[] = [
      value as fc.Arbitrary<object>,
      fc.record({ not: value }),
      fc.record({ in: fc.array(value, { maxLength: 3 }) }),
      fc.record({ notIn: fc.array(value, { maxLength: 3 }) }),
      fc.record({ equals: value }),
    ];
    if (comparable.has(type))
      operators.push(
        fc.record({ lt: value }),
        fc.record({ lte: value, gte: value }),
        fc.record({ gt: value }),
        fc.record({ not: fc.record({ gte: value }) }),
      );
    // Prisma refuses null for a column that has none.
    if (isNullable) operators.push(fc.constant(null), fc.constant({ not: null }), fc.constant({ equals: null }));
    // Prisma refuses patterns for columns of uuids.
    const isText = type === 'String' && found.every((one) => !/^[0-9a-f]{8}-/.test(one as string));
    if (isText)
      operators.push(
        fc.record({ contains: fc.constantFrom('a', 'É', '\\%', '_'), mode: fc.constantFrom('default', 'insensitive') }),
        fc.record({ startsWith: fc.constantFrom('a', 'S', '1') }),
        fc.record({ endsWith: fc.constantFrom('1', '"') }),
      );
    return fc.oneof(...operators).map((operator) => ({ [name]: operator }));
  });
}

/** Prisma has three answers to a negated condition of a relation, and SQL's EXISTS two: such conditions have no NULL. */
function whereOf(table: Table, depth: number, negated = false): fc.Arbitrary<object> {
  const relations = negated ? [] : [...table.fields].filter(([, field]) => field.kind === 'relation');
  const parts: fc.Arbitrary<object>[] = [columnWhere(table)];
  if (depth > 0) {
    const below = fc.array(
      fc.constant(null).chain(() => whereOf(table, depth - 1, negated)),
      { minLength: 1, maxLength: 2 },
    );
    parts.push(
      columnWhere(table),
      fc.record({ AND: below }),
      fc.record({ OR: below }),
      fc.record({ NOT: fc.constant(null).chain(() => whereOf(table, depth - 1, true)) }),
      fc.tuple(columnWhere(table), columnWhere(table)).map(([a, b]) => ({ ...a, ...b })),
    );
    if (relations.length > 0)
      parts.push(
        fc.constantFrom(...relations).chain(([name, field]) => {
          const other = tables.get((field as { model: string }).model)!;
          const where = whereOf(other, depth - 1);
          return field.isList
            ? fc.oneof(
                fc.tuple(fc.constantFrom('some', 'none'), where).map(([word, one]) => ({ [name]: { [word]: one } })),
                whereOf(other, depth - 1, true).map((every) => ({ [name]: { every } })),
              )
            : fc.oneof(
                where.map((one) => ({ [name]: one })),
                where.map((one) => ({ [name]: { is: one } })),
              );
        }),
      );
  }
  return fc.oneof(...parts);
}

/** An order that leaves no choice. */
const orderOf = (table: Table): fc.Arbitrary<object[]> =>
  fc
    .tuple(
      fc.subarray(
        columnsOf(table)
          .filter(([, { type, isList }]) => comparable.has(type) && !isList)
          .map(([name]) => name),
      ),
      fc.constantFrom('asc', 'desc'),
    )
    .map(([names, direction]) =>
      [...names.filter((name) => !keyOf(table).includes(name)).slice(0, 2), ...keyOf(table)].map((name) => ({
        [name]: direction,
      })),
    );

const pageOf = (table: Table): fc.Arbitrary<Page> =>
  fc.record({
    orderBy: orderOf(table),
    where: fc.option(whereOf(table, 2), { nil: undefined }),
    take: fc.option(fc.integer({ min: 1, max: 30 }), { nil: undefined }),
  });

function selectionOf(table: Table, depth: number): fc.Arbitrary<Selection> {
  const columns = columnsOf(table).map(([name]) => name);
  const relations = [...table.fields].filter(([, field]) => field.kind === 'relation');
  const lists = relations.filter(([, { isList }]) => isList).map(([name]) => name);
  const below: fc.Arbitrary<Record<string, unknown>> =
    depth === 0
      ? fc.constant({})
      : fc.subarray(relations, { maxLength: Math.min(2, relations.length) }).chain((chosen) =>
          fc
            .tuple(
              ...chosen.map(([name, field]): fc.Arbitrary<[string, unknown]> => {
                const other = tables.get((field as { model: string }).model)!;
                const selection = selectionOf(other, depth - 1);
                return field.isList
                  ? fc.tuple(selection, pageOf(other)).map(([a, b]) => [name, { ...a, ...b }])
                  : selection.map((a) => [name, a]);
              }),
            )
            .map((entries) => Object.fromEntries(entries)),
        );
  const counts: fc.Arbitrary<Record<string, unknown>> =
    lists.length === 0 || depth === 0
      ? fc.constant({})
      : fc.subarray(lists, { maxLength: Math.min(2, lists.length) }).chain((names) =>
          names.length === 0
            ? fc.constant({})
            : fc
                .tuple(
                  ...names.map((name) => {
                    const other = tables.get((table.fields.get(name) as { model: string }).model)!;
                    return fc
                      .option(whereOf(other, 1), { nil: undefined })
                      .map((where): [string, unknown] => [name, where === undefined ? true : { where }]);
                  }),
                )
                .map((entries) => ({ _count: { select: Object.fromEntries(entries) } })),
        );
  return fc
    .tuple(fc.subarray(columns, { minLength: 1 }), below, counts, fc.integer({ min: 0, max: 9 }))
    .map(([names, nested, count, all]) =>
      // Without `select`: all columns.
      all === 0
        ? Object.keys({ ...nested, ...count }).length === 0
          ? {}
          : { include: { ...nested, ...count } }
        : { select: { ...Object.fromEntries(names.map((name) => [name, true])), ...nested, ...count } },
    );
}

const models = [
  'Session',
  'Handoff',
  'Agent',
  'AgentSession',
  'Turn',
  'Message',
  'ToolCall',
  'Event',
  'Webhook',
  'AgentCollaborator',
  'Key',
  'Pipeline',
  'DatabaseIdentity',
];

describe.each(models)('a statement for %s', (model) => {
  const table = tables.get(model)!;

  test('reads what Prisma reads, for any selection, filter, order and page', async () => {
    await fc.assert(
      fc.asyncProperty(selectionOf(table, 2), pageOf(table), async (selection, page) => {
        const theirs = await delegateOf(model).findMany({ ...selection, ...page, relationLoadStrategy: 'query' });
        sent.length = 0;
        expect(await readPage(pool, compile(tables, model, selection, { reader: baton }), page, baton)).toEqual(theirs);
        expect(sent).toHaveLength(1);
        const { where = {} } = page;
        expect(await readCount(pool, compileCount(tables, model, where, baton))).toBe(
          await delegateOf(model).count({ where }),
        );
      }),
      { numRuns: runs(60) },
    );
  }, 120_000);
});
