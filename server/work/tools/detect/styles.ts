import type { Arguments } from './detection.ts';

/** The names that frameworks give their handoff tools. */

export interface Styled {
  /** The target as the model named it; null when it named none. */
  target: string | null;
  /** The argument that names the target; empty when the name of the tool does. */
  path: readonly string[];
}

/** Equal for names that differ only in case and in `-` and `_`. Only ASCII letters: others can look alike. */
export const folded = (name: string): string =>
  name.replace(/[A-Z_]/g, (letter) => (letter === '_' ? '-' : letter.toLowerCase()));

/** The items by their folded name. */
export function byFoldedName<Item>(items: readonly Item[], nameOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const name = folded(nameOf(item));
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [item]);
    else group.push(item);
  }
  return groups;
}

/** Like `folded`, for a name in an argument, where models write as people do: `Recipe Editor`, `@editor`, `"editor"`. */
export const foldedTitle = (name: string): string =>
  folded(name.replace(/^[\s@"'`]+|[\s"'`]+$/g, '').replace(/\s+/g, '-'));

/** Tools for all targets, with the arguments that may name one (Google ADK, Strands, CrewAI). */
const naming = new Map<string, readonly string[]>([
  ['transfer-to-agent', ['agent_name']],
  ['transfer-to-other-agent', ['agent_name']],
  ['handoff-to-agent', ['agent_name']],
  ['delegate-work-to-coworker', ['coworker', 'co_worker']],
]);
/** Tools for one target (OpenAI Agents SDK, LangGraph, AutoGen). */
const prefixes = ['transfer-to-', 'transfer-back-to-', 'handoff-to-'];

/** Reads the target of a call from the tool's name or arguments; null when the name has no known style. */
export function styleOf(name: string, given: Arguments | null): Styled | null {
  const named = naming.get(foldedTitle(name));
  if (named !== undefined) {
    const argument = named.find((each) => each in (given ?? {})) ?? named[0]!;
    const target = given?.[argument];
    return { target: typeof target === 'string' && target.trim() !== '' ? target : null, path: [argument] };
  }
  const plain = folded(name);
  const prefix = prefixes.find((each) => plain.startsWith(each));
  return prefix === undefined ? null : { target: name.slice(prefix.length) || null, path: [] };
}

/** The name, and the name without `mcp__<server>__`. */
export function namesOf(name: string): string[] {
  const end = name.startsWith('mcp__') ? name.indexOf('__', 'mcp__'.length + 1) : -1;
  return end === -1 || end + 2 === name.length ? [name] : [name, name.slice(end + 2)];
}
