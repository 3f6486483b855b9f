import SchemaBuilder from '@pothos/core';
import { parse, type GraphQLObjectType, type OperationDefinitionNode } from 'graphql';
import { describe, expect, it } from 'vitest';
import { measure } from '../../infra/limits/cost.ts';
import { guard } from '../access/guard.ts';
import { operators } from '../access/roles.ts';
import DeclaredPlugin from './declared.ts';

/** A schema of one record, `Thing`, with the options that a test is about. */
function built(
  ofType: { access?: 'inherit' },
  ofField: { access?: typeof operators; cost?: number },
  ofList: { listSize?: number } = { listSize: 7 },
) {
  const builder = new SchemaBuilder<object>({ plugins: [DeclaredPlugin] } as never);
  const Thing = builder
    .objectRef<object>('Thing')
    .implement({ ...ofType, fields: (t) => ({ name: t.string({ ...ofField, resolve: () => 'x' }) }) });
  builder.queryType({
    fields: (t) => ({ things: t.field({ access: operators, ...ofList, type: [Thing], resolve: () => [{}] }) }),
  });
  return builder.toSchema();
}
const costOf = (schema: ReturnType<typeof built>, source: string) => {
  const document = parse(source);
  return measure(schema, document, document.definitions[0] as OperationDefinitionNode, {}).cost;
};

describe('refuses to build a schema', () => {
  it('with a field that has no access, when its type has none either', () => {
    expect(() => guard(built({}, {}))).toThrow('Thing.name has no access: declare');
    expect(() => guard(built({ access: 'inherit' }, {}))).not.toThrow();
    expect(() => guard(built({}, { access: operators }))).not.toThrow();
  });

  it('with a list without pages that has no listSize', () => {
    expect(() => built({}, {}, {})).toThrow(
      'Query.things is a list without pages: say what it is counted as (listSize)',
    );
  });

  it('with a listSize on a list of scalars', () => {
    const builder = new SchemaBuilder<object>({ plugins: [DeclaredPlugin] } as never);
    builder.queryType({ fields: (t) => ({ names: t.stringList({ listSize: 5, resolve: () => [] }) }) });
    expect(() => builder.toSchema()).toThrow('Query.names is no list that needs a listSize');
  });
});

it('a field rejects the roles that its access does not name, whatever its type allows', () => {
  const schema = guard(built({ access: 'inherit' }, { access: operators }));
  const { name } = (schema.getType('Thing') as GraphQLObjectType).getFields();
  const as = (role: string): unknown =>
    (name!.resolve as (...args: unknown[]) => unknown)({}, {}, { caller: { role, agentId: null } }, {});
  expect(as('OPERATOR')).toBe('x');
  expect(() => as('ANALYST')).toThrow(
    'Thing.name is not allowed for your role: it requires a key of role OPERATOR or ADMIN',
  );
});

it('a field counts its declared cost times the size of its list', () => {
  expect(costOf(built({}, {}), '{ things { name } }')).toBe(7);
  expect(costOf(built({}, { cost: 3 }), '{ things { name } }')).toBe(28);
});
