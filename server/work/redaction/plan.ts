import { createHash } from 'node:crypto';
import type { Leaf } from './leaves.ts';
import { isSecret } from './named.ts';
import { namingOf } from './names.ts';
import { kindOfPair } from './pairs.ts';
import { isSeedPhrase } from './seedPhrases.ts';

/** Rebuilds the value with these texts in place of its leaves. */
type Rebuild = (texts: readonly string[]) => unknown;

const leftAlone = /^(?:id|\w+Ids?|type|agentType|idempotencyKey|collaborators)$/;
// The database limits the length of titles, and a mark may be longer than its secret.
const titleCharacters = 500;
const holdsJson = /^(?:metadata|contextVariables|arguments|result|default|payload|payloadSchema|value)$/;
const headerName = /^(?:(?:proxy-)?authorization|(?:set-)?cookie)$/i;
const unchanged =
  (value: unknown): Rebuild =>
  () =>
    value;

/** Leaves that are collected between two steps. */
const leavesOfStep = 2_000;

type Planning = Generator<void, Rebuild, void>;

/** Collects the texts of a value in steps, and rebuilds it with others. */
export class Plan {
  readonly leaves: Leaf[] = [];
  #nextStep = leavesOfStep;

  /** For decoded input: ignores the names of the schema and keeps ids. */
  *input(value: unknown, path: string): Planning {
    if (typeof value === 'string') return this.#leaf({ text: value, group: path });
    if (Array.isArray(value)) return yield* this.#all(value, (item) => this.input(item, `${path}.*`));
    if (!isPlain(value)) return unchanged(value);
    const parts: [Rebuild, Rebuild][] = [];
    for (const [name, part] of Object.entries(value))
      parts.push([unchanged(name), yield* this.#inputField(name, part, `${path}.${name}`)]);
    return entries(parts);
  }

  *#inputField(name: string, part: unknown, path: string): Planning {
    if (name === 'title' && typeof part === 'string') return this.#leaf({ text: part, group: path }, titleCharacters);
    if (name === 'callId' && typeof part === 'string') return this.#callId(part);
    if (leftAlone.test(name)) return unchanged(part);
    return yield* holdsJson.test(name) ? this.json(part, path) : this.input(part, path);
  }

  /** For the caller's JSON: names tell the meaning of their values, and may contain a secret themselves. */
  *json(value: unknown, path: string, name?: string): Planning {
    if (typeof value === 'string') {
      const kind = name === undefined ? null : kindOf(name, value);
      const header = name !== undefined && headerName.test(name) ? `${name}: ` : '';
      return this.#leaf({ text: value, group: path, kind, before: header });
    }
    if (typeof value === 'number' && name !== undefined) {
      const kind = /^(?:pass|pw)$/i.test(name) || Math.abs(value) < 1000 ? null : kindOf(name, String(value));
      return kind === 'password' ? this.#leaf({ text: String(value), group: path, kind }) : unchanged(value);
    }
    if (Array.isArray(value)) {
      if (value.length <= 30 && value.every((item) => typeof item === 'string') && isSeedPhrase(value)) {
        return all(value.map((text: string) => this.#leaf({ text, group: path, kind: 'seed phrase' })));
      }
      // In ["--password", "..."] the flag names the next item; in {"tokens": ["..."]} the name applies to each.
      return yield* this.#all(value, (item, index) =>
        this.json(item, `${path}.*`, flag(value[index - 1]) ?? name?.replace(/s$/, '')),
      );
    }
    if (!isPlain(value)) return unchanged(value);
    const pair = pairIn(value);
    const parts: [Rebuild, Rebuild][] = [];
    for (const [key, part] of Object.entries(value)) {
      const own = this.#leaf({ text: key, group: `${path}.{}${key}` });
      const isValue = key === 'value' && pair !== null;
      parts.push([
        own,
        isValue
          ? this.#leaf({ text: pair.value, group: `${path}.value`, kind: pair.kind })
          : yield* this.json(part, `${path}.${key}`, key === 'value' ? (name ?? key) : key),
      ]);
      if (this.#stepIsOver()) yield;
    }
    return entries(parts);
  }

  *#all(items: readonly unknown[], plan: (item: unknown, index: number) => Planning): Planning {
    const parts: Rebuild[] = [];
    for (const [index, item] of items.entries()) {
      parts.push(yield* plan(item, index));
      if (this.#stepIsOver()) yield;
    }
    return all(parts);
  }

  #stepIsOver(): boolean {
    if (this.leaves.length < this.#nextStep) return false;
    this.#nextStep = this.leaves.length + leavesOfStep;
    return true;
  }

  /** A provider's id of a call, which may be any text. Two redacted ids would be the same call, so one with a secret becomes its hash. */
  #callId(text: string): Rebuild {
    const index = this.leaves.push({ text, group: `call ${this.leaves.length}` }) - 1;
    return (texts) =>
      texts[index] === text ? text : `sha256_${createHash('sha256').update(text).digest('hex').slice(0, 40)}`;
  }

  #leaf(leaf: Leaf, limit = Infinity): Rebuild {
    const index = this.leaves.push(leaf) - 1;
    return (texts) => shortened(texts[index]!, limit);
  }
}

function shortened(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const characters = [...text];
  return characters.length <= limit ? text : `${characters.slice(0, limit - 1).join('')}…`;
}

function kindOf(name: string, value: string): string | null {
  // In `test:pw` and `ns:password` only the last part matters.
  const naming = namingOf(name.slice(name.lastIndexOf(':') + 1));
  return naming !== null && isSecret(naming, value, 'entry') ? naming.kind : null;
}

const flag = (item: unknown): string | null =>
  typeof item === 'string' && /^--[a-z][\w-]{1,40}$/i.test(item) ? item.slice(2) : null;

/** The value of an object with a name and a value, and its kind when the name marks it as secret; null for other objects. */
function pairIn(object: Record<string, unknown>): { value: string; kind: string | null } | null {
  const { value } = object;
  const name = object['name'] ?? object['key'] ?? object['header'];
  if (typeof name !== 'string' || typeof value !== 'string') return null;
  return { value, kind: kindOfPair(name, value, 'httpOnly' in object || 'domain' in object) };
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' &&
  value !== null &&
  [Object.prototype, null].includes(Object.getPrototypeOf(value) as object | null);

const all =
  (parts: readonly Rebuild[]): Rebuild =>
  (texts) =>
    parts.map((part) => part(texts));

/** Builds an object; numbers keys that became the same mark. */
const entries =
  (parts: readonly (readonly Rebuild[])[]): Rebuild =>
  (texts) => {
    const result: Record<string, unknown> = {};
    const taken = new Map<string, number>();
    for (const [name, part] of parts) {
      const wanted = name!(texts) as string;
      let free = wanted;
      let number = taken.get(wanted) ?? 1;
      while (Object.hasOwn(result, free)) free = `${wanted} ${(number += 1)}`;
      if (number > 1) taken.set(wanted, number);
      const value = part!(texts);
      // Defining a property takes three times as long as assigning it, which would set the prototype here.
      if (free === '__proto__')
        Object.defineProperty(result, free, { value, enumerable: true, writable: true, configurable: true });
      else result[free] = value;
    }
    return result;
  };
