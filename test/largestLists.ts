import {
  getNamedType,
  getNullableType,
  type GraphQLInputType,
  isEnumType,
  isInputObjectType,
  isListType,
  isRequiredInputField,
} from 'graphql';
import { schema } from '../server/api/graphql/schema.ts';
import { limits } from '../server/core/limits.ts';

/** A place in the variables of an operation that takes any number of values: names, and `0` for the first item of a list. */
export interface Place {
  path: readonly string[];
  /** The values to put there, so many of them. */
  fills: Record<string, (count: number) => unknown>;
}

/** A request whose lists are as long as a body and the limits of values allow. */
export interface LargestList {
  name: string;
  kind: 'query' | 'mutation' | 'subscription';
  field: string;
  variables(given: object): object;
}

const list =
  (item: unknown) =>
  (count: number): unknown[] =>
    Array.from({ length: count }, () => item);
const named =
  (prefix: string) =>
  (count: number): object =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`${prefix}${n.toString(36)}`, 0]));

/** JSON of many small values, and texts that are read as JSON or as events. */
const manyOfJson: Place['fills'] = {
  numbers: list(0),
  texts: list(''),
  'empty objects': list({}),
  'lists in a list': list([]),
  'small objects': list({ a: 0 }),
  names: named('n'),
  'reserved names': named('_'),
  'handoff names': named('_handoff_'),
  'deep lists': list(Array.from({ length: 25 }).reduce<unknown>((inner) => [inner], 0)),
  'a text of objects': (count) => JSON.stringify(list({})(count)),
  'a text of names': (count) => JSON.stringify(named('n')(count)),
  'a text of lines': (count) => '{}\n'.repeat(count),
  'a text of events': (count) => 'data:{}\n\n'.repeat(count),
  'a text of comments': (count) => ':\n'.repeat(count),
  'a text of no events': (count) => 'x\n'.repeat(count),
  'a text of line breaks': (count) => '\r'.repeat(count),
  'a text of events that end with a carriage return': (count) => 'data:{}\r\r'.repeat(count),
  'a text of broken lines': (count) => '{\n'.repeat(count),
  'a text of broken events': (count) => 'data:{\n\n'.repeat(count),
  'a text of broken texts': (count) => '{"\n'.repeat(count),
  'a list of broken texts': list('{'),
  'calls of a tool': list({ type: 'tool_use', name: 'a', input: '{' }),
  'calls of a function': list({ type: 'function_call', name: 'a', arguments: '{' }),
  'parts of a call': list({ type: 'content_block_start', index: 0, content_block: {} }),
};
/** Around JSON, by the name of its place: what an answer of a model, the arguments of a tool and a schema have in them. */
const around: Record<string, Record<string, (inner: unknown) => unknown>> = {
  response: {
    ' as content': (content) => ({ type: 'message', role: 'assistant', content }),
    ' as the input of a call': (input) => ({
      content: [{ type: 'tool_use', id: 'c', name: 'transfer_to_bob', input }],
    }),
    ' as the arguments of a call': (given) => ({
      choices: [{ message: { tool_calls: [{ id: 'c', function: { name: 'transfer_to_bob', arguments: given } }] } }],
    }),
  },
  arguments: { ' as variables': (variables) => ({ reason: 'x', variables }) },
  payloadSchema: {
    ' as properties': (properties) => ({ type: 'object', properties }),
    ' as values': (values) => ({ enum: values }),
  },
};
const bare = (inner: unknown): unknown => inner;
/** Elsewhere JSON is only stored: these take longest. */
const stored = new Set(['texts', 'empty objects', 'small objects', 'names', 'reserved names', 'a text of objects']);

function smallest(type: GraphQLInputType): unknown {
  const own = getNullableType(type);
  if (isListType(own)) return [];
  if (isEnumType(own)) return own.getValues()[0]!.name;
  if (isInputObjectType(own))
    return Object.fromEntries(
      Object.values(own.getFields())
        .filter(isRequiredInputField)
        .map((field) => [field.name, smallest(field.type)]),
    );
  const scalars: Record<string, unknown> = { Int: 0, Float: 0, Boolean: true, DateTime: '2026-01-01T00:00:00Z' };
  return scalars[own.name] ?? 'x';
}

/** The places below one argument, also those in the first item of a list. */
function placesIn(type: GraphQLInputType, path: readonly string[]): Place[] {
  const own = getNullableType(type);
  if (isListType(own)) {
    const short = (item: unknown) => (count: number) => list(item)(Math.min(count, limits.inputs.list));
    const fills: Place['fills'] = { '': short(smallest(own.ofType)) };
    if (isInputObjectType(getNamedType(own))) fills[' of nothing'] = short({});
    return [{ path, fills }, ...placesIn(own.ofType, [...path, '0'])];
  }
  if (isInputObjectType(own))
    return Object.values(own.getFields()).flatMap((field) => placesIn(field.type, [...path, field.name]));
  return own.name === 'JSON' ? [{ path, fills: manyOfJson }] : [];
}

/** Puts a value at a place; what is missing around it is the smallest. */
function put(type: GraphQLInputType, value: unknown, [name, ...rest]: readonly string[], filled: unknown): unknown {
  if (name === undefined) return filled;
  const own = getNullableType(type);
  if (isListType(own)) {
    const [first, ...items] = Array.isArray(value) ? (value as unknown[]) : [];
    return [put(own.ofType, first, rest, filled), ...items];
  }
  if (!isInputObjectType(own)) throw new Error(`${String(own)} has no ${name}`);
  const before = { ...(smallest(own) as object), ...(value as object | undefined) } as Record<string, unknown>;
  return { ...before, [name]: put(own.getFields()[name]!.type, before[name], rest, filled) };
}

/** Room in a body for variables. */
const room = limits.body.json - 2_000;

/** The largest count at which the text of a value has this size. */
function countFor(fill: (count: number) => unknown, bytes: number): number {
  const [some, more] = [100, 200].map((count) => JSON.stringify(fill(count)).length);
  return Math.floor(((bytes - some!) / (more! - some!)) * 100 + 100);
}

interface Filled {
  name: string;
  path: readonly string[];
  fill: (count: number) => unknown;
}

/** Every list and every JSON of every root field, filled in each way, alone and two together. `share`: of what the body has room for. */
export function largestLists(): ((share: number) => LargestList)[] {
  const roots = [
    ['query', schema.getQueryType()],
    ['mutation', schema.getMutationType()],
    ['subscription', schema.getSubscriptionType()],
  ] as const;
  return roots.flatMap(([kind, root]) =>
    Object.values(root!.getFields()).flatMap((field) => {
      const single: Filled[] = field.args
        .flatMap((arg) => placesIn(arg.type, [arg.name]))
        .flatMap(({ path, fills }) =>
          Object.entries(fills).flatMap(([what, fill]) =>
            fills === manyOfJson && !(path.at(-1)! in around) && !stored.has(what)
              ? []
              : [['', bare] as const, ...Object.entries(around[path.at(-1)!] ?? {})].map(([where, wrap]): Filled => ({
                  name: `${path.join('.')}: ${what || 'the smallest'}${where}`,
                  path,
                  fill: (count) => wrap(fill(count)),
                })),
          ),
        );
      const plain = single.filter(({ name }) => /: (the smallest|small objects)$/.test(name));
      const pairs = plain.flatMap((one, at) =>
        plain.slice(at + 1).flatMap((other) => (isBelow(one, other) || isBelow(other, one) ? [] : [[one, other]])),
      );
      return [...single.map((one) => [one]), ...pairs].map((filled) => (share: number): LargestList => ({
        name: `${field.name}: ${filled.map(({ name }) => name).join(' and ')}`,
        kind,
        field: field.name,
        variables: (given) =>
          filled.reduce<Record<string, unknown>>(
            (variables, { path: [argument, ...path], fill }) => {
              const { type } = field.args.find(({ name }) => name === argument)!;
              const made = fill(countFor(fill, (share * room) / filled.length));
              return { ...variables, [argument!]: put(type, variables[argument!], path, made) };
            },
            { ...given },
          ),
      }));
    }),
  );
}

/** A list replaces what was put below it. */
const isBelow = ({ path }: Filled, { path: above }: Filled): boolean =>
  above.length < path.length && above.every((name, at) => name === path[at]);
