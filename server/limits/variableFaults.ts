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
import { limitExceeded } from './errors.ts';
import { limits } from './limits.ts';

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
    if (isTooMuch(value, type)) return [tooMuch(definition)];
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

const { most: mostValues, inList, input, field } = limits.values;

const tooMuch = ({ variable }: VariableDefinitionNode): GraphQLError =>
  limitExceeded(
    'values',
    mostValues,
    mostValues + 1,
    `Variable "$${variable.name.value}" has more than ${mostValues} values, of which an item of a list counts as ${inList}, an input object as ${input} and each of its fields as ${field}: send fewer at once`,
  );

/** Whether the inputs of a value are too much to be read in one turn of the event loop. JSON in it was counted when it was parsed. */
function isTooMuch(value: unknown, type: GraphQLInputType): boolean {
  let left: number = mostValues;
  const count = (given: unknown, of: GraphQLInputType): void => {
    const own = getNullableType(of);
    if (isListType(own)) {
      for (const item of Array.isArray(given) ? (given as unknown[]) : [given]) {
        left -= inList;
        if (left < 0) return;
        count(item, own.ofType);
      }
    } else if (isInputObjectType(own)) {
      const fields = Object.values(own.getFields());
      left -= input + field * fields.length;
      if (typeof given !== 'object' || given === null) return;
      for (const { name, type } of fields) if (Object.hasOwn(given, name)) count(Reflect.get(given, name), type);
    }
  };
  count(value, type);
  return left < 0;
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
