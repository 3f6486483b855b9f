import { expect, it } from 'vitest';
import { inputOf, mutations, queries, subscriptions, type Makes } from '../bench/operations.ts';
import { schema } from '../server/api/graphql/schema.ts';
import { limits } from '../server/core/limits.ts';

const makes = new Proxy({} as Makes, { get: () => () => Promise.resolve('id') });

it('the benchmark of turns has an input for every query, mutation and subscription', async () => {
  const names = (type: { getFields(): object } | null | undefined): string[] => Object.keys(type!.getFields()).sort();
  expect(Object.keys(queries).sort()).toEqual(names(schema.getQueryType()));
  expect(Object.keys(mutations).sort()).toEqual(names(schema.getMutationType()));
  expect(Object.keys(subscriptions).sort()).toEqual(names(schema.getSubscriptionType()));
});

it.each(Object.keys(mutations))('%s has a largest value for each field of its input, within a body', async (name) => {
  const input = JSON.stringify(await inputOf(name, makes));
  expect(Buffer.byteLength(input)).toBeLessThan(limits.body.json);
});
