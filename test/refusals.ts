import {
  getNamedType,
  isEnumType,
  isObjectType,
  isScalarType,
  isUnionType,
  type GraphQLObjectType,
  type GraphQLUnionType,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import type { Caller } from '../server/core/work.ts';
import { encodeId, newId, type IdPrefix } from '../server/core/ids.ts';
import { schema } from '../server/graphql/schema.ts';
import { testDatabase } from './database.ts';
import { client } from './graphql.ts';
import { hashAllTables } from './hash.ts';
import { startApp } from './server.ts';
import { operator, world, type World } from './world.ts';

/** By its name in the schema; a name that is not there is an error of `documentOf`. */
export type Mutation = string;

/** Not who calls over HTTP, which is `loopback`. */
export const somebodyElse: Caller = { ...operator, principal: 'somebody else' };

/** What a mutation answered: a payload, or a refusal with what it carries. */
export interface Said {
  __typename: string;
  code?: string;
  message?: string;
  [field: string]: unknown;
}

export interface Refusal {
  mutation: Mutation;
  error: `${string}Error`;
  /** Ends the sentence "it is refused with NOT_FOUND when ...". */
  when: string;
  /** Makes the circumstances, and answers the input to refuse and what the refusal must carry. */
  given(house: House): Promise<Expected> | Expected;
  /** What the message must tell people. */
  says: RegExp;
}
export interface Expected {
  input: object;
  data?: object;
}

/** A server over a database of its own, with what a test needs to bring about any state. */
export interface House extends World {
  db: Awaited<ReturnType<typeof testDatabase>>;
  /** A name that no other case uses. */
  unique(stem: string): string;
  /** A type that no other case uses. */
  uniqueType(): string;
  /** Over HTTP. @throws TopLevel */
  send(mutation: Mutation, input: object): Promise<Said>;
}

const errorsIn = (union: GraphQLUnionType): GraphQLObjectType[] =>
  union.getTypes().filter((type) => type.getInterfaces().some(({ name }) => name === 'Error'));

function resultOf(mutation: string): GraphQLUnionType {
  const type = getNamedType(schema.getMutationType()?.getFields()[mutation]?.type);
  if (!isUnionType(type)) throw new Error(`${mutation} answers no union`);
  return type;
}

/** The typed errors that a mutation may give, by its schema. */
export const errorsOf = (mutation: string): string[] => errorsIn(resultOf(mutation)).map(({ name }) => name);

export const allMutations = (): string[] => Object.keys(schema.getMutationType()?.getFields() ?? {});

/** Sends a mutation and asks for everything that a refusal carries, and which records a payload is about. */
export function documentOf(mutation: Mutation): string {
  const union = resultOf(mutation);
  const fragments = union.getTypes().map((type) => {
    const isError = errorsIn(union).includes(type);
    const fields = Object.values(type.getFields()).map(({ name, type: outer }) => {
      const inner = getNamedType(outer);
      if (isScalarType(inner) || isEnumType(inner)) return name;
      return !isError && isObjectType(inner) && 'id' in inner.getFields() ? `${name} { id }` : '';
    });
    return `... on ${type.name} { ${fields.join(' ')} }`;
  });
  const input = `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}Input`;
  return `mutation ($input: ${input}!) { answer: ${mutation}(input: $input) { __typename ${fragments.join(' ')} } }`;
}

export async function house(): Promise<House> {
  const db = await testDatabase();
  const { url } = await startApp(db);
  const api = client(url);
  const here = world(db.pool);
  let count = 0;
  const unique = (stem: string): string => `${stem}-${(count += 1)}`;
  return {
    ...here,
    db,
    unique,
    uniqueType: () => unique('TYPE').replace('-', '_'),
    async send(mutation, input) {
      const { data, errors } = await api.post<{ answer: Said } | null>(documentOf(mutation), { input });
      if (errors !== undefined || data === null)
        throw new TopLevel(errors?.[0]?.extensions.code ?? 'none', errors?.[0]?.message ?? '');
      return data.answer;
    },
  };
}

/** A refusal that is no member of the mutation's union. */
export class TopLevel extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(`${code}: ${message}`);
  }
}

/** An id of the right form that nothing has. */
export const unknownId = (prefix: IdPrefix): string => encodeId(prefix, newId());

export const codeOf = (error: string): string =>
  error
    .replace(/Error$/, '')
    .replace(/(?<=.)[A-Z]/g, '_$&')
    .toUpperCase();

/** Something that must be refused with `error`, and change nothing at all (refusal changes nothing). */
export async function expectRefusal(
  { db, send }: House,
  { mutation, error, says }: Pick<Refusal, 'mutation' | 'error' | 'says'>,
  { input, data = {} }: Expected,
): Promise<void> {
  const before = await hashAllTables(db.pool);
  const said = await send(mutation, input);
  expect(said).toMatchObject({ __typename: error, code: codeOf(error), ...data });
  expect(said.message).toMatch(says);
  expect(await hashAllTables(db.pool)).toEqual(before);
}

/**
 * One test a case, and one that the cases leave no typed error of these mutations out. Each mutation is named in one such
 * call; `graphql/input/badInput.test.ts` reads them and finds one that is not.
 */
export function testRefusals(home: House, mutations: readonly Mutation[], cases: readonly Refusal[]): void {
  for (const mutation of mutations) {
    describe(mutation, () => {
      for (const refusal of cases.filter((one) => one.mutation === mutation)) {
        it(`is refused with ${codeOf(refusal.error)} when ${refusal.when}`, async () => {
          await expectRefusal(home, refusal, await refusal.given(home));
        });
      }
      it('has a case for every typed error of its union', () => {
        const tried = cases.filter((one) => one.mutation === mutation).map(({ error }) => error);
        expect([...new Set(tried)].sort()).toEqual(errorsOf(mutation).sort());
      });
    });
  }
}
