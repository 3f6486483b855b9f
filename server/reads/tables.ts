import { getDatamodel } from '../generated/pothos-types.ts';
import type { Prisma, PrismaClient } from '../generated/prisma/client.ts';

export interface Column {
  kind: 'column';
  /** Name in SQL. */
  sql: string;
  /** Prisma's scalar type; `Enum` for every enum. */
  type: string;
  isList: boolean;
  /** Whether it is a key, or that of another table. */
  refers: boolean;
}

export interface Relation {
  kind: 'relation';
  model: string;
  isList: boolean;
  /** Pairs of columns that are equal: of this table, and of the other. */
  on: [own: string, other: string][];
}

export interface Table {
  model: Prisma.ModelName;
  /** Name in SQL. */
  sql: string;
  fields: ReadonlyMap<string, Column | Relation>;
}

export type Tables = ReadonlyMap<string, Table>;

/** The names of tables and columns, which the generated client holds. */
interface Names {
  models: Record<string, { dbName: string | null; fields: { name: string; dbName?: string }[] }>;
}

type Model = ReturnType<typeof getDatamodel>['datamodel']['models'][string];
type Field = Model['fields'][number];

const known = new WeakMap<Names, Tables>();

/** The tables of Prisma's data model. */
export function tablesOf(prisma: PrismaClient): Tables {
  const names = Reflect.get(prisma, '_runtimeDataModel') as Names;
  let tables = known.get(names);
  if (tables === undefined) known.set(names, (tables = describe(names)));
  return tables;
}

function describe(names: Names): Tables {
  const { models } = getDatamodel().datamodel;
  const columns = new Map<string, string>();
  for (const [model, { fields }] of Object.entries(names.models))
    for (const { name, dbName } of fields) columns.set(`${model}.${name}`, quoted(dbName ?? name));
  const columnOf = (model: string, name: string): string => columns.get(`${model}.${name}`)!;

  const describeField = (model: string, field: Field): Column | Relation => {
    const { kind, type, isList = false } = field;
    if (kind !== 'object')
      return {
        kind: 'column',
        sql: columnOf(model, field.name),
        type: kind === 'enum' ? 'Enum' : type,
        isList,
        refers:
          field.isId ||
          models[model]!.fields.some(({ relationFromFields }) => relationFromFields?.includes(field.name)),
      };
    const owner = ownerOf(models, model, field);
    const from = owner.field.relationFromFields!.map((name) => columnOf(owner.model, name));
    const to = keyOf(models[owner.field.type]!).map((name) => columnOf(owner.field.type, name));
    if (from.length !== to.length)
      throw new Error(`${owner.model}.${owner.field.name} does not refer to a primary key`);
    const on = from.map((column, index): [string, string] => [column, to[index]!]);
    return {
      kind: 'relation',
      model: type,
      isList,
      on: owner.field === field ? on : on.map(([own, other]) => [other, own]),
    };
  };
  return new Map(
    Object.entries(models).map(([model, { fields }]) => [
      model,
      {
        model: model as Prisma.ModelName,
        sql: quoted(names.models[model]!.dbName ?? model),
        fields: new Map(fields.map((field) => [field.name, describeField(model, field)])),
      },
    ]),
  );
}

/** The side of a relation that has its columns. */
function ownerOf(models: Record<string, Model>, model: string, field: Field): { model: string; field: Field } {
  if ((field.relationFromFields ?? []).length > 0) return { model, field };
  const other = models[field.type]!.fields.find(
    ({ type, relationName, relationFromFields = [] }) =>
      type === model && relationName === field.relationName && relationFromFields.length > 0,
  )!;
  return { model: field.type, field: other };
}

const keyOf = ({ primaryKey, fields }: Model): readonly string[] =>
  primaryKey?.fields ?? fields.filter(({ isId }) => isId).map(({ name }) => name);

const quoted = (name: string): string => `"${name}"`;
