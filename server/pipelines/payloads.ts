import { createContext, Script } from 'node:vm';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { LRUCache } from 'lru-cache';
import type { ArgumentProblem } from '../core/errors.ts';
import { stageNamed, type Definition, type Transition } from '../custody/pipeline.ts';

/** Checks payloads against the JSON Schemas of a pipeline. */

/** Compiling and checking end after this time, whatever a schema's patterns and references ask for. */
const withinMs = { compile: 1_000, check: 200 };
const mostProblems = 20;

/** The schema for the payload of a transition: its own, else that of the stage that is left; null for any payload. */
export const schemaOfPayload = (pipeline: Definition, transition: Transition): object | null =>
  transition.payloadSchema ?? stageNamed(pipeline, transition.from).payloadSchema;

/** Why a payload does not match; empty when it does. No payload is checked as an empty object. */
export function faultsOfPayload(schema: object | null, payload: unknown): ArgumentProblem[] {
  if (schema === null) return [];
  const { validate, isPlain } = compiled(schema);
  const check = (): ErrorObject[] => (validate(payload ?? {}) ? [] : [...(validate.errors ?? [])]);
  const errors = isPlain ? check() : bounded(check, withinMs.check);
  if (errors === null)
    return [{ path: [], message: `takes more than ${withinMs.check} ms to check: shorten it, or simplify the schema` }];
  return errors.slice(0, mostProblems).map(problemOf);
}

/** What is wrong with a schema, as the rest of a sentence; null when nothing is. */
export function faultOfSchema(schema: object): string | null {
  const remote = remoteReference(schema);
  if (remote !== null)
    return `refers to '${remote.slice(0, 100)}', outside of the schema: put that part into it and refer to '#...'`;
  if (hasKey(schema, '$async')) return "has '$async', which is not JSON Schema: leave it out";
  try {
    const validate = bounded(() => compile(schema), withinMs.compile);
    return validate === null ? `takes more than ${withinMs.compile} ms to read: simplify it` : null;
  } catch (error) {
    return `is no JSON Schema (draft 2020-12 or draft 07): ${error instanceof Error ? error.message.slice(0, 200) : 'it cannot be read'}`;
  }
}

interface Compiled {
  validate: ValidateFunction;
  /** Checks in time linear to the payload, so that it needs no bound: the bound alone takes 0.2 ms. */
  isPlain: boolean;
}
const validators = new LRUCache<string, Compiled>({ max: 500 });
const unbounded = [
  'pattern',
  'patternProperties',
  '$ref',
  '$dynamicRef',
  '$recursiveRef',
  'uniqueItems',
  'format',
  'contains',
];

function compiled(schema: object): Compiled {
  const key = JSON.stringify(schema);
  const known = validators.get(key);
  if (known !== undefined) return known;
  const made = { validate: compile(schema), isPlain: !unbounded.some((name) => hasKey(schema, name)) };
  validators.set(key, made);
  return made;
}

// Each schema has an instance of its own, so that no `$id` meets another.
function compile(schema: object): ValidateFunction {
  const options = { allErrors: true, strict: false, inlineRefs: false, logger: false } as const;
  const { $schema } = schema as { $schema?: unknown };
  const isDraft07 = typeof $schema === 'string' && $schema.includes('draft-07');
  return (isDraft07 ? new Ajv(options) : new Ajv2020(options)).compile(schema);
}

function problemOf({ instancePath, params, message = 'does not match' }: ErrorObject): ArgumentProblem {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const named = (params as { additionalProperty?: string; missingProperty?: string }).additionalProperty;
  return {
    path: named === undefined ? path : [...path, named],
    message: named === undefined ? message : 'is not a property of the schema',
  };
}

function remoteReference(value: unknown): string | null {
  if (typeof value !== 'object' || value === null) return null;
  for (const [key, part] of Object.entries(value)) {
    if (['$ref', '$dynamicRef', '$recursiveRef'].includes(key) && typeof part === 'string' && !part.startsWith('#'))
      return part;
    const inside = remoteReference(part);
    if (inside !== null) return inside;
  }
  return null;
}

const hasKey = (value: unknown, name: string): boolean =>
  typeof value === 'object' &&
  value !== null &&
  Object.entries(value).some(([key, part]) => key === name || hasKey(part, name));

const sandbox: { work: () => unknown } = createContext({ work: () => null }) as { work: () => unknown };
const script = new Script('work()');

/** Runs the work; null when it takes longer. V8 interrupts patterns that backtrack too. */
function bounded<Result>(work: () => Result, timeout: number): Result | null {
  sandbox.work = work;
  try {
    return script.runInContext(sandbox, { timeout }) as Result;
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return null;
    throw error;
  } finally {
    sandbox.work = () => null;
  }
}
