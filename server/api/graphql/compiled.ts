import {
  BREAK,
  getNullableType,
  isScalarType,
  Kind,
  OperationTypeNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
  type ArgumentNode,
  type DocumentNode,
  type ExecutionArgs,
  type GraphQLSchema,
  type ObjectFieldNode,
} from 'graphql';
import { compileQuery, isCompiledQuery, type CompiledQuery } from 'graphql-jit';
import type { Plugin } from 'graphql-yoga';
import type { GraphQLContext } from './context.ts';
import { causeOf, isAway } from './errors/away.ts';

/** Compiling takes as long as running some dozen times, so what is asked once or twice is not. */
const worthIt = 8;
/** A compiled query takes some ten kilobytes. */
const most = 200;

/**
 * Compiles queries that are sent again and again, which saves a fifth to a half of a list. A query that fails is executed
 * again without that, for errors in the same words, unless the database is away or too slow, or the request is over a limit. Mutations are never compiled:
 * they must not run twice.
 */
export function compiledQueries(): Plugin {
  const times = new WeakMap<DocumentNode, number>();
  // The server keeps a document that it has parsed, so it is the same one each time.
  const compiled = new Map<DocumentNode, CompiledQuery | null>();

  function compiledOf(schema: GraphQLSchema, document: DocumentNode): CompiledQuery | null {
    const known = compiled.get(document);
    if (known !== undefined) return known;
    const asked = (times.get(document) ?? 0) + 1;
    times.set(document, asked);
    if (asked < worthIt) return null;
    const result = isQuery(document) && !hasJsonLiteral(schema, document) ? compileQuery(schema, document) : null;
    const made = result !== null && isCompiledQuery(result) ? result : null;
    if (compiled.size >= most) compiled.delete(compiled.keys().next().value!);
    compiled.set(document, made);
    return made;
  }

  return {
    onExecute({ args, executeFn, setExecuteFn }) {
      const query = compiledOf(args.schema as GraphQLSchema, args.document as DocumentNode);
      if (query === null) return;
      const execute = executeFn as (args: ExecutionArgs) => unknown;
      setExecuteFn(async (given: ExecutionArgs) => {
        const { rootValue, contextValue, variableValues } = given;
        const result = await query.query(rootValue, contextValue, variableValues);
        const { held, processorTime } = contextValue as Partial<Pick<GraphQLContext, 'held' | 'processorTime'>>;
        const isFinal =
          (held?.exceeded ?? processorTime?.exceeded ?? null) !== null ||
          result.errors?.some((error) => isAway(causeOf(error))) === true;
        return result.errors === undefined || isFinal ? result : execute(given);
      });
    },
  };
}

/** Whether a document is one query. */
function isQuery({ definitions }: DocumentNode): boolean {
  const [operation, ...others] = definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  return operation?.operation === OperationTypeNode.QUERY && others.length === 0;
}

/** Whether a document gives a literal to a scalar that reads variables in it: graphql-jit would leave them out. */
function hasJsonLiteral(schema: GraphQLSchema, document: DocumentNode): boolean {
  let found = false;
  const types = new TypeInfo(schema);
  const enter = ({ value }: ArgumentNode | ObjectFieldNode): unknown => {
    const type = getNullableType(types.getInputType());
    found = isScalarType(type) && type.parseLiteral.length > 1 && value.kind !== Kind.VARIABLE;
    return found ? BREAK : undefined;
  };
  visit(document, visitWithTypeInfo(types, { Argument: enter, ObjectField: enter }));
  return found;
}
