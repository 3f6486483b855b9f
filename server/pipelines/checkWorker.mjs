import { readlinkSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import equality from 'ajv/dist/runtime/equal.js';
import { LRUCache } from 'lru-cache';

// A worker thread of `checks.ts`: it alone runs the schemas of callers. JavaScript, so that it starts without a loader.

const mostProblems = 20;
/** A second check, which lists more than the first fault, takes at most about this many steps. */
const mostSteps = 1_000_000;

/** @typedef {{ schema: object, values: number, first: import('ajv').ValidateFunction, all?: import('ajv').ValidateFunction }} Compiled */
/** By the text of the schema. Compiled code is much larger than its schema, so the sizes of the schemas bound it.
 * @type {LRUCache<string, Compiled>} */
const known = new LRUCache({ maxSize: 512 * 1024, sizeCalculation: (_, text) => text.length + 1_024 });

/**
 * Whether two values of JSON are equal. Ajv's own comparison asks an object's `valueOf`, `toString` and `constructor`, which in a payload
 * are properties like others.
 */
function isEqual(a, b) {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name) && isEqual(a[name], b[name]))
  );
}
// Compiled schemas call what stands here when they are compiled.
equality.default = isEqual;

/** Each schema has an instance of its own, so that no `$id` meets another. */
function compile(schema, allErrors) {
  const options = { allErrors, strict: false, inlineRefs: false, logger: false, ownProperties: true };
  const { $schema } = schema;
  const isDraft07 = typeof $schema === 'string' && $schema.includes('draft-07');
  return (isDraft07 ? new Ajv(options) : new Ajv2020(options)).compile(schema);
}

/** @returns {Compiled} */
function compiled(text) {
  const found = known.get(text);
  if (found !== undefined) return found;
  const schema = JSON.parse(text);
  let first;
  try {
    first = compile(schema, false);
  } catch (error) {
    // Code that stops at the first fault is nested by each keyword, and V8 cannot read it when a schema is very wide.
    if (!(error instanceof RangeError)) throw error;
    first = compile(schema, true);
  }
  const made = { schema, values: valuesIn(schema), first };
  known.set(text, made);
  return made;
}

const valuesIn = (value) =>
  typeof value === 'object' && value !== null
    ? Object.values(value).reduce((count, part) => count + valuesIn(part), 1)
    : 1;

function problemsOf(entry, payload, size) {
  if (entry.first(payload)) return [];
  let { errors } = entry.first;
  if (entry.values * size <= mostSteps) {
    entry.all ??= compile(entry.schema, true);
    entry.all(payload);
    errors = entry.all.errors ?? errors;
  }
  return (errors ?? []).slice(0, mostProblems).map(problemOf);
}

function problemOf({ instancePath, params, message = 'does not match' }) {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const named = params.additionalProperty;
  return {
    path: named === undefined ? path : [...path, named],
    message: named === undefined ? message.slice(0, 500) : 'is not a property of the schema',
  };
}

function answer({ schema, payload }) {
  let entry;
  try {
    entry = compiled(schema);
  } catch (error) {
    return { fault: error instanceof RangeError ? 'nested' : 'invalid', message: String(error.message).slice(0, 200) };
  }
  try {
    return { problems: problemsOf(entry, JSON.parse(payload), payload.length) };
  } catch (error) {
    // Ajv writes code that cannot run for a few schemas: by `dependentSchemas` within `additionalProperties`, for example.
    return error instanceof RangeError
      ? { fault: 'nested' }
      : { fault: 'invalid', message: String(error.message).slice(0, 200) };
  }
}

/** The thread's number, by which Linux counts its processor time; null elsewhere. */
function threadNumber() {
  try {
    return readlinkSync('/proc/thread-self').split('/').at(-1) ?? null;
  } catch {
    return null;
  }
}

parentPort.on('message', (asked) => parentPort.postMessage(answer(asked)));
parentPort.postMessage({ thread: threadNumber() });
