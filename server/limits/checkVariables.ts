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
 * Returns an error with the path when variables are nested so deeply that recursive code could overflow the stack; otherwise
 * null. Works without recursion.
 */
export function checkVariables(variables: unknown): GraphQLError | null {
  if (typeof variables !== 'object' || variables === null) return null;
  const limit = limits.json.variablesDepth;
  const open: Place[] = [{ value: variables, level: 0, key: '', parent: null }];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    if (place.level > limit) {
      const path = pathTo(place).slice(0, limit);
      return badValue(
        `The variables are nested more than ${limit} levels deep, in ${path.slice(0, 3).join('.')}: flatten it`,
        path,
      );
    }
    for (const [key, value] of entriesOf(place.value)) {
      if (typeof value === 'object' && value !== null) open.push({ value, level: place.level + 1, key, parent: place });
    }
  }
  return null;
}

// Skips scalars: `Object.entries` would create a pair for each.
function* entriesOf(value: object): Iterable<[string, unknown]> {
  if (!Array.isArray(value)) {
    for (const key of Object.keys(value)) {
      const part: unknown = Reflect.get(value, key);
      if (typeof part === 'object' && part !== null) yield [key, part];
    }
    return;
  }
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
