import { z } from 'zod';
import { BadUserInputError, LimitExceededError } from '../../../core/errors.ts';
import {
  blank,
  faultOfAgentType,
  faultOfInteger,
  faultOfSlug,
  overlong,
  shown,
  tooManyCharacters,
  unstorable,
} from '../../../core/faults.ts';
import { decodeId, type IdPrefix, isAgentId } from '../../../core/ids.ts';
import { limits } from '../../../core/limits.ts';
import { isWorkspaceId, withoutCredentials } from '../../../core/workspace.ts';
import { redactText } from '../../../work/redaction/redact.ts';
import type { Types } from '../builder.ts';
import { badArgument } from './badArgument.ts';
import { NotJson } from './jsonScalar.ts';

/**
 * Schemas of input, checked before anything else (rule: order of refusals). Each message follows the path:
 * "input.title has 620 characters; the limit is 500: shorten it".
 */

/** Parts of the GraphQL schema that zod cannot hold. */
interface Shown {
  type?: string | { name: string };
  object?: { name: string; description: string };
  items?: z.ZodType;
  defaultValue?: unknown;
}
const registry = z.registry<object>();
export const shownAs = (schema: z.ZodType): Shown => registry.get(schema) ?? {};
export function showAs<S extends z.ZodType>(schema: S, shown: Shown): S {
  // Two marks of one object would be those of the later one, in every field that has it.
  if (registry.has(schema)) throw new Error('a schema is shown in one way: build another one');
  registry.add(schema, shown);
  return schema;
}

/** Decodes the `input` of a mutation. @throws BadUserInputError, LimitExceededError: members of its union. */
export const decodeInput = <S extends z.ZodType>(schema: S, input: unknown): z.output<S> =>
  decode(schema, input, ['input'], (message, path) => new BadUserInputError(message, path));

/** Decodes the arguments of a query. @throws top-level BAD_USER_INPUT or LIMIT_EXCEEDED. */
export const decodeArgs = <S extends z.ZodType>(schema: S, args: unknown): z.output<S> =>
  decode(schema, args, [], badArgument);

function decode<S extends z.ZodType>(
  schema: S,
  value: unknown,
  from: readonly string[],
  bad: (message: string, path: readonly string[]) => Error,
): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0]!;
  if (issue.code === 'custom' && issue.params?.['tooMany'] !== undefined) {
    const { what, limit, actual, advice } = issue.params['tooMany'] as TooMany;
    throw new LimitExceededError(what, limit, actual, advice);
  }
  const path = [...from, ...issue.path.map(String)];
  throw bad(`${path.join('.')} ${issue.message}`, path);
}

interface TooMany {
  what: string;
  limit: number;
  actual: number;
  advice: string;
}

/** A zod check from a function that returns an error message or null. */
export const faultless =
  <T>(faultOf: (value: T) => string | null) =>
  ({ value, issues }: { value: T; issues: z.core.$ZodRawIssue[] }): void => {
    const message = faultOf(value);
    if (message !== null) issues.push({ code: 'custom', message, input: value });
  };

/** May be omitted or null; decodes to null. */
export const optional = <S extends z.ZodType>(schema: S) => schema.nullish().transform((value) => value ?? null);

/** May be omitted or null; decodes to the default, which GraphQL shows. */
export const withDefault = <S extends z.ZodType, const D extends z.output<S>>(schema: S, defaultValue: D) =>
  showAs(
    schema.nullish().transform((value) => value ?? defaultValue),
    { defaultValue },
  );

/** The `where` of a list. Without it the filter's own defaults apply. */
export const whereOf = <S extends z.ZodType>(filter: S) =>
  optional(filter).transform((where) => where ?? filter.parse({}));

/** A field of an update. Omitted or null: unchanged. */
export const kept = <S extends z.ZodType>(schema: S) => schema.nullish().transform((value) => value ?? undefined);

/** A field of an update that null clears. Omitted: unchanged. */
export const clearable = <S extends z.ZodType>(schema: S) => schema.nullish();

/** A value of a GraphQL enum. graphql-js has refused other values. */
export const oneOf = <Value extends string>(type: EnumRef<Value>) => showAs(z.custom<Value>(), { type });

/** A list of enum values without duplicates. */
export const someOf = <Value extends string>(type: EnumRef<Value>) =>
  z.array(oneOf(type)).transform((given) => [...new Set(given)]);

type EnumRef<Value extends string> = PothosSchemaTypes.EnumRef<Types, Value>;

/** An input type of GraphQL with that name, other than the `input` of a mutation. */
export const inputObject = <S extends z.ZodType>(name: string, description: string, schema: S) =>
  showAs(schema, { object: { name, description } });

const article = (noun: string): string => (/^[aeiou]/.test(noun) ? `an ${noun}` : `a ${noun}`);
const nouns: Record<IdPrefix, string> = {
  session: 'session',
  agentsession: 'agent session',
  handoff: 'handoff',
  turn: 'turn',
  message: 'message',
  toolcall: 'tool call',
  decision: 'decision',
  task: 'task',
  snapshot: 'context snapshot',
  event: 'event',
  key: 'key',
  tool: 'handoff tool',
  pipeline: 'pipeline',
  question: 'question',
  webhook: 'webhook',
  delivery: 'delivery',
};

/** A public id with one of these prefixes; decodes to its UUID. */
export const idOf = (...prefixes: [IdPrefix, ...IdPrefix[]]) =>
  showAs(z.string(), { type: 'ID' }).transform((id, { issues }) => {
    const decoded = decodeId(id);
    if (decoded !== null && prefixes.includes(decoded.prefix)) return decoded.uuid;
    const wanted = `give the id of ${prefixes.map((prefix) => article(nouns[prefix])).join(' or ')}`;
    const message =
      decoded === null
        ? `is ${shown(id)}, which is not an id: ${wanted}, ${prefixes.map((prefix) => `${prefix}_`).join(' or ')} and 26 characters`
        : `is the id of ${article(nouns[decoded.prefix])}: ${wanted}`;
    issues.push({ code: 'custom', message, input: id });
    return z.NEVER;
  });

/** A well-formed Agent id; the Agent need not exist. */
export const agentId = showAs(
  z.string().check(
    faultless((id) => {
      if (isAgentId(id)) return null;
      const decoded = decodeId(id);
      return decoded === null
        ? `is ${shown(id)}, which is not an agent id: 1 to 52 lower-case letters, digits, '-' and '_', a letter or digit at both ends`
        : `is the id of ${article(nouns[decoded.prefix])}: give the id of an agent`;
    }),
  ),
  { type: 'ID' },
);

export const agentType = z.string().check(faultless(faultOfAgentType));

/** Named as agents are. */
export const pipelineSlug = z.string().check(faultless(faultOfSlug));

type Size = { characters: number } | { bytes: number };

const oversized = (text: string, size: Size): string | null =>
  'characters' in size
    ? tooManyCharacters(text, size.characters)
    : overlong(Buffer.byteLength(text), size.bytes, 'bytes');

/** A text within the size, possibly empty, that PostgreSQL can store. */
export const text = (size: Size) => z.string().check(faultless((value) => unstorable(value) ?? oversized(value, size)));

export const nonBlank = (size: Size) => text(size).check(faultless(blank));

/** An Agent as people and models name it: its id, or a display name, a role or a type that it alone has. */
export const agentMeant = showAs(
  nonBlank({ characters: 200 }).check(
    faultless((name) => {
      const decoded = decodeId(name);
      return decoded === null ? null : `is the id of ${article(nouns[decoded.prefix])}: give the id of an agent`;
    }),
  ),
  { type: 'ID' },
);
export const names = 'Its id, or a display name, a role or a type that it alone has among those that may be meant.';

export const KB = 1024;
export const title = nonBlank({ characters: limits.fields.titleCharacters });
export const reason = text({ bytes: limits.fields.reason });
export const summary = text({ bytes: limits.fields.summary });
/** A message or the result of a tool. */
export const content = text({ bytes: limits.fields.content });
// A secret is refused: an id with a mark in its place would find nothing. Each has a schema of its own: `showAs` marks the object.
const foreignId = () =>
  nonBlank({ characters: limits.fields.externalIdCharacters }).check(
    faultless((value) => (redactText(value).count === 0 ? null : 'looks like a secret: give an id')),
  );
/** Id of the work in another system. */
export const externalId = foreignId();
/** Id of a process that works for agents, as it names itself. */
export const runnerId = showAs(foreignId(), { type: 'ID' });
export const project = nonBlank({ characters: limits.fields.projectCharacters });
/** Id of a folder of a machine. */
export const workspaceIdText = z
  .string()
  .check(
    faultless((id) =>
      isWorkspaceId(id) ? null : `is ${shown(id)}, which is not the id of a workspace: ws_ and 20 hex digits`,
    ),
  );
const place = nonBlank({ bytes: 1_024 });
/** Where the work of a Session is done. */
export const sessionWorkspace = inputObject(
  'SessionWorkspaceInput',
  'Where the work is done. Null fields are unknown.',
  z.object({
    host: place.describe('Name of the machine: at most 1 KB.'),
    folder: place.describe(
      'Root of the repository or of the worktree, without one the working folder, as an absolute path without links: at most 1 KB.',
    ),
    repository: optional(place.transform(withoutCredentials)).describe(
      'Address of the repository, such as the URL of its remote: at most 1 KB. User and password are removed.',
    ),
    branch: optional(place).describe('The git branch: at most 1 KB.'),
    commit: optional(place).describe('The last git commit, full or shortened: at most 1 KB.'),
  }),
);
const idempotencyKey = nonBlank({ characters: limits.fields.idempotencyKeyCharacters });

/** The `idempotencyKey` of a mutation (rule: idempotency). */
export const keyField = {
  idempotencyKey: optional(idempotencyKey).describe(
    '1 to 128 characters, chosen by you. Repeating the same input with the same key within 24 hours returns the same answer and has no second effect.',
  ),
};

/** For input with `queue`, which waits for any Agent of a type. */
export const waitsForType = (input: { queue: boolean; agentId: string | null; agentType: string | null }): boolean =>
  !input.queue || (input.agentId === null && input.agentType !== null);
export const queueNeedsType = {
  message: 'waits for any agent of a type: give agentType and leave out agentId',
  path: ['queue'],
};

/** A time that `timestamptz` stores and returns unchanged. */
export const instant = z
  .date()
  .check(
    faultless((at) =>
      at.getUTCFullYear() >= 1 && at.getUTCFullYear() <= 9999
        ? null
        : 'is outside the years 1 to 9999: give another time',
    ),
  );

export const integer = (least: number, most?: number) => z.number().check(faultless(faultOfInteger(least, most)));

const maxDepth = limits.json.depth;

/**
 * Any JSON value of at most 32 levels that PostgreSQL can store. Faults are reported with their path. Without a size it may be as large
 * as a request.
 */
export const json = (size?: { bytes: number }) =>
  z.unknown().check(({ value, issues }) => {
    const fault = faultIn(value, []) ?? (size === undefined ? null : wholeFault(value, size));
    if (fault !== null) issues.push({ code: 'custom', message: fault.message, path: fault.path, input: value });
  });

interface Fault {
  path: string[];
  message: string;
}

function wholeFault(value: unknown, size: Size): Fault | null {
  const message = value === undefined ? null : oversized(JSON.stringify(value), size);
  return message === null ? null : { path: [], message };
}

/** `path` is that of the value, and is given back as it was. */
function faultIn(value: unknown, path: string[]): Fault | null {
  if (typeof value === 'string') {
    const message = unstorable(value);
    return message === null ? null : { path: [...path], message };
  }
  if (typeof value === 'number') {
    const message = inexact(value);
    return message === null ? null : { path: [...path], message };
  }
  if (value instanceof NotJson) return { path: [...path], message: value.message };
  if (typeof value !== 'object' || value === null) return null;
  if (path.length >= maxDepth) return { path: [], message: `is nested more than ${maxDepth} levels deep: flatten it` };
  for (const key of Object.keys(value)) {
    const wrongKey = unstorable(key);
    if (wrongKey !== null) return { path: [...path], message: `has a name that ${wrongKey}` };
    path.push(key);
    const fault = faultIn(Reflect.get(value, key), path);
    path.pop();
    if (fault !== null) return fault;
  }
  return null;
}

/** Refuses unsafe integers, which lost digits in parsing. From 1e21 on JSON writes numbers with an exponent: these are accepted. */
function inexact(value: number): string | null {
  if (!Number.isFinite(value)) return 'is a number that JSON cannot hold';
  if (!Number.isInteger(value) || Number.isSafeInteger(value) || Math.abs(value) >= 1e21) return null;
  return `is ${value}, but integers are exact only up to ${Number.MAX_SAFE_INTEGER}: send it as a string`;
}

const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const jsonObject = (size: { bytes: number }) =>
  json(size)
    .refine(isPlainObject, { message: 'is not an object: give names and values' })
    .transform((value) => value);

export const metadata = json({ bytes: limits.fields.json });

/** Context variables by name. Names that begin with `_` are reserved. */
export const contextVariables = jsonObject({ bytes: limits.fields.json }).check(
  faultless((variables) => {
    const wrong = Object.keys(variables).find((name) => name === '' || name.startsWith('_') || [...name].length > 128);
    return wrong === undefined
      ? null
      : `has the name ${shown(wrong)}: a name has 1 to 128 characters and does not begin with '_'`;
  }),
);

/** A list. More than `limit` items are LIMIT_EXCEEDED, before any item is checked. `advice` ends the message. `isFilled`: at least one item. */
export const listOf = <S extends z.ZodType>(
  item: S,
  { what, limit, advice, isFilled = false }: Omit<TooMany, 'actual'> & { isFilled?: boolean },
) =>
  showAs(
    z
      .array(z.unknown())
      .check(({ value, issues }) => {
        if (isFilled && value.length === 0)
          issues.push({ code: 'custom', message: 'is empty: give at least one, or null', input: value });
        if (value.length <= limit) return;
        const tooMany: TooMany = { what, limit, actual: value.length, advice };
        issues.push({ code: 'custom', message: 'is too long', params: { tooMany }, input: value });
      })
      .pipe(z.array(item)),
    { items: item },
  );
