import type { JsonSchema } from '../../../server/work/tools/define.ts';

/** One argument of a tool, as a field of a form. */
export interface ArgumentField {
  name: string;
  kind: 'text' | 'choice' | 'boolean' | 'number' | 'json';
  required: boolean;
  description: string | null;
  /** Of a choice. */
  choices: readonly unknown[];
  /** As JSON; null without one. */
  preset: string | null;
}

interface Property {
  type: string;
  description?: string;
  enum?: readonly unknown[];
  default?: unknown;
}

const kinds: Record<string, ArgumentField['kind']> = {
  string: 'text',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
};

export const fieldsOf = ({ properties, required }: JsonSchema): ArgumentField[] =>
  Object.entries(properties).map(([name, given]) => {
    const property = given as Property;
    return {
      name,
      kind: property.enum ? 'choice' : (kinds[property.type] ?? 'json'),
      required: required.includes(name),
      description: property.description ?? null,
      choices: property.enum ?? [],
      preset: property.default === undefined ? null : JSON.stringify(property.default),
    };
  });

/** What was typed, by name. A choice is the position of its value. */
export type Typed = ReadonlyMap<string, string>;

export interface ReadArguments {
  values: Record<string, unknown>;
  /** Fields that cannot be read, each with its reason. */
  faults: Map<string, string>;
}

/** The arguments of the call. An empty field is not given. */
export function toArguments(fields: readonly ArgumentField[], typed: Typed): ReadArguments {
  const entries: [string, unknown][] = [];
  const faults = new Map<string, string>();
  for (const { name, kind, choices } of fields) {
    const text = typed.get(name) ?? '';
    if (text.trim() === '') continue;
    try {
      entries.push([
        name,
        kind === 'choice'
          ? choices[Number(text)]
          : kind === 'text'
            ? text
            : kind === 'number'
              ? numberOf(text)
              : JSON.parse(text),
      ]);
    } catch (error) {
      faults.set(name, `This is not JSON: ${(error as Error).message}`);
    }
  }
  return { values: Object.fromEntries(entries), faults };
}

/** What is no number stays text: the server says so. */
const numberOf = (text: string): number | string => (Number.isFinite(Number(text)) ? Number(text) : text);
