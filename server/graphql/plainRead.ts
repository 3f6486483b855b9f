import pg, { type Pool } from 'pg';
import { statement, type Statement } from '../core/changes.ts';
import { conditionOf } from './plainCondition.ts';
import { fieldsOf, isColumn, quoted, tableOf } from './plainModel.ts';

interface Row {
  id: string;
}

/** What Prisma's `findMany` is asked, as far as this file understands it. */
export interface Query {
  /** The same object each time for what is asked again and again: what is made of it is kept with it. */
  select: object;
  /** Columns that are read besides. */
  also: readonly string[];
  /** Whether what is selected goes out as it is: then times are texts, but for those that are read besides. */
  shown?: boolean;
  where?: object;
  orderBy?: readonly object[];
  take?: number;
}

/**
 * The rows that Prisma would answer, nested as it nests them, when they are a page of columns and of rows that these
 * point to. Prisma's engine, and PostgreSQL's planning of what it writes, are more than half of what a list of twenty
 * costs; one prepared statement does without both. Null for all else (lists below, `contains`, ...), which Prisma reads.
 */
export function plainRead(pool: Pool, model: string, { select, also, shown = false, where = {}, orderBy = [], take }: Query): Promise<Row[]> | null {
  const shape = take === undefined ? null : knownShape(model, select, also, shown);
  if (shape === null) return null;
  const values: unknown[] = [];
  const condition = conditionOf(fieldsOf(model), where, values);
  const order = orderBy.flatMap((by) => Object.entries(by)) as [string, 'asc' | 'desc'][];
  if (condition === null || !order.every(([field]) => shape.columns.includes(field))) return null;
  const asked = `${condition} ${JSON.stringify(order)} ${take!}`;
  const text = shape.texts.get(asked) ?? prepared(textOf(shape, condition, order, take!));
  if (shape.texts.size < maxTexts) shape.texts.set(asked, text);
  return read(pool, text, values, shape);
}

const maxTexts = 50;

/** What is read of a row, and of the rows that it points to. */
interface Shape {
  model: string;
  /** The id first: of a row that is joined it says whether there is one. */
  columns: readonly string[];
  /** Those of the columns that are made a Date. */
  dates: readonly string[];
  relations: readonly { name: string; foreignKey: string; shape: Shape }[];
  /** How many values that is in all. */
  width: number;
  /** Statements that read it, by their conditions. */
  texts: Map<string, Text>;
}

const shapes = new WeakMap<object, Map<string, Shape | null>>();

function knownShape(model: string, select: object, also: readonly string[], shown: boolean): Shape | null {
  const known = shapes.get(select) ?? new Map<string, Shape | null>();
  shapes.set(select, known);
  const besides = also.join(' ');
  const found = known.get(besides);
  if (found !== undefined) return found;
  const needed = (of: string, name: string): boolean => !shown || (of === model && also.includes(name));
  const shape = shapeOf(model, { ...Object.fromEntries(also.map((column) => [column, true])), ...select }, needed);
  known.set(besides, shape);
  return shape;
}

function shapeOf(model: string, select: object, isDate: (model: string, column: string) => boolean): Shape | null {
  const fields = fieldsOf(model);
  const columns = new Set(['id']);
  const relations: Shape['relations'][number][] = [];
  for (const [name, asked] of Object.entries(select) as [string, unknown][]) {
    if (asked === undefined || asked === false) continue;
    const field = fields.get(name);
    if (field === undefined) return null;
    if (asked === true && isColumn(field)) {
      columns.add(name);
      continue;
    }
    const below = selectOf(asked);
    const [foreignKey, ...more] = field.relationFromFields ?? [];
    const shape = below === null || field.isList || foreignKey === undefined || more.length > 0 ? null : shapeOf(field.type, below, isDate);
    if (shape === null) return null;
    relations.push({ name, foreignKey: foreignKey!, shape });
  }
  const dates = [...columns].filter((name) => fields.get(name)!.type === 'DateTime' && isDate(model, name));
  return { model, columns: [...columns], dates, relations, width: columns.size + relations.reduce((sum, { shape }) => sum + shape.width, 0), texts: new Map<string, Text>() };
}

/** What is asked of the rows of a relation, when it is nothing but a selection. */
function selectOf(asked: unknown): object | null {
  if (typeof asked !== 'object' || asked === null) return null;
  const [option, ...others] = Object.entries(asked).filter(([, value]) => value !== undefined);
  return option?.[0] === 'select' && others.length === 0 ? (option[1] as object) : null;
}

/** The page first, then each row that it points to by its key: OFFSET 0 keeps PostgreSQL from reading whole tables to join them. */
function textOf(shape: Shape, condition: string, order: [string, string][], take: number): string {
  const wanted: string[] = [];
  const joins: string[] = [];
  const want = ({ columns, relations }: Shape, row: string): void => {
    wanted.push(...columns.map((field) => `${row}.${quoted(field)}`));
    for (const { foreignKey, shape: below } of relations) {
      const joined = `r${joins.length}`;
      const found = `SELECT ${readOf(below)} FROM ${tableOf(below.model)} WHERE id = ${row}.${quoted(foreignKey)} OFFSET 0`;
      joins.push(`LEFT JOIN LATERAL (${found}) ${joined} ON true`);
      want(below, joined);
    }
  };
  want(shape, 't');
  const by = (row: string): string => (order.length === 0 ? '' : ` ORDER BY ${order.map(([field, direction]) => `${row}${quoted(field)} ${direction}`).join(', ')}`);
  // The number stands in the text: as a parameter PostgreSQL would plan the statement anew for each.
  const page = `SELECT ${readOf(shape)} FROM ${tableOf(shape.model)} WHERE ${condition}${by('')} LIMIT ${take}`;
  return `SELECT ${wanted.join(', ')} FROM (${page}) t ${joins.join(' ')}${by('t.')}`;
}

const readOf = ({ columns, relations }: Shape): string =>
  [...new Set([...columns, ...relations.map(({ foreignKey }) => foreignKey)])].map(quoted).join(', ');

/** Texts are as many as there are selections and filters, so their names are limited: what comes after goes unnamed. */
const statements = new Map<string, Statement>();
const maxStatements = 500;

type Text = Statement | { text: string };

function prepared(text: string): Text {
  const known = statements.get(text);
  if (known !== undefined) return known;
  if (statements.size >= maxStatements) return { text };
  const made = statement(text);
  statements.set(text, made);
  return made;
}

async function read(pool: Pool, text: Text, values: unknown[], shape: Shape): Promise<Row[]> {
  const { rows } = await pool.query<unknown[]>({ ...text, values, types, rowMode: 'array' });
  return rows.map((row) => rowOf(row, shape, 0) as Row);
}

// Times as texts in ISO 8601: a Date for each, made and written again, is a tenth of a list. In UTC, as sessions are unless an
// operator set them otherwise, a text only changes its form.
const timestamptz = 1184;
const inUtc = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,3}))?\+00$/;
function isoOf(text: string): string {
  const [, day, time, fraction = ''] = inUtc.exec(text) ?? [];
  return day === undefined ? (pg.types.getTypeParser(timestamptz) as (text: string) => Date)(text).toISOString() : `${day}T${time}.${fraction.padEnd(3, '0')}Z`;
}
const types = {
  getTypeParser: (type: number, format?: 'text') => (type === timestamptz ? isoOf : (pg.types.getTypeParser(type, format) as unknown)),
} as pg.CustomTypesConfig;

function rowOf(values: readonly unknown[], { columns, dates, relations }: Shape, at: number): object | null {
  if (values[at] === null) return null;
  const row: Record<string, unknown> = {};
  let place = at;
  for (const field of columns) row[field] = values[place++];
  for (const field of dates) row[field] = row[field] === null ? null : new Date(row[field] as string);
  for (const { name, shape } of relations) {
    row[name] = rowOf(values, shape, place);
    place += shape.width;
  }
  return row;
}
