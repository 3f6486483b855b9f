import { conditionOf, type Rights } from '../core/rights.ts';
import type { Column, Relation, Table, Tables } from './tables.ts';
import { Conditions, hasOnePlan, listed, OwnIds, related, Values, valuesFor } from './where.ts';

/** What is selected of a row: `select`, or all columns and the relations of `include`. */
export interface Selection {
  select?: Readonly<Record<string, unknown>> | null | undefined;
  include?: Readonly<Record<string, unknown>> | null | undefined;
}

/** A selected column of JSON. A value whose text has more than `mostBytes` bytes is not read: it is undefined in the row. */
export class WhenSmall {
  constructor(readonly mostBytes: number) {}
}

/** Which rows, and in which order. */
export interface Page {
  where?: object | undefined;
  /** Where the page begins: a condition of the columns of its order. */
  position?: object | undefined;
  orderBy?: object | readonly object[] | undefined;
  take?: number | undefined;
}

/** A row that has everything that was selected of it: its fields are answered without asking how it was loaded. */
export class WholeRow {}

export interface Compiled {
  text: string;
  values: readonly unknown[];
  /** Whether one plan serves all values (`hasOnePlan`). */
  onePlan: boolean;
}

export interface Reader<Row = object> {
  /** The statement for a page, for a reader of the same kind (`kindOf`); each of its rows is one JSON array. */
  page(page: Page, reader: Rights): Compiled;
  rowOf(json: unknown): Row;
}

type Decode = (json: never) => unknown;
interface Part {
  sql: string;
  decode: Decode | null;
}

/**
 * Page sizes are rounded up to one of these, and the rows then cut by a second LIMIT: PostgreSQL plans a page once and for all,
 * and well, only when LIMIT is a literal.
 */
const sizes = [2, 6, 11, 21, 51, 101];

/**
 * Compiles a selection of Prisma's to one statement. Each row is one JSON array, in which a relation is an array of its own:
 * a third of the processor time that the driver takes for a value for each column. Every table that is read has the condition of
 * those who may read its rows.
 */
export function compile(
  tables: Tables,
  model: string,
  selection: Selection,
  { reader, isWhole = false }: { reader: Rights; isWhole?: boolean },
): Reader {
  const table = tables.get(model)!;
  const values = new Values();
  const { sql, decode } = new Compiler(tables, values, reader, isWhole).row(table, 't0', selection);
  return {
    page(page, of) {
      const all = new Values(values.all);
      const text = new Compiler(tables, all, of, isWhole).page(table, 't0', sql, page);
      return { text, values: valuesFor(all, of), onePlan: hasOnePlan(table, page.where ?? {}) };
    },
    rowOf: decode as (json: unknown) => object,
  };
}

/** The statement that counts the rows of a filter. */
export function compileCount(tables: Tables, model: string, where: object, reader: Rights): Compiled {
  const table = tables.get(model)!;
  const values = new Values();
  const from = new Compiler(tables, values, reader, false).rows(table, 't0', where);
  return {
    text: `SELECT count(*)::int AS count FROM ${from}`,
    values: valuesFor(values, reader),
    onePlan: hasOnePlan(table, where),
  };
}

function orderOf(table: Table, row: string, orderBy: Page['orderBy']): string {
  return listed(orderBy ?? [])
    .flatMap((each) => Object.entries(each as object))
    .map(([name, given]: [string, unknown]) => {
      const column = table.fields.get(name);
      if (column?.kind !== 'column') throw new Error(`No order by ${table.model}.${name}`);
      const { sort, nulls } = (typeof given === 'string' ? { sort: given } : given) as { sort: string; nulls?: string };
      return `${row}.${column.sql} ${sort === 'desc' ? 'DESC' : 'ASC'}${nulls === undefined ? '' : ` NULLS ${nulls}`}`;
    })
    .join(', ');
}

class Compiler {
  #aliases = 0;

  readonly #ids: OwnIds;

  constructor(
    readonly tables: Tables,
    readonly values: Values,
    readonly reader: Rights,
    readonly isWhole: boolean,
  ) {
    this.#ids = new OwnIds(values);
  }

  /** The rows of a table that match a filter and that the reader may read. The only FROM. */
  rows(table: Table, row: string, where: object, on?: string): string {
    const readable = conditionOf(table.model, row, this.reader, this.#ids);
    const given = new Conditions(this.tables, this.values).of(table, row, where as Record<string, unknown>);
    const all = [on, given, readable].filter((condition) => condition != null);
    return `${table.sql} ${row} WHERE ${all.join(' AND ')}`;
  }

  /** A statement for the rows of a page, each with the expression `sql`. */
  page(
    table: Table,
    row: string,
    sql: string,
    { where, position, orderBy, take, ...others }: Page,
    on?: string,
  ): string {
    const [unknown] = Object.entries(others).filter(([, option]) => option !== undefined);
    if (unknown !== undefined) throw new Error(`No option ${unknown[0]} of a page of ${table.model}`);
    const order = orderOf(table, row, orderBy);
    const from = this.rows(table, row, { AND: [where ?? {}, position ?? {}] }, on);
    const text = `SELECT ${sql} AS row FROM ${from}${order === '' ? '' : ` ORDER BY ${order}`}`;
    if (take === undefined) return text;
    const size = sizes.find((each) => each >= take) ?? take;
    return `SELECT row FROM (${text} LIMIT ${size}) p LIMIT ${this.values.add(take)}`;
  }

  /** A row as a JSON array of what is selected. */
  row(table: Table, row: string, selection: Selection): Part {
    const parts = selectedOf(table, selection).map(([name, asked]): [string, Part] => [
      name,
      name === '_count' ? this.#counts(table, row, asked) : this.#field(table, row, name, asked),
    ]);
    return {
      sql: `json_build_array(${parts.map(([, { sql }]) => sql).join(', ')})`,
      decode: rowDecoder(
        parts.map(([name]) => name),
        parts.map(([, { decode }]) => decode),
        this.isWhole,
      ),
    };
  }

  #field(table: Table, row: string, name: string, asked: unknown): Part {
    const field = table.fields.get(name);
    if (field === undefined) throw new Error(`No field ${table.model}.${name}`);
    const column = `${row}.${field.kind === 'column' ? field.sql : ''}`;
    if (asked instanceof WhenSmall) return whenSmall(column, asked);
    if (field.kind === 'column') return columnPart(column, field);
    return this.#relation(row, field, asked === true ? {} : (asked as Selection & Page));
  }

  // A subquery for each row runs by index; a join could scan the whole table.
  #relation(row: string, relation: Relation, { select, include, ...page }: Selection & Page): Part {
    const table = this.tables.get(relation.model)!;
    const alias = `t${(this.#aliases += 1)}`;
    const { sql, decode } = this.row(table, alias, { select, include });
    const on = related(row, relation, alias);
    const text = this.page(table, alias, sql, page, on);
    return relation.isList
      ? { sql: `(SELECT json_agg(l.row) FROM (${text}) l)`, decode: listDecoder(decode!) }
      : { sql: `(${text})`, decode };
  }

  #counts(table: Table, row: string, asked: unknown): Part {
    const { select } = asked as { select: Record<string, true | { where?: object }> };
    const names = Object.keys(select).filter((name) => (select[name] as unknown) !== false);
    const counts = names.map((name) => {
      const relation = table.fields.get(name) as Relation;
      const other = this.tables.get(relation.model)!;
      const alias = `t${(this.#aliases += 1)}`;
      const { where = {} } = select[name] === true ? {} : select[name]!;
      return `(SELECT count(*) FROM ${this.rows(other, alias, where, related(row, relation, alias))})`;
    });
    return {
      sql: `json_build_array(${counts.join(', ')})`,
      decode: rowDecoder(
        names,
        names.map(() => null),
        false,
      ),
    };
  }
}

/** The selected fields; all columns without `select`. */
function selectedOf(table: Table, { select, include }: Selection): [string, unknown][] {
  const asked = Object.entries(select ?? include ?? {}).filter(([, each]) => each !== undefined && each !== false);
  if (select != null) return asked;
  const columns = [...table.fields].filter(([, { kind }]) => kind === 'column');
  return [...columns.map(([name]): [string, unknown] => [name, true]), ...asked];
}

const whenSmall = (sql: string, { mostBytes }: WhenSmall): Part => ({
  sql: `CASE WHEN octet_length(${sql}::text) <= ${mostBytes} THEN ${sql} END`,
  decode: (json: unknown) => json ?? undefined,
});

const plain = new Set(['String', 'Int', 'Boolean', 'Float', 'Json', 'Enum']);

function columnPart(sql: string, { type, isList }: Column): Part {
  if (plain.has(type)) return { sql, decode: null };
  if (isList) throw new Error(`No list of ${type}`);
  switch (type) {
    case 'DateTime':
      return { sql, decode: (json: string | null) => (json === null ? null : new Date(json)) };
    // As numbers they would lose digits.
    case 'BigInt':
      return {
        sql: `${sql}::text`,
        decode: (json: string | null) => (json === null ? null : BigInt(json)),
      };
    case 'Decimal':
      throw new Error('No Decimal');
    case 'Bytes':
      return {
        sql: `encode(${sql}, 'base64')`,
        decode: (json: string | null) => (json === null ? null : new Uint8Array(Buffer.from(json, 'base64'))),
      };
    default:
      throw new Error(`No type ${type}`);
  }
}

function rowDecoder(names: readonly string[], decoders: readonly (Decode | null)[], isWhole: boolean): Decode {
  return (json: unknown[] | null): object | null => {
    if (json === null) return null;
    const row = (isWhole ? new WholeRow() : {}) as Record<string, unknown>;
    for (let index = 0; index < names.length; index += 1) {
      const decode = decoders[index]!;
      row[names[index]!] = decode === null ? json[index] : decode(json[index] as never);
    }
    return row;
  };
}

const listDecoder =
  (decode: Decode): Decode =>
  (json: unknown[] | null) =>
    json === null ? [] : json.map((each) => decode(each as never));
