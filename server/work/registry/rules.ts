export interface FilledPrompt {
  text: string;
  /** Names in the template without a value, which stay as they are. */
  missing: string[];
  /** Given names that the template does not mention. */
  unused: string[];
}

const reference = /\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g;

/**
 * Replaces `$NAME` and `${NAME}` once: a value is never searched for further names. `given` wins over `known`. Null when the
 * text would have more than `maxCharacters`.
 */
export function fillPrompt(
  template: string,
  given: ReadonlyMap<string, string>,
  known: ReadonlyMap<string, string>,
  maxCharacters: number,
): FilledPrompt | null {
  const missing = new Set<string>();
  const used = new Set<string>();
  const parts: string[] = [];
  let length = 0;
  let from = 0;
  const add = (part: string): void => {
    parts.push(part);
    length += part.length;
  };
  for (const match of template.matchAll(reference)) {
    const name = (match[1] ?? match[2])!;
    const value = given.get(name) ?? known.get(name);
    used.add(name);
    if (value === undefined) missing.add(name);
    add(template.slice(from, match.index));
    add(value ?? match[0]);
    from = match.index + match[0].length;
    if (length > maxCharacters) return null;
  }
  add(template.slice(from));
  if (length > maxCharacters) return null;
  return { text: parts.join(''), missing: [...missing], unused: [...given.keys()].filter((name) => !used.has(name)) };
}

/** The id for an agent of this name: "Security Planner" gives "security-planner", "C# Expert" gives "c-sharp-expert". May be empty or too long. */
export const slugOf = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{Mark}+/gu, '')
    .toLowerCase()
    .replace(/(?<=[a-z])#/g, '-sharp')
    .replaceAll('++', '-plus-plus-')
    .replace(/[^a-z0-9_]+/g, '-')
    .replace(/^[-_]+|[-_]+$/g, '');
