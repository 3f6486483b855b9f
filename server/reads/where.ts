import { ownAgent, type ReaderIds, type Rights } from '../core/rights.ts';
import type { Column, Relation, Table, Tables } from './tables.ts';

/** The values of a statement, in the order of their numbers. */
export class Values {
  readonly all: unknown[];

  constructor(given: readonly unknown[] = []) {
    this.all = [...given];
  }

  /** The placeholder of a value. */
  add(value: unknown): string {
    return `$${this.all.push(value)}`;
  }
}

/** Stands among the values of a statement for an id of its reader. */
class OwnId {
  constructor(readonly of: (reader: Rights) => string | null) {}
}
const ownAgentId = new OwnId(ownAgent);
const ownKeyId = new OwnId(({ keyId }) => keyId ?? null);

/** The reader's ids, placed where a condition first names them: PostgreSQL refuses a value that no condition has. */
export class OwnIds implements ReaderIds {
  #agent: string | undefined;
  #key: string | undefined;

  constructor(readonly values: Values) {}

  get agent(): string {
    return (this.#agent ??= this.values.add(ownAgentId));
  }

  get key(): string {
    return (this.#key ??= this.values.add(ownKeyId));
  }
}

/** The values of a statement for this reader. */
export const valuesFor = ({ all }: Values, reader: Rights): unknown[] =>
  all.map((value) => (value instanceof OwnId ? value.of(reader) : value));

type Where = Readonly<Record<string, unknown>>;
type Operators = Readonly<Record<string, unknown>>;

/**
 * Writes conditions of Prisma's `where`. Throws for one that it does not know. Below a relation a comparison with NULL is
 * false, as for any EXISTS, also where NOT stands before the relation.
 */
export class Conditions {
  #aliases = 0;

  constructor(
    readonly tables: Tables,
    readonly values: Values,
  ) {}

  /** The condition for a row of the table with this alias. */
  of(table: Table, row: string, where: Where): string {
    const all = Object.entries(where).flatMap(([name, value]) =>
      value === undefined ? [] : [this.#part(table, row, name, value)],
    );
    return joined(all, ' AND ', 'true');
  }

  #part(table: Table, row: string, name: string, value: unknown): string {
    const each = (): string[] => listed(value).map((one) => this.of(table, row, one as Where));
    if (name === 'AND') return joined(each(), ' AND ', 'true');
    if (name === 'OR') return joined(each(), ' OR ', 'false');
    if (name === 'NOT') return joined(each().map(negated), ' AND ', 'true');
    const field = table.fields.get(name);
    if (field === undefined) throw new Error(`No field ${table.model}.${name}`);
    return field.kind === 'column'
      ? this.#compared(table, row, field, value)
      : this.#related(row, field, value as Operators | null);
  }

  #related(row: string, relation: Relation, value: Operators | null): string {
    if (value === null) return negated(this.#exists(row, relation, {}));
    if (!relation.isList && Object.keys(value).length === 0) return 'true';
    const { some, every, none, is, isNot, ...direct } = value as Record<string, Where | null | undefined>;
    const all: string[] = [];
    if (some != null) all.push(this.#exists(row, relation, some));
    if (none != null) all.push(negated(this.#exists(row, relation, none)));
    if (every != null) all.push(negated(this.#exists(row, relation, { NOT: every })));
    if (is !== undefined) all.push(is === null ? this.#related(row, relation, null) : this.#exists(row, relation, is));
    if (isNot !== undefined) all.push(negated(this.#related(row, relation, { is: isNot })));
    if (Object.keys(direct).length > 0) all.push(this.#exists(row, relation, direct));
    return joined(all, ' AND ', 'true');
  }

  #exists(row: string, relation: Relation, where: Where): string {
    const other = this.tables.get(relation.model)!;
    const alias = `w${(this.#aliases += 1)}`;
    return `EXISTS (SELECT FROM ${other.sql} ${alias} WHERE ${related(row, relation, alias)} AND ${this.of(other, alias, where)})`;
  }

  #compared(table: Table, row: string, { sql, isList }: Column, given: unknown): string {
    const column = `${row}.${sql}`;
    if (!isOperators(given)) return this.#operation(table, row, column, 'equals', given);
    const { mode, ...operators } = given;
    if (isList && !('equals' in operators)) throw new Error(`A condition on the list ${table.model}.${sql}`);
    const all = Object.entries(operators).flatMap(([name, value]) =>
      value === undefined ? [] : [this.#operation(table, row, column, name, value, mode === 'insensitive')],
    );
    return joined(all, ' AND ', 'true');
  }

  #operation(table: Table, row: string, column: string, name: string, given: unknown, insensitive = false): string {
    const value = (): string =>
      isColumn(given) ? `${row}.${(table.fields.get(given.name) as Column).sql}` : this.values.add(given);
    const like = (pattern: string): string => `${column} ${insensitive ? 'ILIKE' : 'LIKE'} ${this.values.add(pattern)}`;
    switch (name) {
      case 'equals':
        return given === null ? `${column} IS NULL` : `${column} = ${value()}`;
      case 'not':
        if (given === null) return `${column} IS NOT NULL`;
        return isOperators(given)
          ? joined(
              Object.entries(given).map(([one, its]) => negated(this.#operation(table, row, column, one, its))),
              ' AND ',
              'true',
            )
          : `${column} <> ${value()}`;
      case 'in':
        // With one value an index of this column and the order of the list gives the rows in order; with ANY it does not.
        return Array.isArray(given) && given.length === 1
          ? this.#operation(table, row, column, 'equals', given[0])
          : `${column} = ANY (${value()})`;
      case 'notIn':
        return `${column} <> ALL (${value()})`;
      case 'lt':
        return `${column} < ${value()}`;
      case 'lte':
        return `${column} <= ${value()}`;
      case 'gt':
        return `${column} > ${value()}`;
      case 'gte':
        return `${column} >= ${value()}`;
      case 'contains':
        return like(`%${String(given)}%`);
      case 'startsWith':
        return like(`${String(given)}%`);
      case 'endsWith':
        return like(`%${String(given)}`);
      default:
        throw new Error(`No condition ${name} on ${table.model}.${column}`);
    }
  }
}

/**
 * Whether one plan serves all values of a condition: it compares at most one column, of a relation, whose index finds the rows. For
 * others a plan without the values reads a whole table when they are rare: 9 s instead of 3 ms for the Handoffs of a rare project.
 */
export function hasOnePlan(table: Table, where: object): boolean {
  let references = 0;
  const fits = (part: object): boolean =>
    Object.entries(part).every(([name, value]: [string, unknown]) => {
      if (name === 'AND') return listed(value).every((each) => fits(each as object));
      if (value === undefined) return true;
      const field = table.fields.get(name);
      if (field?.kind === 'relation') return value !== null && Object.keys(value).length === 0;
      if (value === null) return true;
      return field?.refers === true && isEquality(value) && (references += 1) === 1;
    });
  return fits(where);
}

/** The condition that joins a row to the rows of its relation. */
export const related = (row: string, { on }: Relation, other: string): string =>
  on.map(([own, its]) => `${other}.${its} = ${row}.${own}`).join(' AND ');

export const listed = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

const joined = (parts: readonly string[], word: string, none: string): string =>
  parts.length < 2 ? (parts[0] ?? none) : `(${parts.join(word)})`;

const negated = (condition: string): string => `NOT (${condition})`;

const isOperators = (value: unknown): value is Operators =>
  typeof value === 'object' &&
  value !== null &&
  !(value instanceof Date || Array.isArray(value) || ArrayBuffer.isView(value) || isColumn(value));

const isEquality = (value: unknown): boolean =>
  !isOperators(value) || (Array.isArray(value['in']) && value['in'].length === 1 && Object.keys(value).length === 1);

/** A column as `prisma.agent.fields` gives it. */
const isColumn = (value: unknown): value is { modelName: string; name: string } =>
  typeof value === 'object' && value !== null && 'modelName' in value && 'name' in value;
