import type { GraphQLError } from 'graphql';
import { badValue } from './errors.ts';
import { limits } from './limits.ts';

interface Place {
  value: object;
  level: number;
  key: string;
  parent: Place | null;
}

/**
 * What is nested so deeply that whoever goes through it by recursion would run out of stack, as an error that names
 * the place; null when all is well. It recurses itself nowhere.
 */
export function checkVariables(variables: unknown): GraphQLError | null {
  if (typeof variables !== 'object' || variables === null) return null;
  const most = limits.json.variablesDepth;
  const open: Place[] = [{ value: variables, level: 0, key: '', parent: null }];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    if (place.level > most) {
      const path = pathTo(place).slice(0, most);
      return badValue(`The variables are nested more than ${most} levels deep, in ${path.slice(0, 3).join('.')}: flatten it`, path);
    }
    for (const [key, value] of entriesOf(place.value)) {
      if (typeof value === 'object' && value !== null) open.push({ value, level: place.level + 1, key, parent: place });
    }
  }
  return null;
}

// A list of numbers or texts has nothing to look into; its many keys are not made.
function* entriesOf(value: object): Iterable<[string, unknown]> {
  if (!Array.isArray(value)) return yield* Object.entries(value);
  for (let index = 0; index < value.length; index += 1) {
    const item: unknown = value[index];
    if (typeof item === 'object' && item !== null) yield [String(index), item];
  }
}

function pathTo(place: Place): string[] {
  const path: string[] = [];
  for (let at: Place | null = place; at?.parent != null; at = at.parent) path.push(at.key);
  return path.reverse();
}
