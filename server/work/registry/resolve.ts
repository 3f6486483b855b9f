import { distance } from 'fastest-levenshtein';
import { limits } from '../../core/limits.ts';
import { type Definition, type Problem, quoted, type Reference } from './definition.ts';
import { slugOf } from './rules.ts';

/** An agent that exists. */
export interface KnownAgent {
  id: string;
  name: string;
  archived: boolean;
}

export interface Collaboration {
  agentId: string;
  when: string | null;
  instructions: string | null;
}

/** The problems of names: two files for one agent, and archived agents. */
export function problemsOfNames(definitions: readonly Definition[], known: ReadonlyMap<string, KnownAgent>): Problem[] {
  const problems: Problem[] = [];
  const error = (path: string, message: string, suggestion: string): void =>
    void problems.push({ path, line: null, severity: 'ERROR', message, suggestion });
  const paths = new Map<string, string[]>();
  for (const { slug, path } of definitions) paths.set(slug, [...(paths.get(slug) ?? []), path]);
  for (const { slug, path } of definitions) {
    const others = paths.get(slug)!.filter((other) => other !== path);
    const files = others.length > 0 ? others.map((other) => `'${other}'`).join(', ') : 'this path again';
    if (paths.get(slug)!.length > 1)
      error(path, `Agent '${slug}' is defined by several files: also by ${files}`, 'give each a name of its own');
    if (known.get(slug)?.archived === true)
      error(path, `Agent '${slug}' is archived, and its id is never used again`, 'choose another name');
  }
  return problems;
}

/** Finds the agents that definitions name, among their own and those that exist. */
export class Directory {
  readonly #ids = new Set<string>();
  readonly #archived = new Set<string>();
  /** Null: two agents share the name. */
  readonly #byName = new Map<string, string | null>();
  readonly #nearest = new Map<string, string | null>();

  constructor(definitions: readonly Definition[], known: readonly KnownAgent[]) {
    for (const { slug } of definitions) this.#ids.add(slug);
    for (const { id, archived } of known) (archived ? this.#archived : this.#ids).add(id);
    for (const { id, name, archived } of known) if (!archived) this.#name(slugOf(name), id);
    // A definition is also found by its file: VS Code names agents so.
    for (const { slug, path } of definitions)
      this.#name(slugOf(path.replace(/^.*[/\\]/, '').replace(/(?:\.agent)?\.[^.]*$/, '')), slug);
  }

  #name(name: string, id: string): void {
    const other = this.#byName.get(name);
    this.#byName.set(name, other === undefined || other === id ? id : null);
  }

  find(name: string): string | null {
    const slug = slugOf(name);
    return this.#ids.has(slug) ? slug : (this.#byName.get(slug) ?? null);
  }

  isArchived(name: string): boolean {
    return this.#archived.has(slugOf(name));
  }

  /** The id that resembles the name most; null when none does. */
  nearest(name: string): string | null {
    const slug = slugOf(name);
    const found = this.#nearest.get(slug);
    if (found !== undefined || this.#nearest.size >= maxSuggestions) return found ?? null;
    let best: string | null = null;
    let least = Math.max(2, Math.floor(slug.length / 2.5)) + 1;
    for (const id of this.#ids) {
      const away = distance(slug, id);
      if (away < least || (away === least && best !== null && id < best)) [best, least] = [id, away];
    }
    this.#nearest.set(slug, best);
    return best;
  }
}

/** Greatest number of names for which a nearest one is looked up. */
const maxSuggestions = 50;

/** The collaborations of one definition. Unknown agents are left out, each with a WARNING. */
export function resolveCollaborations(
  { path, slug }: Definition,
  references: readonly Reference[],
  directory: Directory,
  problems: Problem[],
): Collaboration[] {
  const found = new Map<string, Collaboration>();
  const warn = (line: number, message: string, suggestion: string): void =>
    void problems.push({ path, line, severity: 'WARNING', message, suggestion });
  for (const { name, line, when, instructions } of references) {
    const id = directory.find(name);
    if (id === null) {
      const nearest = directory.nearest(name);
      if (directory.isArchived(name))
        warn(
          line,
          `Agent ${quoted(name)} is archived; the collaboration was left out`,
          'name another agent, or leave it out',
        );
      else
        warn(
          line,
          `Agent ${quoted(name)} does not exist; the collaboration was left out`,
          nearest === null ? 'import its definition too, or register it' : `did you mean '${nearest}'?`,
        );
      continue;
    }
    if (id === slug) {
      warn(line, 'The agent hands off to itself; the collaboration was left out', 'leave it out');
      continue;
    }
    const known = found.get(id);
    if (known === undefined) found.set(id, { agentId: id, when, instructions });
    else
      Object.assign(known, {
        when: joined(known.when, when, '; '),
        instructions: joined(known.instructions, instructions, '\n\n'),
      });
  }
  const collaborations = [...found.values()];
  const error = (message: string): void =>
    void problems.push({
      path,
      line: references[0]?.line ?? null,
      severity: 'ERROR',
      message,
      suggestion: 'list fewer, or shorten them',
    });
  const max = limits.counts.collaborators;
  if (collaborations.length > max)
    error(`${collaborations.length} collaborations are listed; an agent may have ${max}`);
  for (const { agentId, when, instructions } of collaborations) {
    if (Buffer.byteLength(when ?? '') > limits.fields.when)
      error(`The conditions of '${agentId}' have more than ${limits.fields.when} bytes together`);
    if (Buffer.byteLength(instructions ?? '') > limits.fields.reason)
      error(`The instructions for '${agentId}' have more than ${limits.fields.reason} bytes together`);
  }
  return collaborations;
}

function joined(first: string | null, second: string | null, between: string): string | null {
  if (first === null || second === null || first === second) return first ?? second;
  return `${first}${between}${second}`;
}
