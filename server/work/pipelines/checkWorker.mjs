import { readlinkSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import compilation from 'ajv/dist/compile/index.js';
import equality from 'ajv/dist/runtime/equal.js';
import { LRUCache } from 'lru-cache';

// A worker thread of `checks.ts`: it alone runs the schemas of callers. JavaScript, so that it starts without a loader.

const mostProblems = 20;
/** A second check, which lists more than the first fault, takes at most about this many steps. */
const mostSteps = 1_000_000;

/** A schema that is not run. */
class Refused extends Error {
  constructor(fault, message = '') {
    super(message);
    this.fault = fault;
  }
}

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

/**
 * Each schema has an instance of its own, so that no `$id` meets another.
 * @param {(from: object, to: object, reference: string) => void} refers is called with the schemas of each reference, as Ajv resolves it
 */
function compile(schema, allErrors, refers) {
  const options = {
    allErrors,
    strict: false,
    inlineRefs: false,
    logger: false,
    ownProperties: true,
    code: { optimize: false },
  };
  const { $schema } = schema;
  const isDraft07 = typeof $schema === 'string' && $schema.includes('draft-07');
  const ajv = isDraft07 ? new Ajv(options) : new Ajv2020(options);
  const rules = ajv.RULES.all;
  const replace = (keyword, code) => {
    if (typeof rules[keyword] !== 'object') return;
    const { definition } = rules[keyword];
    const own = definition.code;
    definition.code = (cxt) => (cxt.it.schemaEnv.root.schema === schema ? code(cxt) : own(cxt));
  };
  const refer = rules.$ref.definition.code;
  // Ajv finds neither the anchors of the whole schema nor, with a relative `$id`, anything in it. Only the schema itself could use the id.
  const whole = ['#', '#/', `#${schema.$anchor}`, `#${schema.$dynamicAnchor}`];
  const met = new Set();
  const follow = ({ root, baseId }, from, reference) => {
    met.add(from);
    const isWhole = baseId === '#' && whole.includes(reference);
    const to = isWhole ? schema : compilation.resolveRef.call(ajv, root, baseId, reference)?.schema;
    if (typeof to === 'object') refers?.(from, to, reference);
    return isWhole;
  };
  // In a schema that refers to itself only, a dynamic reference leads where a plain one does. Ajv takes the whole schema for an anchor
  // that the check did not pass before.
  for (const keyword of referring)
    replace(keyword, (cxt) => {
      const { schemaEnv, baseId, schema: from } = cxt.it;
      if (follow({ root: schemaEnv.root, baseId }, from, cxt.schema)) cxt.schema = '#';
      refer(cxt);
    });
  for (const keyword of ['$dynamicAnchor', '$recursiveAnchor']) replace(keyword, () => undefined);
  const validate = ajv.compile(schema);
  // What nothing refers to is not compiled.
  const { root } = validate.schemaEnv;
  const visit = (value) => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, part] of Object.entries(value)) {
      if (referring.includes(name) && typeof part === 'string' && !met.has(value))
        follow({ root, baseId: root.baseId }, value, part);
      visit(part);
    }
  };
  if (refers !== undefined) visit(schema);
  return validate;
}

const referring = ['$ref', '$dynamicRef', '$recursiveRef'];

/** Keywords whose schemas check the same value as the schema that they are in. */
const inPlace = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else'];
const inPlaceByName = ['dependentSchemas', 'dependencies'];

/**
 * Refuses references that lead back to their own schema with the same value, so that a check never ends, and those that lead one value
 * through more references, or to more schemas, than `most`: 30 schemas, each of which refers to the next one twice, are a billion.
 * @param {Map<object, Map<object, string>>} references
 */
function demandBounded(references, most) {
  const ended = new Map();
  const open = new Set();
  const walk = (schema) => {
    if (typeof schema !== 'object' || schema === null) return { count: 0, far: 0 };
    const before = ended.get(schema);
    if (before !== undefined) return before;
    open.add(schema);
    let [count, far] = [1, 0];
    for (const [to, reference] of references.get(schema) ?? []) {
      if (open.has(to)) throw new Refused('circle', reference.slice(0, 100));
      const next = walk(to);
      count += next.count;
      far = Math.max(far, next.far + 1);
    }
    for (const [keyword, part] of Object.entries(schema)) {
      const parts = inPlace.includes(keyword)
        ? [part].flat()
        : inPlaceByName.includes(keyword)
          ? Object.values(part ?? {})
          : [];
      for (const next of parts.map(walk)) {
        count += next.count;
        far = Math.max(far, next.far);
      }
    }
    if (count > most.schemas) throw new Refused('schemas');
    if (far > most.references) throw new Refused('far');
    open.delete(schema);
    const found = { count, far };
    ended.set(schema, found);
    return found;
  };
  for (const schema of references.keys()) walk(schema);
}

/** @returns {Compiled} */
function compiled(text, most) {
  const found = known.get(text);
  if (found !== undefined) return found;
  const schema = JSON.parse(text);
  delete schema.$id;
  const references = new Map();
  const refers = (from, to, reference) => references.set(from, (references.get(from) ?? new Map()).set(to, reference));
  let first;
  try {
    first = compile(schema, false, refers);
  } catch (error) {
    // Code that stops at the first fault is nested by each keyword, and V8 cannot read it when a schema is very wide.
    if (!(error instanceof RangeError)) throw error;
    first = compile(schema, true, refers);
  }
  demandBounded(references, most);
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

function answer({ schema, payload, most }) {
  try {
    return { problems: problemsOf(compiled(schema, most), JSON.parse(payload), payload.length) };
  } catch (error) {
    const fault = error instanceof Refused ? error.fault : error instanceof RangeError ? 'nested' : 'invalid';
    return { fault, message: String(error.message).slice(0, 200) };
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
