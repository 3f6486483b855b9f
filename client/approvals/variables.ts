/** A variable as a form holds it. */
export interface VariableDraft {
  name: string;
  /** A text as it stands, or JSON. */
  text: string;
}

/** The value of a field: JSON, else the text as it stands. */
export function valueOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** The text of a value. A string that would be read as another value is quoted. */
export function textOf(value: unknown): string {
  if (typeof value !== 'string') {
    const line = JSON.stringify(value);
    return line.length <= 60 ? line : JSON.stringify(value, null, 2);
  }
  return valueOf(value) === value ? value : JSON.stringify(value);
}

/** By name: PostgreSQL keeps no order of them. */
export const draftsOf = (variables: unknown): VariableDraft[] =>
  typeof variables !== 'object' || variables === null
    ? []
    : Object.entries(variables)
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([name, value]) => ({ name, text: textOf(value) }));

const named = (drafts: readonly VariableDraft[]): VariableDraft[] => drafts.filter(({ name }) => name.trim() !== '');

/** The variables of a form; null without any. Of two with one name the last counts. */
export const variablesOf = (drafts: readonly VariableDraft[]): Record<string, unknown> | null =>
  named(drafts).length === 0
    ? null
    : Object.fromEntries(named(drafts).map(({ name, text }) => [name.trim(), valueOf(text)]));
