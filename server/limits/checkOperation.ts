import { type DocumentNode, getOperationAST, type GraphQLError, type GraphQLSchema, Kind, Lexer, OperationTypeNode, parse, Source, visit } from 'graphql';
import { measure, type Measured } from './cost.ts';
import { limitExceeded } from './errors.ts';
import { limits } from './limits.ts';

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
    throw exceeded('characters', body.length, 'send texts and other values as variables');
  }
  const counted = countTokens(body);
  if (counted > limits.query.tokens) throw exceeded('tokens', counted, 'split it into several requests, and send values as variables');
  return parse(source);
}

/** Stops after the first that is too many. What cannot be read ends the count: parsing says what is wrong. */
function countTokens(body: string): number {
  const lexer = new Lexer(new Source(body));
  let count = 0;
  try {
    while (count <= limits.query.tokens && lexer.advance().kind !== '<EOF>') count += 1;
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
): Checked {
  const operation = getOperationAST(document, operationName);
  if (operation == null) return { errors: [], cost: 0, depth: 0 };
  const ofSchema = known.get(schema) ?? new WeakMap<object, Measured>();
  known.set(schema, ofSchema);
  const measured = ofSchema.get(operation) ?? measure(schema, document, operation, variables ?? {});
  if (!measured.byVariables) ofSchema.set(operation, measured);
  const { cost, depth } = measured;
  return { errors: excesses(measured, surveyOf(document), operation.operation), cost, depth };
}

// What was counted lives as long as the document is cached.
const known = new WeakMap<GraphQLSchema, WeakMap<object, Measured>>();
const surveys = new WeakMap<DocumentNode, Survey>();

function excesses(measured: Measured, { directives, repeatedFields }: Survey, type: OperationTypeNode): GraphQLError[] {
  const { query } = limits;
  return [
    measured.depth > query.depth && exceeded('depth', measured.depth, 'ask for what lies deeper in a request of its own'),
    measured.aliases > query.aliases && exceeded('aliases', measured.aliases, 'split it into several requests'),
    measured.rootFields > query.rootFields && exceeded('rootFields', measured.rootFields, 'split it into several requests'),
    type === OperationTypeNode.MUTATION && measured.rootFields > query.writes && exceeded('writes', measured.rootFields, 'send each mutation by itself'),
    directives > query.directives && exceeded('directives', directives, 'split it into several requests'),
    repeatedFields > query.repeatedFields && exceeded('repeatedFields', repeatedFields, 'name each field once'),
    measured.cost > query.cost && exceeded('cost', measured.cost, 'give first or last smaller values, at every level, or ask for less of each record'),
    measured.introspectionDepth > query.introspectionDepth && exceeded('introspectionDepth', measured.introspectionDepth, 'use the usual introspection query'),
    measured.introspectionCost > query.introspectionCost && exceeded('introspectionCost', measured.introspectionCost, 'use the usual introspection query'),
  ].filter((error) => error !== false);
}

const words: Record<keyof typeof limits.query, string> = {
  characters: 'characters',
  tokens: 'tokens',
  depth: 'levels of fields',
  aliases: 'aliases',
  rootFields: 'fields at the top',
  writes: 'mutations',
  directives: 'directives',
  repeatedFields: 'fields that its selections name again',
  cost: 'as its cost, counted with page sizes',
  introspectionDepth: 'levels of introspection',
  introspectionCost: 'as the cost of its introspection',
};

function exceeded(what: keyof typeof limits.query, counted: number, advice: string): GraphQLError {
  const limit = limits.query[what];
  // Fragments within fragments double at every level, beyond what a number holds.
  const actual = Math.min(counted, Number.MAX_SAFE_INTEGER);
  return limitExceeded(what, limit, actual, `The operation has ${actual} ${words[what]}, and ${limit} are the most: ${advice}`);
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
