import { buildSchema, graphql, type GraphQLObjectType } from 'graphql';
import { expect, it } from 'vitest';
import { isDroppedField, rejecting } from './rejecting.ts';

/** A list of two items of which the first fails late. Returns the rejections without a handler. */
async function unhandledIn(source: string, refuse: () => unknown): Promise<unknown[]> {
  const schema = buildSchema('type Query { items: [Item!]! } type Item { slow: Int! refused(of: Int!): Int! }');
  const { items } = schema.getQueryType()!.getFields();
  items!.resolve = () => [0, 1];
  const { slow, refused } = (schema.getType('Item') as GraphQLObjectType).getFields();
  slow!.resolve = (item: number) => (item === 0 ? Promise.reject(new Error('Slow')) : item);
  refused!.resolve = (item: number) => (item === 0 ? item : refuse());
  const left: unknown[] = [];
  const note = (error: unknown): void => void left.push(error);
  process.on('unhandledRejection', note);
  const { errors } = await graphql({ schema: rejecting(schema), source });
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', note);
  expect(errors).toHaveLength(1);
  return left;
}

it('leaves no rejection without a handler when an item of a list is refused after one that is still read', async () => {
  const refuse = (): never => {
    throw new Error('Refused');
  };
  expect(await unhandledIn('{ items { slow refused(of: 1) } }', refuse)).toEqual([]);
});

it('knows a rejection that graphql-js dropped from others', async () => {
  const left = await unhandledIn('{ items { refused(of: 1) slow } }', () => 'no number');
  expect(left).toHaveLength(1);
  expect(isDroppedField(left[0])).toBe(true);
  expect(isDroppedField(new Error('Slow'))).toBe(false);
});
