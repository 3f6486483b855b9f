import {
  getNamedType,
  type GraphQLField,
  type GraphQLInputType,
  isAbstractType,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
  type GraphQLNamedType,
  type GraphQLObjectType,
} from 'graphql';
import { everybody } from '../server/api/access/roles.ts';
import { schema } from '../server/api/graphql/schema.ts';
import type { Random } from './soak/random.ts';

/** A field that some caller may not select, on some record. */
const mayBeRefused = ({ extensions: { access } }: GraphQLField<unknown, unknown>): boolean =>
  access === 'ownAgent' || (Array.isArray(access) && access.length < everybody.length);

const levels = 5;
const perList = 3;

/**
 * A valid query that mixes fields that a caller may not select with others, in any order, at any depth, below aliases, fragments and
 * directives, in lists of several records. `idOf` gives an id for an argument or for `nodes`. About one in four has a variable that is null
 * where its argument must not be.
 */
export function mixedDocument(dice: Random, idOf: () => string): { query: string; variables: object } {
  let made = 0;
  const variables: Record<string, unknown> = {};
  const declared: string[] = [];
  const fragments: string[] = [];
  const nulls = dice.below(4) === 0;

  const literal = (type: GraphQLInputType, name: string): string => {
    if (isNonNullType(type)) return literal(type.ofType, name);
    if (isListType(type)) return `[${Array.from({ length: 6 }, () => literal(type.ofType, name)).join(', ')}]`;
    if (isEnumType(type)) return dice.pick(type.getValues()).name;
    // Names records, the last one first.
    if (name === 'query') return `"/agents/${idOf()}/agents/${idOf()}/${idOf()}/${idOf()}"`;
    const { name: of } = getNamedType(type);
    if (of === 'ID' && !/after|before/.test(name)) return JSON.stringify(idOf());
    return of === 'JSON' ? '{}' : of === 'String' ? '"the"' : '1';
  };
  const given = ({ name, type }: { name: string; type: GraphQLInputType }): string => {
    if (name === 'first') return `first: ${perList}`;
    if (!nulls || !isNonNullType(type)) return `${name}: ${literal(type, name)}`;
    const variable = `v${(made += 1)}`;
    declared.push(`$${variable}: ${String(type.ofType)} = ${literal(type, name)}`);
    variables[variable] = null;
    return `${name}: $${variable}`;
  };
  const fieldOf = (field: GraphQLField<unknown, unknown>, depth: number): string => {
    const args = field.args.filter(({ name, type }) => name === 'first' || isNonNullType(type)).map(given);
    const type = getNamedType(field.type);
    // An alias each: equal names with other arguments would be no valid document.
    return `f${(made += 1)}: ${field.name}${args.length === 0 ? '' : `(${args.join(', ')})`}${directive()}${
      isLeafType(type) ? '' : ` ${selectionsOf(type, depth - 1)}`
    }`;
  };
  const directive = (): string => (dice.below(12) === 0 ? dice.pick([' @include(if: true)', ' @skip(if: true)']) : '');
  const selectionsOf = (type: GraphQLNamedType, depth: number): string => {
    if (isAbstractType(type)) {
      const types = schema.getPossibleTypes(type);
      const parts = Array.from({ length: 4 }, () => dice.pick(types));
      return `{ __typename ${parts.map((each) => `... on ${each.name} ${selectionsOf(each, depth - 1)}`).join(' ')} }`;
    }
    const fields = Object.values((type as GraphQLObjectType).getFields());
    const few = fields.filter(({ type: of }) => depth > 0 || isLeafType(getNamedType(of)));
    const leaves = few.filter(({ type: of }) => isLeafType(getNamedType(of)));
    const further = few.filter(({ type: of }) => !isLeafType(getNamedType(of)));
    const refused = few.filter(mayBeRefused);
    const parts = ['__typename'];
    for (let n = 1 + dice.below(4); n > 0; n -= 1) {
      const from = dice.pick([leaves, further, further, refused, refused]);
      if (from.length > 0) parts.push(fieldOf(dice.pick(from), depth));
    }
    const inside = `{ ${parts.join(' ')} }`;
    if (dice.below(5) > 0) return inside;
    if (dice.below(2) === 0) return `{ ... on ${type.name}${directive()} ${inside} }`;
    const name = `F${(made += 1)}`;
    fragments.push(`fragment ${name} on ${type.name} ${inside}`);
    return `{ ...${name} }`;
  };

  const roots = Object.values(schema.getQueryType()!.getFields()).filter(({ type }) => !isLeafType(getNamedType(type)));
  const asked = Array.from({ length: 1 + dice.below(2) }, () => fieldOf(dice.pick(roots), levels));
  const head = declared.length === 0 ? '' : `(${declared.join(', ')}) `;
  return { query: [`query ${head}{ ${asked.join(' ')} }`, ...fragments].join(' '), variables };
}
