import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import {
  buildSchema,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isUnionType,
  type GraphQLInputType,
} from 'graphql';
import { expect, expectTypeOf, it } from 'vitest';
import { encodeId } from '../../server/core/ids.ts';
import { testDatabase } from '../../test/database.ts';
import { runs } from '../../test/runs.ts';
import { startApp } from '../../test/server.ts';
import { world } from '../../test/world.ts';
import type * as operations from './operations.ts';
import { createApi, Refused, type PayloadOf, type UnreadRefusals } from './request.ts';

const database = await testDatabase();
const { url } = await startApp(database);
const { agent, session } = world(database.pool);
const ask = createApi({ url });

const schema = buildSchema(readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8'));

function smallest(type: GraphQLInputType): unknown {
  if (isListType(type)) return [];
  if (isEnumType(type)) return type.getValues()[0]!.name;
  if (!isInputObjectType(type)) return { Boolean: true, Int: 1, JSON: {} }[String(type)] ?? 'nothing-has-this-id';
  return Object.fromEntries(
    Object.values(type.getFields()).flatMap((field) =>
      isNonNullType(field.type) && field.defaultValue === undefined ? [[field.name, smallest(field.type.ofType)]] : [],
    ),
  );
}

/** The mutations that name a record, with an input whose record does not exist. */
const refused = Object.values(schema.getMutationType()!.getFields()).flatMap(({ name, type, args: [input] }) => {
  const inputType = input && isNonNullType(input.type) ? input.type.ofType : undefined;
  const union = isNonNullType(type) ? type.ofType : type;
  if (!isUnionType(union) || !isInputObjectType(inputType)) return [];
  const namesRecord = Object.values(inputType.getFields()).some((field) => String(field.type) === 'ID!');
  const payload = union.getTypes().find((each) => each.name.endsWith('Payload'))!.name;
  return namesRecord ? [{ name, inputType: inputType.name, input: smallest(inputType), payload }] : [];
});

/** What a document selects of the errors, and the code by which the refusal is known then. */
const selections = [
  { of: '... on Error { code message }', code: expect.not.stringMatching('UNKNOWN') as string },
  { of: '... on Error { message code __typename }', code: expect.not.stringMatching('UNKNOWN') as string },
  { of: '__typename', code: 'UNKNOWN' },
  { of: '', code: 'UNKNOWN' },
];

it('throws the refusal of any mutation, whatever the alias and whatever is selected of it', async () => {
  expect(refused.length).toBeGreaterThan(20);
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...refused),
      fc.constantFrom('answer', 'data', 'payload', 'code', 'message', 'x', null),
      fc.constantFrom(...selections),
      async ({ name, inputType, input, payload }, alias, { of, code }) => {
        const field = `${alias === null ? '' : `${alias}: `}${name}(input: $input) { ... on ${payload} { typed: __typename } ${of} }`;
        const answer = ask(`mutation Refused($input: ${inputType}!) { ${field} }`, { input });
        await expect(answer).rejects.toThrow(Refused);
        await expect(answer).rejects.toMatchObject({ code });
      },
    ),
    { numRuns: runs(60), seed: 31 },
  );
});

it('returns the payload of a mutation, and nothing of a query as a refusal', async () => {
  await agent('reader');
  const id = encodeId('session', await session('reader', { title: 'A session' }));
  const fields = '... on PauseSessionPayload { session { id } } ... on Error { code message }';
  const document = (alias: string): string =>
    `mutation Pause($input: PauseSessionInput!) { ${alias}pauseSession(input: $input) { ${fields} } }`;
  const input = { sessionId: id };
  expect(await ask(document(''), { input })).toEqual({ pauseSession: { session: { id } } });
  expect(await ask(document('paused: '), { input })).toEqual({ paused: { session: { id } } });
  expect(await ask(document('answer: '), { input })).toEqual({ session: { id } });
  expect(
    await ask('query Read($id: ID!) { session(id: $id) { code: id } none: agent(id: "nobody") { id } }', { id }),
  ).toEqual({ session: { code: id }, none: null });
});

it('compiles for documents that select the errors of their unions', () => {
  type Operations = typeof operations;
  type Results = {
    [Name in keyof Operations]: Operations[Name] extends operations.TypedDocumentString<infer Result, infer _>
      ? Result
      : never;
  }[keyof Operations];
  type Unread = Results extends infer Result ? UnreadRefusals<Result> : never;
  expectTypeOf<Unread>().toEqualTypeOf<never>();

  type Error = { code: 'CONFLICT'; message: string };
  type Paused = { session: { id: string } };
  expectTypeOf<UnreadRefusals<{ pauseSession: Paused | Error }>>().toEqualTypeOf<never>();
  expectTypeOf<UnreadRefusals<{ pauseSession: Paused | Record<PropertyKey, never> }>>().toEqualTypeOf<'pauseSession'>();
  expectTypeOf<
    UnreadRefusals<{ pauseSession: Paused | { __typename?: 'ConflictError' } }>
  >().toEqualTypeOf<'pauseSession'>();
  expectTypeOf<PayloadOf<{ pauseSession: Paused | Error }>>().toEqualTypeOf<{ pauseSession: Paused }>();
  expectTypeOf<PayloadOf<{ answer: Paused | Error }>>().toEqualTypeOf<Paused>();
  const unread = {} as operations.TypedDocumentString<{ pauseSession: Paused | Record<PropertyKey, never> }, object>;
  // @ts-expect-error It selects nothing of the errors.
  void (() => ask(unread, {}));
});
