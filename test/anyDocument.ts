import fc from 'fast-check';
import {
  getNamedType,
  type GraphQLField,
  isAbstractType,
  isCompositeType,
  isInterfaceType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { schema } from '../server/api/graphql/schema.ts';
import { type Random, random } from './soak/random.ts';

export interface DocumentShape {
  /** The approximate maximum. */
  tokens: number;
  /** Allows fragment cycles. */
  cycles?: boolean;
  /** Excluded field names. */
  without?: RegExp;
}

const composites = Object.values(schema.getTypeMap()).filter(
  (type) => isObjectType(type) && type !== schema.getMutationType(),
);

/** Random documents with many fragments, inline fragments, aliases, directives and deep nesting. Most are valid. */
export const anyDocument = (shape: DocumentShape): fc.Arbitrary<string> =>
  fc.integer().map((seed) => documentOf(seed, shape));

/** Equal for equal seeds. */
export const documentOf = (seed: number, shape: DocumentShape): string => new Writing(seed, shape).document();

const lists: Record<string, string> = { agents: 'Agent', sessions: 'Session', handoffs: 'Handoff' };

class Writing {
  readonly #numbers: Random;
  #left: number;
  /** Each fragment's type. */
  readonly #fragments: string[];
  /** The only list selected, with fragments of its type. */
  readonly #list: string | null;
  /** Only scalars without arguments and fragments: the selections that Baton plans itself. */
  readonly #plain: boolean;
  /** Adds fragment cycles and fragments of wrong types. */
  readonly #wild: boolean;
  /** Constant, because one field name with different arguments is invalid. */
  readonly #page: number;

  constructor(
    seed: number,
    private readonly shape: DocumentShape,
  ) {
    this.#numbers = random(seed);
    this.#left = Math.ceil(shape.tokens * (0.2 + 0.8 * this.#random()));
    this.#page = this.#below(6);
    this.#wild = this.#random() < 0.1;
    // Few types, so that fragments apply often.
    this.#list = this.#random() < 0.3 ? this.#one(['agents', 'sessions', 'handoffs']) : null;
    this.#plain = this.#list !== null && this.#random() < 0.5;
    const types =
      this.#list !== null
        ? [lists[this.#list]!]
        : ['Agent', 'Session', 'Handoff', 'Query', this.#one(composites).name, this.#one(composites).name];
    this.#fragments = Array.from({ length: this.#below(25) }, () => this.#one(types));
  }

  document(): string {
    const query = this.#random() < 0.9 ? 'Query' : 'Subscription';
    const share = this.#left / (this.#fragments.length + 2);
    const operation =
      this.#list === null
        ? `${query.toLowerCase()} ${this.#selections(query, share * 2, 0, -1)}`
        : `{ ${this.#list} { nodes ${this.#selections(lists[this.#list]!, share * 2, 0, -1)} } }`;
    const fragments = this.#fragments.map(
      (type, index) => `fragment F${index} on ${type} ${this.#selections(type, share, 0, index)}`,
    );
    const used = new Set<string>();
    const use = (text: string): void => {
      for (const [, index] of text.matchAll(/\.\.\.F(\d+)/g)) {
        const fragment = fragments[Number(index)]!;
        if (used.has(fragment)) continue;
        used.add(fragment);
        use(fragment);
      }
    };
    use(operation);
    // An unused fragment makes the document invalid.
    return [operation, ...(this.#random() < 0.1 ? fragments : used)].join(' ');
  }

  #random(): number {
    return this.#numbers.below(1_000_000) / 1_000_000;
  }

  #below(most: number): number {
    return Math.floor(this.#random() * most);
  }

  #one<T>(list: readonly T[]): T {
    return list[this.#below(list.length)]!;
  }

  #selections(name: string, tokens: number, depth: number, within: number): string {
    const parts: string[] = [];
    let left = tokens - 2;
    const type = schema.getType(name)!;
    const fields = isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : [];
    const spreads = this.#fragments.flatMap((on, index) =>
      (on === name && index > within) ||
      (this.#wild && this.#random() < 0.01 && (index > within || this.shape.cycles !== false))
        ? [index]
        : [],
    );
    const subscribes = name === 'Subscription';
    do {
      const kind = this.#random();
      const before = parts.length;
      if (spreads.length > 0 && kind < 0.45) {
        const spread = `...F${this.#one(spreads)}`;
        const times = this.#random() < 0.2 ? 1 + this.#below(Math.max(1, left / 2)) : 1;
        for (let n = 0; n < times; n += 1) parts.push(`${spread}${this.#directive()}`);
        left -= 2 * times;
      } else if (kind < 0.55 && depth < 100 && left > 6 && !subscribes) {
        const inner = left * this.#random();
        const on = isAbstractType(type) ? this.#one(schema.getPossibleTypes(type)).name : name;
        parts.push(
          `... ${this.#random() < 0.5 || on !== name ? `on ${on}` : ''}${this.#directive()} ${this.#selections(on, inner, depth + 1, within)}`,
        );
        left -= inner + 3;
      } else if (fields.length > 0 && (name !== 'Query' || this.#random() < 0.3)) {
        const field = this.#one(fields);
        if (this.shape.without?.test(field.name) !== true) {
          const inner = isCompositeType(getNamedType(field.type)) ? left * this.#random() : 0;
          const written = this.#field(field, inner, depth, within);
          if (written !== null) parts.push(written);
          left -= inner + 2;
        } else left -= 1;
      } else left -= 1;
      if (parts.length === before) left -= 1;
    } while (left > 0 && !(subscribes && parts.length > 0));
    return `{ ${parts.length === 0 ? '__typename' : parts.join(' ')} }`;
  }

  #field(field: GraphQLField<unknown, unknown>, tokens: number, depth: number, within: number): string | null {
    const type = getNamedType(field.type);
    const args: string[] = [];
    for (const { name, type: asked } of field.args) {
      if (name === 'ids') args.push('ids: ["x", "y"]');
      else if (name === 'first' && this.#page > 0) args.push(`first: ${this.#page}`);
      else if (isNonNullType(asked)) args.push(`${name}: ${getNamedType(asked).name === 'ID' ? '"claude-1"' : '1'}`);
    }
    const alias = this.#random() < 0.03 ? `a${this.#below(3)}_${field.name}: ` : '';
    if (this.#plain && args.length + (isCompositeType(type) ? 1 : 0) > 0) return null;
    const head = `${alias}${field.name}${args.length > 0 ? `(${args.join(' ')})` : ''}${this.#directive()}`;
    if (!isCompositeType(type)) return head;
    if (tokens < 3) return null;
    return `${head} ${this.#selections(type.name, tokens, depth + 1, within)}`;
  }

  #directive(): string {
    return !this.#plain && this.#random() < 0.03
      ? ` @${this.#one(['skip', 'include'])}(if: ${this.#one(['true', 'false'])})`
      : '';
  }
}
