import { column } from '../core/rows.ts';
import { getDatamodel } from '../generated/pothos-types.ts';

// What Prisma knows of each model, by name, and the names that PostgreSQL has for it.

export interface Field {
  name: string;
  kind: string;
  type: string;
  isList: boolean;
  relationFromFields?: readonly string[];
}
export type Fields = ReadonlyMap<string, Field>;

const models = new Map<string, Fields>(
  Object.entries(getDatamodel().datamodel.models).map(([name, { fields }]) => [name, new Map((fields as readonly Field[]).map((field) => [field.name, field]))]),
);
export const fieldsOf = (model: string): Fields => models.get(model) ?? new Map<string, Field>();

// Names as the @map of every field and the @@map of every model have them.
export const quoted = (field: string): string => `"${column(field)}"`;
export const tableOf = (model: string): string => `"${column(model.charAt(0).toLowerCase() + model.slice(1))}s"`;

// PostgreSQL's client makes the same values of these as Prisma does.
const plainTypes = new Set(['String', 'Int', 'Boolean', 'DateTime', 'Json']);
export const isColumn = ({ kind, type }: Field): boolean => kind === 'enum' || (kind === 'scalar' && plainTypes.has(type));
