import {
  coerceInputValue,
  type ExecutionArgs,
  getNullableType,
  getOperationAST,
  GraphQLError,
  type GraphQLInputType,
  isInputObjectType,
  isInputType,
  isListType,
  typeFromAST,
  type VariableDefinitionNode,
} from 'graphql';
import { limits } from '../../core/limits.ts';
import { limitExceeded } from './errors.ts';

/** The largest number of faults that a refusal names. */
const most = 5;
const longestMessage = 300;

/**
 * What is wrong with the given variables of an operation; empty when nothing is. `graphql` says the same when it executes, but prints
 * the whole object that a fault is in, for each of 50 faults: variables of 1 MB with unknown fields took 3.6 s and 50 MB.
 */
export function variableFaults({ schema, document, operationName, variableValues }: ExecutionArgs): GraphQLError[] {
  const faults: GraphQLError[] = [];
  for (const definition of getOperationAST(document, operationName)?.variableDefinitions ?? []) {
    const type = typeFromAST(schema, definition.type);
    const value = variableValues?.[definition.variable.name.value];
    if (!isInputType(type) || value == null) continue;
    const excess = excessIn(value, type);
    if (excess !== null) return [tooMuch(definition, excess)];
    try {
      coerceInputValue(value, type, (path, invalid, error) => {
        if (faults.length === most) throw new TooMany();
        faults.push(faultAt(definition, path, invalid, error));
      });
    } catch (error) {
      if (!(error instanceof TooMany)) throw error;
      return [...faults, new GraphQLError(`Too many errors processing variables: the first ${most} are named`)];
    }
  }
  return faults;
}

class TooMany extends Error {}

const { list: longest, most: mostInputs, item, object, field } = limits.inputs;

const tooMuch = ({ variable }: VariableDefinitionNode, { limit, counted }: Excess): GraphQLError =>
  limitExceeded(
    'values',
    limit,
    counted,
    limit === longest
      ? `Variable "$${variable.name.value}" has a list of ${counted} items; the limit is ${limit}: send fewer at once`
      : `Variable "$${variable.name.value}" has more than ${limit} values, of which an item of a list counts as ${item}, an input object as ${object} more and each of its fields as ${field}: send fewer at once`,
  );

interface Excess {
  limit: number;
  counted: number;
}

/**
 * What of the inputs of a value is too much to be read in one turn of the event loop; null when nothing is. JSON in it was counted when it
 * was parsed. `graphql` reads 1,000 input objects in 10 ms, twice.
 */
function excessIn(value: unknown, type: GraphQLInputType): Excess | null {
  let counted = 0;
  const excessOf = (given: unknown, of: GraphQLInputType): Excess | null => {
    const own = getNullableType(of);
    if (isListType(own)) {
      const items = Array.isArray(given) ? (given as unknown[]) : [given];
      if (items.length > longest) return { limit: longest, counted: items.length };
      for (const each of items) {
        counted += item;
        const excess = excessOf(each, own.ofType);
        if (excess !== null) return excess;
      }
    } else if (isInputObjectType(own)) {
      const fields = own.getFields();
      counted += object + field * Object.keys(fields).length;
      if (counted > mostInputs) return { limit: mostInputs, counted: mostInputs + 1 };
      if (typeof given !== 'object' || given === null) return null;
      for (const name of Object.keys(given)) {
        const known = fields[name];
        const excess = known === undefined ? null : excessOf(Reflect.get(given, name), known.type);
        if (excess !== null) return excess;
      }
    }
    return counted > mostInputs ? { limit: mostInputs, counted: mostInputs + 1 } : null;
  };
  return excessOf(value, type);
}

function faultAt(
  definition: VariableDefinitionNode,
  path: readonly (string | number)[],
  invalid: unknown,
  error: GraphQLError,
): GraphQLError {
  const name = definition.variable.name.value;
  const value = typeof invalid === 'object' ? '' : ` ${shortened(JSON.stringify(invalid), 100)}`;
  const place = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`)).join('');
  const at = place === '' ? '' : ` at "${shortened(name + place, 200)}"`;
  return new GraphQLError(
    `Variable "$${name}" got invalid value${value}${at}; ${shortened(error.message, longestMessage)}`,
    {
      nodes: definition,
      originalError: error,
    },
  );
}

const shortened = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most)}…` : text);
