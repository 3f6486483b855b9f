import { type DocumentNode, getOperationAST, type GraphQLError, type GraphQLSchema, Kind, Lexer, OperationTypeNode, parse, Source, TokenKind, visit } from 'graphql';
import { measure, type Measured } from './cost.ts';
import { limitExceeded } from './errors.ts';
import { limits, type QueryLimits } from './limits.ts';

/**
 * The limits of a query, the same for every transport: `parseWithin`, then `checkOperation`, then validation. In this
 * order, since validation takes time with the square of what a document repeats.
 */

export interface Checked {
  errors: GraphQLError[];
  /** What it is counted at, of `limits.query.cost`. */
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
  return parse(source);
}

/** Stops after the first that is too many. What cannot be read ends the count: parsing says what is wrong. */
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

/** The operation that would be executed, against every limit; the document need not be valid. What no operation answers to passes: it cannot be executed. */
export function checkOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | null | undefined,
  variables: Readonly<Record<string, unknown>> | null | undefined,
  most: QueryLimits = limits.query,
): Checked {
  const operation = getOperationAST(document, operationName);
  if (operation == null) return { errors: [], cost: 0, depth: 0 };
  const measured = remembered(schema, operation, variables ?? {}, () => measure(schema, document, operation, variables ?? {}));
  const { cost, depth } = measured;
  return { errors: excesses({ ...measured, ...surveyOf(document) }, operation.operation, most), cost, depth };
}

/** What was counted, by the variables where it depends on them. It lives as long as the document is cached. */
const known = new WeakMap<GraphQLSchema, WeakMap<object, Map<string, Measured>>>();
const rememberedVariables = { each: 200, most: 50 };

function remembered(schema: GraphQLSchema, operation: object, variables: object, count: () => Measured): Measured {
  const ofSchema = known.get(schema) ?? new WeakMap<object, Map<string, Measured>>();
  known.set(schema, ofSchema);
  const ofOperation = ofSchema.get(operation) ?? new Map<string, Measured>();
  ofSchema.set(operation, ofOperation);
  const always = ofOperation.get('');
  if (always !== undefined) return always;
  const given = JSON.stringify(variables);
  const found = ofOperation.get(given);
  if (found !== undefined) return found;
  const measured = count();
  if (!measured.byVariables) ofOperation.set('', measured);
  else if (given.length <= rememberedVariables.each && ofOperation.size < rememberedVariables.most) ofOperation.set(given, measured);
  return measured;
}

const surveys = new WeakMap<DocumentNode, Survey>();

function excesses(measured: Measured & Survey, type: OperationTypeNode, most: QueryLimits): GraphQLError[] {
  const counted = { ...measured, writes: type === OperationTypeNode.MUTATION ? measured.rootFields : 0 };
  const measures = ['depth', 'aliases', 'rootFields', 'writes', 'directives', 'repeatedFields', 'cost', 'introspectionDepth', 'introspectionCost'] as const;
  return measures.filter((what) => counted[what] > most[what]).map((what) => exceeded(what, counted[what], most[what]));
}

/** What is counted, and what to do about it. */
const words: Record<keyof QueryLimits, readonly [string, string]> = {
  characters: ['characters', 'send texts and other values as variables'],
  tokens: ['tokens, or more', 'split it into several requests, and send values as variables'],
  depth: ['levels of fields', 'ask for what lies deeper in a request of its own'],
  aliases: ['aliases', 'split it into several requests'],
  rootFields: ['fields at the top', 'split it into several requests'],
  writes: ['mutations', 'send each by itself'],
  directives: ['directives', 'split it into several requests'],
  repeatedFields: ['fields that a selection names again', 'name each once'],
  cost: ['as its cost, counted with page sizes', 'give first or last smaller values, at every level, or ask for less of each record'],
  introspectionDepth: ['levels of introspection', 'use the usual introspection query'],
  introspectionCost: ['as the cost of its introspection', 'use the usual introspection query'],
};

function exceeded(what: keyof QueryLimits, counted: number, limit: number): GraphQLError {
  // Fragments within fragments double at every level, beyond what a number holds.
  const actual = Math.min(counted, Number.MAX_SAFE_INTEGER);
  const [counts, advice] = words[what];
  return limitExceeded(what, limit, actual, `The operation has ${actual} ${counts}; ${limit} are the most: ${advice}`);
}

interface Survey {
  directives: number;
  repeatedFields: number;
}

/** What counts for validation, which looks at the whole document. */
function surveyOf(document: DocumentNode): Survey {
  const found = surveys.get(document);
  if (found !== undefined) return found;
  const survey = { directives: 0, repeatedFields: 0 };
  visit(document, {
    Directive: () => void (survey.directives += 1),
    SelectionSet({ selections }) {
      const fields = selections.filter((selection) => selection.kind === Kind.FIELD).map(({ alias, name }) => (alias ?? name).value);
      survey.repeatedFields += fields.length - new Set(fields).size;
    },
  });
  surveys.set(document, survey);
  return survey;
}
