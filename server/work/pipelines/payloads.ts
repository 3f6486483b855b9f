import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { ArgumentProblem } from '../../core/errors.ts';
import { unwrapped } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import type { Work } from '../../core/work.ts';
import { stageNamed, type Definition, type Transition } from '../custody/pipeline.ts';
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
  const verdict = await check(caller, JSON.stringify(schema), '{}');
  return 'problems' in verdict ? null : (wrongIn(verdict) ?? exceededBy(verdict));
}

function faultOfVerdict(verdict: Fault): string {
  const wrong = wrongIn(verdict);
  return wrong === null
    ? exceededBy(verdict)
    : `cannot be checked, because its schema ${wrong}; an operator has to define the pipeline again`;
}

type Fault = Exclude<Verdict, { problems: unknown }>;

const exceededBy = ({ fault }: Fault): string =>
  `takes more than ${fault === 'memory' ? `${schemas.memoryMb} MB of memory` : `${schemas.processorMs} ms of processor time`} to check: shorten it, or simplify the schema`;

/** Null when a limit of the check was exceeded. */
function wrongIn({ fault, message = 'it cannot be read' }: Fault): string | null {
  switch (fault) {
    case 'circle':
      return `refers to itself without end ('${message}'): refer to it below 'properties' or 'items'`;
    case 'far':
      return `leads one value through more than ${schemas.references} references: simplify it`;
    case 'schemas':
      return `checks one value against more than ${schemas.values} schemas, by references within 'allOf', 'anyOf' and the like: simplify it`;
    case 'nested':
      return 'refers to itself without end or is nested too deeply: simplify it';
    case 'invalid':
      return `is no JSON Schema (draft 2020-12 or draft 07): ${message}`;
    default:
      return null;
  }
}

/** What is wrong with the size of a schema and with its references to others, as the rest of a sentence; null when nothing is. Linear in the schema. */
export function faultOfShape(schema: object): string | null {
  const values = countOf(schema, () => true);
  if (values > schemas.values)
    return `has ${values} values (keywords, names and members together); the limit is ${schemas.values}: simplify it`;
  const remote = remoteReference(schema);
  if (remote !== null)
    return `refers to '${remote.slice(0, 100)}', outside of the schema: put that part into it and refer to '#...'`;
  if (countOf(schema, (key) => key === '$async') > 0) return "has '$async', which is not JSON Schema: leave it out";
  return null;
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
