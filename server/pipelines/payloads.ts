import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { ArgumentProblem } from '../core/errors.ts';
import { unwrapped } from '../core/json.ts';
import type { Work } from '../core/work.ts';
import { stageNamed, type Definition, type Transition } from '../custody/pipeline.ts';
import { limits } from '../limits/limits.ts';
import { check, type Verdict } from './checks.ts';

/** Checks payloads against the JSON Schemas of a pipeline. */

const { schemas } = limits;

/** The schema for the payload of a transition: its own, else that of the stage that is left; null for any payload. */
export const schemaOfPayload = (pipeline: Definition, transition: Transition): object | null =>
  transition.payloadSchema ?? stageNamed(pipeline, transition.from).payloadSchema;

/** The payload of an outcome as it was meant: the object or list that a text holds, unless a schema of the outcome asks for a text. */
export function payloadMeant(pipeline: Definition, stage: string, outcome: string, payload: unknown): unknown {
  const schemas = pipeline.transitions
    .filter((each) => each.from === stage && each.outcome === outcome)
    .map((each) => schemaOfPayload(pipeline, each) as { type?: unknown } | null);
  return schemas.some((schema) => [schema?.type].flat().includes('string')) ? payload : unwrapped(payload);
}

/** Whether a schema accepts the empty object, by the hash of both: asked for each way of a stage. */
const ofEmpty = new LRUCache<string, Verdict>({ max: 2_000 });

/**
 * Why a payload does not match; empty when it does. No payload is checked as an empty object. The check itself runs without a lock:
 * the command runs again when it is known.
 */
export function faultsOfPayload(work: Work, schema: object | null, payload: unknown): ArgumentProblem[] {
  if (schema === null) return [];
  const [schemaText, text] = [JSON.stringify(schema), JSON.stringify(payload ?? {})];
  const key = createHash('sha256').update(schemaText).update('\n').update(text).digest('base64');
  const verdict =
    ofEmpty.get(key) ??
    work.outside(`payload ${key}`, async () => {
      const found = await check(work.caller.principal, schemaText, text);
      if (text === '{}') ofEmpty.set(key, found);
      return found;
    });
  const found = 'problems' in verdict ? verdict.problems : null;
  if (found !== null && found.length > 0 && typeof payload === 'string')
    return [{ path: [], message: 'is a text: give JSON that matches the schema, such as {"name": "value"}' }, ...found];
  return 'problems' in verdict ? verdict.problems : [{ path: [], message: faultOfVerdict(verdict) }];
}

/** What is wrong with a schema, as the rest of a sentence; null when nothing is. Compiles it. */
export async function faultOfSchema(caller: string, schema: object): Promise<string | null> {
  const text = JSON.stringify(schema);
  const verdict = await check(caller, text, '{}');
  if ('problems' in verdict) return null;
  return verdict.fault === 'invalid'
    ? `is no JSON Schema (draft 2020-12 or draft 07): ${verdict.message ?? 'it cannot be read'}`
    : faultOfVerdict(verdict);
}

function faultOfVerdict(verdict: Exclude<Verdict, { problems: unknown }>): string {
  switch (verdict.fault) {
    case 'time':
      return `takes more than ${schemas.processorMs} ms of processor time to check: shorten it, or simplify the schema`;
    case 'memory':
      return `takes more than ${schemas.memoryMb} MB of memory to check: shorten it, or simplify the schema`;
    case 'nested':
      return 'cannot be checked, because the schema refers to itself without end or is nested too deeply: simplify the schema';
    case 'invalid':
      return `cannot be checked, because its schema cannot be run (${verdict.message ?? 'it cannot be read'}): define the pipeline again with another`;
  }
}

/** What is wrong with the size and the references of a schema, as the rest of a sentence; null when nothing is. Linear in the schema. */
export function faultOfShape(schema: object): string | null {
  const values = countOf(schema, () => true);
  if (values > schemas.values)
    return `has ${values} values (keywords, names and members together); the limit is ${schemas.values}: simplify it`;
  const remote = remoteReference(schema);
  if (remote !== null)
    return `refers to '${remote.slice(0, 100)}', outside of the schema: put that part into it and refer to '#...'`;
  if (countOf(schema, (key) => key === '$async') > 0) return "has '$async', which is not JSON Schema: leave it out";
  const { circle, most } = inPlaceOf(schema);
  if (circle !== null)
    return `refers to itself without end ('${circle.slice(0, 100)}'): refer to it below 'properties' or 'items'`;
  return most > schemas.values
    ? `checks one value against more than ${schemas.values} schemas, by references within 'allOf', 'anyOf' and the like: simplify it`
    : null;
}

function countOf(value: unknown, counts: (key: string) => boolean, key = ''): number {
  const own = counts(key) ? 1 : 0;
  if (typeof value !== 'object' || value === null) return own;
  return Object.entries(value).reduce((sum, [name, part]) => sum + countOf(part, counts, name), own);
}

function remoteReference(value: unknown): string | null {
  if (typeof value !== 'object' || value === null) return null;
  for (const [key, part] of Object.entries(value)) {
    if (referring.includes(key) && typeof part === 'string' && !part.startsWith('#')) return part;
    const inside = remoteReference(part);
    if (inside !== null) return inside;
  }
  return null;
}

const referring = ['$ref', '$dynamicRef', '$recursiveRef'];
/** Keywords whose schemas check the same value as the schema that they are in. */
const inPlace = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else'];
const inPlaceByName = ['dependentSchemas', 'dependencies'];

/**
 * `circle`: a reference that leads back to its own schema with the same value, so that a check never ends; null without one.
 * `most`: the largest number of schemas that check one value. 30 schemas, each of which refers to the next one twice, are a billion.
 */
function inPlaceOf(root: object): { circle: string | null; most: number } {
  const ended = new Map<object, number>();
  const open = new Set<object>();
  const walk = (schema: unknown): string | null => {
    if (typeof schema !== 'object' || schema === null || ended.has(schema)) return null;
    open.add(schema);
    let count = 1;
    for (const [key, part] of Object.entries(schema)) {
      const target = referring.includes(key) && typeof part === 'string' ? placeOf(root, part) : undefined;
      if (target !== undefined && open.has(target)) return part as string;
      const next =
        target !== undefined
          ? [target]
          : inPlace.includes(key)
            ? [part].flat()
            : inPlaceByName.includes(key) && typeof part === 'object' && part !== null
              ? Object.values(part as object)
              : [];
      for (const each of next) {
        const circle = walk(each);
        if (circle !== null) return circle;
        count += ended.get(each as object) ?? 0;
      }
    }
    open.delete(schema);
    ended.set(schema, count);
    return null;
  };
  const everywhere = (value: unknown): string | null => {
    if (typeof value !== 'object' || value === null) return null;
    const circle = Array.isArray(value) ? null : walk(value);
    if (circle !== null) return circle;
    for (const part of Object.values(value)) {
      const inside = everywhere(part);
      if (inside !== null) return inside;
    }
    return null;
  };
  const circle = everywhere(root);
  return { circle, most: Math.max(...ended.values()) };
}

/** The schema that a pointer such as '#/$defs/a' names. Undefined: it is an anchor, or names no schema. */
function placeOf(root: object, reference: string): object | undefined {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined;
  let at: unknown = root;
  for (const part of reference.split('/').slice(1)) {
    const name = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~');
    at =
      typeof at === 'object' && at !== null && Object.hasOwn(at, name) ? (at as Record<string, unknown>)[name] : null;
  }
  return typeof at === 'object' && at !== null ? at : undefined;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
