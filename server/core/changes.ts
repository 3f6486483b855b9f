import { createHash } from 'node:crypto';
import { column, type NewRow, type RowOf, type Table } from './rows.ts';

/** A prepared statement: PostgreSQL plans `text` once per connection under `name`. */
export interface Statement {
  name: string;
  text: string;
}

/** Names a statement by its text, so that equal texts share one plan. */
export function statement(text: string): Statement {
  return { name: `b_${createHash('sha256').update(text).digest('base64url').slice(0, 22)}`, text };
}

interface Part {
  table: Table;
  kind: 'delete' | 'update' | 'insert';
  fields: readonly string[];
  rows: object[];
}

/** Tables whose rows are replaced as a whole, and the column of their owner. */
const owners = {
  tasks: 'sessionId',
  agent_collaborators: 'agentId',
  handoff_tool_offers: 'toolId',
  queue_entries: 'sessionId',
} as const;

// Deletes and updates run before inserts into the same table: the old tenure or Handoff must leave the partial unique index
// ("one open per Session") before the new one enters it.
const order = { delete: 0, update: 1, insert: 2 };

/**
 * Collects a command's writes and sends them as one statement: one round trip for any number of tables. Commands produce maxCountedRows
 * distinct statements, so each is prepared once per connection.
 */
export class Changes {
  readonly #inserted = new Map<object, Table>();
  readonly #changed = new Map<object, { table: Table; fields: Set<string> }>();
  readonly #cleared = new Map<keyof typeof owners, Set<string>>();

  get isEmpty(): boolean {
    return this.#inserted.size + this.#changed.size + this.#cleared.size === 0;
  }

  /** Keeps the row until the statement is sent: a later `change` of it goes into the same insert. */
  insert<T extends Table, Row extends NewRow<T>>(table: T, row: Row): Row {
    this.#inserted.set(row, table);
    return row;
  }

  /** Sets fields of a row that this command read under its lock, or inserted. */
  change<T extends Table>(table: T, row: RowOf<T>, fields: Partial<RowOf<T>>): void {
    Object.assign(row, fields);
    if (this.#inserted.has(row)) return;
    const tracked = this.#changed.get(row) ?? { table, fields: new Set<string>() };
    for (const field of Object.keys(fields)) tracked.fields.add(field);
    this.#changed.set(row, tracked);
  }

  /** Deletes all rows that belong to this owner. */
  clear(table: keyof typeof owners, ownerId: string): void {
    this.#cleared.set(table, (this.#cleared.get(table) ?? new Set()).add(ownerId));
  }

  toStatement(): { statement: Statement; values: string[] } {
    const parts = this.#parts();
    const names = parts.map((part, index) => `${part.kind}_${part.table}_${index}`);
    const ctes = parts.map((part, index) => {
      const earlier = names.filter(
        (_, other) => parts[other]!.table === part.table && order[parts[other]!.kind] < order[part.kind],
      );
      return `${names[index]!} AS (${sql(part, index + 1, earlier)} RETURNING 1)`;
    });
    return {
      statement: statement(`WITH ${ctes.join(',\n')}\nSELECT 1`),
      values: parts.map((part) => JSON.stringify(part.rows)),
    };
  }

  #parts(): Part[] {
    const parts = new Map<string, Part>();
    const add = (table: Table, kind: Part['kind'], fields: string[], row: object): void => {
      const key = `${kind} ${table} ${fields.join(' ')}`;
      const part = parts.get(key) ?? { table, kind, fields, rows: [] };
      part.rows.push(Object.fromEntries(fields.map((field) => [column(field), Reflect.get(row, field) as unknown])));
      parts.set(key, part);
    };
    for (const [table, ids] of this.#cleared) {
      const owner = owners[table];
      for (const id of ids) add(table, 'delete', [owner], { [owner]: id });
    }
    const changedOf = new Map<Table, Set<string>>();
    for (const { table, fields } of this.#changed.values()) {
      const all = changedOf.get(table) ?? new Set();
      for (const field of fields) all.add(field);
      changedOf.set(table, all);
    }
    for (const [row, { table, fields }] of this.#changed)
      add(table, 'update', ['id', ...columnsOf(row, fields, changedOf.get(table)!)], row);
    for (const [row, table] of this.#inserted) {
      add(
        table,
        'insert',
        Object.keys(row)
          .filter((field) => Reflect.get(row, field) !== undefined)
          .sort(),
        row,
      );
    }
    return [...parts.values()].sort((a, b) => order[a.kind] - order[b.kind]);
  }
}

/** Updates the union of a table's changed columns where the row has them all, so that rows with different changes share one UPDATE. */
const columnsOf = (row: object, fields: ReadonlySet<string>, all: ReadonlySet<string>): string[] =>
  [...([...all].every((field) => Reflect.get(row, field) !== undefined) ? all : fields)].sort();

/** Up to this many rows, a statement states its row count. Each count needs a plan of its own. */
const maxCountedRows = 16;

function sql(part: Part, parameter: number, earlier: string[]): string {
  const columns = part.fields.map((field) => `"${column(field)}"`);
  const rows = `json_populate_recordset(NULL::${part.table}, $${parameter}::json)`;
  // PostgreSQL estimates 100 rows for the function and would scan the whole table; LIMIT corrects the estimate.
  const found = part.rows.length > maxCountedRows ? rows : `(SELECT * FROM ${rows} LIMIT ${part.rows.length})`;
  if (part.kind === 'delete') {
    return `DELETE FROM ${part.table} t USING ${found} n WHERE t.${columns[0]!} = n.${columns[0]!}`;
  }
  if (part.kind === 'update') {
    const sets = columns.slice(1).map((name) => `${name} = n.${name}`);
    return `UPDATE ${part.table} t SET ${sets.join(', ')} FROM ${found} n WHERE t.id = n.id`;
  }
  // Counting the earlier parts makes PostgreSQL run them to their end first.
  const after =
    earlier.length === 0 ? '' : ` WHERE ${earlier.map((name) => `(SELECT count(*) FROM ${name}) >= 0`).join(' AND ')}`;
  return `INSERT INTO ${part.table} (${columns.join(', ')}) SELECT ${columns.join(', ')} FROM ${rows} n${after}`;
}
