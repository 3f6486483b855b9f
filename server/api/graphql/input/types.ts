import type { InputFieldMap } from '@pothos/core';
import type { z } from 'zod';
import { builder, type Types } from '../builder.ts';
import { shownAs } from './schemas.ts';

/**
 * Derives GraphQL input types from zod schemas: type, optionality, default, and description (the outermost `.describe`).
 * `showAs` adds what zod cannot express.
 */

type Type = Parameters<PothosSchemaTypes.InputFieldBuilder<Types, 'InputObject'>['field']>[0]['type'];
interface Shown {
  type: Type | [Type];
  required: boolean;
}
type Fields = Readonly<Record<string, z.ZodType>>;

/** The arguments of a field. The resolver gets them undecoded and calls `decodeArgs` with the same schema. */
export const argsOf = (schema: z.ZodObject): Record<never, never> =>
  builder.args((t) => fieldsOf(t, schema.shape as Fields));

const objects = new Map<string, Type>();

export function inputType(name: string, description: string, schema: z.ZodType): Type {
  const known = objects.get(name);
  if (known !== undefined) return known;
  const type = builder.inputType(name, { description, fields: (t) => fieldsOf(t, shapeOf(schema)) });
  objects.set(name, type);
  return type;
}

function fieldsOf(t: { field: (options: never) => unknown }, shape: Fields): InputFieldMap {
  return Object.fromEntries(
    Object.entries(shape).map(([name, schema]) => {
      const description = descriptionOf(schema);
      if (description === undefined)
        throw new Error(`The input '${name}' has no description: say what it is with .describe()`);
      return [name, t.field({ ...shownOf(schema), description, defaultValue: shownAs(schema).defaultValue } as never)];
    }),
  ) as InputFieldMap;
}

const scalars: Readonly<Record<string, string>> = {
  string: 'String',
  number: 'Int',
  boolean: 'Boolean',
  date: 'DateTime',
  unknown: 'JSON',
};

/** The GraphQL type of a schema's input, not of its output. */
function shownOf(schema: z.ZodType): Shown {
  const { def, inner } = inside(schema);
  if (inner !== undefined) return { ...shownOf(inner), ...(isOptional(def) && { required: false }) };
  const { type, object, items } = shownAs(schema);
  if (type !== undefined) return { type: type as Type, required: true };
  if (object !== undefined) return { type: inputType(object.name, object.description, schema), required: true };
  const item = items ?? def.element;
  if (item !== undefined) return { type: [shownOf(item).type as Type], required: true };
  const scalar = scalars[def.type];
  if (scalar === undefined)
    throw new Error(`There is no type of GraphQL for '${def.type}' of zod: give it one with showAs`);
  return { type: scalar as Type, required: true };
}

function descriptionOf(schema: z.ZodType): string | undefined {
  const { innerType, in: from } = schema.def as unknown as Def;
  const inner = innerType ?? from;
  return schema.description ?? (inner && descriptionOf(inner));
}

function shapeOf(schema: z.ZodType): Fields {
  const { shape, innerType, in: from } = schema.def as unknown as Def;
  return shape ?? shapeOf((innerType ?? from)!);
}

interface Def {
  type: string;
  innerType?: z.ZodType;
  in?: z.ZodType;
  element?: z.ZodType;
  shape?: Fields;
}

const isOptional = ({ type }: Def): boolean => type === 'optional' || type === 'nullable';

/** The inner schema, unless `showAs` gives this one a type. */
function inside(schema: z.ZodType): { def: Def; inner: z.ZodType | undefined } {
  const def = schema.def as unknown as Def;
  const { type, items, object } = shownAs(schema);
  return {
    def,
    inner: type === undefined && items === undefined && object === undefined ? (def.innerType ?? def.in) : undefined,
  };
}
