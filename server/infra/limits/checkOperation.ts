import {
  type DirectiveNode,
  type DocumentNode,
  getOperationAST,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  Lexer,
  NoFragmentCyclesRule,
  OperationTypeNode,
  parse,
  type SelectionSetNode,
  Source,
  TokenKind,
  validate,
  visit,
} from 'graphql';
import { limits, type QueryLimits } from '../../core/limits.ts';
import { measure, type Measured } from './cost.ts';
import { invalidDocument, limitExceeded } from './errors.ts';
import { type Expansion, expansionOf } from './expansion.ts';

/**
 * The limits of an operation over every transport: `parseWithin`, `checkOperation`, then validation. Both checks are linear
 * in the document. Validation, planning and execution may be exponential in it, so they come after.
 */

export interface Checked {
  errors: GraphQLError[];
  cost: number;
  depth: number;
}

/** @throws GraphQLError LIMIT_EXCEEDED, or a syntax error as `parse` does. */
export function parseWithin(source: string | Source): DocumentNode {
  const { body } = typeof source === 'string' ? { body: source } : source;
  if (body.length > limits.query.characters) {
    throw exceeded('characters', body.length, limits.query.characters);
  }
  const counted = countTokens(body);
  if (counted > limits.query.tokens) throw exceeded('tokens', counted, limits.query.tokens);
  return parse(source, { noLocation: hasManyLines(body) });
}

/** Errors of documents with more lines have no locations: finding 100 locations in 95,000 lines took 1.3 s. */
const linesWithLocations = 300;

function hasManyLines(body: string): boolean {
  const lineBreaks = body.matchAll(/\r\n|[\n\r]/g);
  for (let count = 0; count < linesWithLocations; count += 1) if (lineBreaks.next().done === true) return false;
  return true;
}

/** Stops above the limit and at a syntax error, which `parse` reports. */
function countTokens(body: string): number {
  const lexer = new Lexer(new Source(body));
  let count = 0;
  try {
    while (count <= limits.query.tokens && lexer.advance().kind !== TokenKind.EOF) count += 1;
  } catch {
    return count;
  }
  return count;
}

/**
 * Checks the operation that would be executed, and the whole document since validation walks it. The document need not be
 * valid. A fragment cycle ends the check.
 */
export function checkOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | null | undefined,
  variables: Readonly<Record<string, unknown>> | null | undefined,
  queryLimits: QueryLimits = limits.query,
): Checked {
  const survey = surveyOf(document);
  if (survey.cyclic) return { errors: cyclesOf(schema, document), cost: 0, depth: 0 };
  const operation = getOperationAST(document, operationName);
  if (operation == null) return { errors: excesses(survey, queryLimits), cost: 0, depth: 0 };
  if (operation.operation === OperationTypeNode.SUBSCRIPTION) {
    const conditions = rootConditions(document, operation.selectionSet);
    if (conditions.length > 0)
      return { errors: [invalidDocument(new GraphQLError(unconditional, { nodes: conditions }))], cost: 0, depth: 0 };
  }
  const measured = remembered(schema, operation, variables ?? {}, () =>
    measure(schema, document, operation, variables ?? {}),
  );
  const { cost, depth, rootFields } = measured;
  const writes = operation.operation === OperationTypeNode.MUTATION ? rootFields : 0;
  return { errors: excesses({ ...measured, writes, ...survey }, queryLimits), cost, depth };
}

const unconditional = "A subscription's field may not be skipped: remove @skip and @include around it";

/** `@skip` and `@include` on the root field. graphql-js throws when it is skipped; the specification forbids them there. */
function rootConditions(
  document: DocumentNode,
  { selections }: SelectionSetNode,
  visited = new Set<string>(),
): DirectiveNode[] {
  return selections.flatMap((selection) => {
    const conditions =
      selection.directives?.filter(({ name }) => name.value === 'skip' || name.value === 'include') ?? [];
    if (selection.kind === Kind.FIELD) return conditions;
    if (selection.kind === Kind.INLINE_FRAGMENT)
      return [...conditions, ...rootConditions(document, selection.selectionSet, visited)];
    const name = selection.name.value;
    const fragment = document.definitions.find(
      (each) => each.kind === Kind.FRAGMENT_DEFINITION && each.name.value === name,
    );
    if (visited.has(name) || fragment?.kind !== Kind.FRAGMENT_DEFINITION) return conditions;
    visited.add(name);
    return [...conditions, ...rootConditions(document, fragment.selectionSet, visited)];
  });
}

const cyclesOf = (schema: GraphQLSchema, document: DocumentNode): GraphQLError[] =>
  validate(schema, document, [NoFragmentCyclesRule]).map(invalidDocument);

/** Caches measurements for as long as the document is cached; by variables when the cost depends on them. */
const known = new WeakMap<GraphQLSchema, WeakMap<object, Map<string, Measured>>>();
const rememberedVariables = { characters: 200, entries: 50 };

function remembered(schema: GraphQLSchema, operation: object, variables: object, count: () => Measured): Measured {
  const ofSchema = known.get(schema) ?? new WeakMap<object, Map<string, Measured>>();
  known.set(schema, ofSchema);
  const ofOperation = ofSchema.get(operation) ?? new Map<string, Measured>();
  ofSchema.set(operation, ofOperation);
  const forAnyVariables = ofOperation.get('');
  if (forAnyVariables !== undefined) return forAnyVariables;
  const given = JSON.stringify(variables);
  const found = ofOperation.get(given);
  if (found !== undefined) return found;
  const measured = count();
  if (!measured.byVariables) ofOperation.set('', measured);
  else if (given.length <= rememberedVariables.characters && ofOperation.size < rememberedVariables.entries)
    ofOperation.set(given, measured);
  return measured;
}

const measures = [
  'depth',
  'aliases',
  'rootFields',
  'writes',
  'directives',
  'repeatedFields',
  'selections',
  'comparisons',
  'cost',
  'introspectionDepth',
  'introspectionCost',
] as const;

const excesses = (
  counted: Partial<Record<(typeof measures)[number], number>>,
  queryLimits: QueryLimits,
): GraphQLError[] =>
  measures.flatMap((what) => {
    const count = counted[what] ?? 0;
    return count > queryLimits[what] ? [exceeded(what, count, queryLimits[what])] : [];
  });

/** Unit and advice of each limit's message. */
const words: Record<keyof QueryLimits, readonly [string, string]> = {
  characters: ['characters', 'send texts and other values as variables'],
  tokens: ['or more tokens', 'split it into several requests, and send values as variables'],
  depth: ['levels of fields', 'query the deeper levels in a separate request'],
  aliases: ['aliases', 'split it into several requests'],
  rootFields: ['root fields', 'split it into several requests'],
  writes: ['mutations', 'send each in its own request'],
  directives: ['directives', 'split it into several requests'],
  repeatedFields: ['repeated fields in one selection', 'name each once'],
  selections: [
    'selections after its fragments are expanded',
    'spread fewer fragments within fragments, or split it into several requests',
  ],
  comparisons: [
    'pairs of fields with one name in one place',
    'select each field once, or split it into several requests',
  ],
  cost: [
    'points of cost, page sizes included',
    'give first or last smaller values, at every level, or ask for less of each record',
  ],
  introspectionDepth: ['levels of introspection', 'use the usual introspection query'],
  introspectionCost: ['points of introspection cost', 'use the usual introspection query'],
};

function exceeded(what: keyof QueryLimits, counted: number, limit: number): GraphQLError {
  // Nested fragments can exceed the safe integers.
  const actual = Math.min(counted, Number.MAX_SAFE_INTEGER);
  const [counts, advice] = words[what];
  return limitExceeded(what, limit, actual, `The operation has ${actual} ${counts}; the limit is ${limit}: ${advice}`);
}

interface Survey extends Expansion {
  directives: number;
  repeatedFields: number;
}

const surveys = new WeakMap<DocumentNode, Survey>();

/** Counts over the whole document. */
function surveyOf(document: DocumentNode): Survey {
  const found = surveys.get(document);
  if (found !== undefined) return found;
  const survey = { ...expansionOf(document, limits.query.selections), directives: 0, repeatedFields: 0 };
  visit(document, {
    Directive: () => void (survey.directives += 1),
    SelectionSet({ selections }) {
      const fields = selections
        .filter((selection) => selection.kind === Kind.FIELD)
        .map(({ alias, name }) => (alias ?? name).value);
      survey.repeatedFields += fields.length - new Set(fields).size;
    },
  });
  surveys.set(document, survey);
  return survey;
}
