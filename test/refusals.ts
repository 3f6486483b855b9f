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
import { schema } from '../server/api/graphql/schema.ts';
import { encodeId, newId, type IdPrefix } from '../server/core/ids.ts';
import type { Caller } from '../server/core/work.ts';
import { archiveAgent } from '../server/work/agents/archiveAgent.ts';
import { testDatabase, type TestDatabase } from './database.ts';
import { client } from './graphql.ts';
import { hashAllTables } from './hash.ts';
import { webhookKey } from './keyring.ts';
import { startApp } from './server.ts';
import { operator, world, type World } from './world.ts';

/** The name in the schema; `documentOf` throws for an unknown one. */
export type Mutation = string;

/** Another principal than the HTTP caller, which is `loopback`. */
export const somebodyElse: Caller = { ...operator, principal: 'somebody else' };

/** A mutation's answer: a payload, or a refusal with its fields. */
export interface Said {
  __typename: string;
  code?: string;
  message?: string;
  [field: string]: unknown;
}

export interface Refusal {
  mutation: Mutation;
  error: `${string}Error`;
  /** Completes "it is refused with NOT_FOUND when ...". */
  when: string;
  /** Sets up the case and returns the rejected input and the expected fields. */
  given(house: House): Promise<Expected> | Expected;
  /** Matches the message. */
  says: RegExp;
}
export interface Expected {
  input: object;
  data?: object;
  /** The key that the caller presents; none unless given. */
  key?: string;
}

/** A server with its own database and helpers for reaching any state. */
export interface House extends World {
  db: Awaited<ReturnType<typeof testDatabase>>;
  /** A name unique to the case. */
  unique(stem: string): string;
  /** A type unique to the case. */
  uniqueType(): string;
  /** Registers an agent that `somebodyElse` archives; returns its id. */
  archivedAgent(): Promise<string>;
  /** Sends over HTTP. @throws TopLevel */
  send(mutation: Mutation, input: object, key?: string): Promise<Said>;
}

const errorsIn = (union: GraphQLUnionType): GraphQLObjectType[] =>
  union.getTypes().filter((type) => type.getInterfaces().some(({ name }) => name === 'Error'));

function resultOf(mutation: string): GraphQLUnionType {
  const type = getNamedType(schema.getMutationType()?.getFields()[mutation]?.type);
  if (!isUnionType(type)) throw new Error(`${mutation} answers no union`);
  return type;
}

/** The typed errors of a mutation in the schema. */
export const errorsOf = (mutation: string): string[] => errorsIn(resultOf(mutation)).map(({ name }) => name);

export const allMutations = (): string[] => Object.keys(schema.getMutationType()?.getFields() ?? {});

/** A mutation's document that selects all fields of refusals and the ids of a payload's records. */
export function documentOf(mutation: Mutation): string {
  const union = resultOf(mutation);
  const fragments = union.getTypes().map((type) => {
    const isError = errorsIn(union).includes(type);
    const fields = Object.values(type.getFields()).map(({ name, type: outer }) => {
      const inner = getNamedType(outer);
      if (isScalarType(inner) || isEnumType(inner)) return name;
      return !isError && isObjectType(inner) && 'id' in inner.getFields() ? `${name} { id }` : '';
    });
    return `... on ${type.name} { __typename ${fields.join(' ')} }`;
  });
  const input = `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}Input`;
  return `mutation ($input: ${input}!) { answer: ${mutation}(input: $input) { __typename ${fragments.join(' ')} } }`;
}

export async function house(given?: TestDatabase): Promise<House> {
  const db = given ?? (await testDatabase());
  const { url } = await startApp(db, { variables: { BATON_WEBHOOK_KEY: webhookKey } });
  const api = client(url);
  const here = world(db.pool);
  let count = 0;
  const unique = (stem: string): string => `${stem}-${(count += 1)}`;
  return {
    ...here,
    db,
    unique,
    uniqueType: () => unique('TYPE').replace('-', '_'),
    async archivedAgent() {
      const id = unique('retired');
      await here.agent(id);
      await here.run(archiveAgent, { id }, { caller: somebodyElse });
      return id;
    },
    async send(mutation, input, key) {
      const { data, errors } = await (key === undefined ? api : client(url, { key })).post<{ answer: Said } | null>(
        documentOf(mutation),
        { input },
      );
      if (errors !== undefined || data === null)
        throw new TopLevel(errors?.[0]?.extensions.code ?? 'none', errors?.[0]?.message ?? '');
      return data.answer;
    },
  };
}

/** An error outside of the mutation's union. */
export class TopLevel extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(`${code}: ${message}`);
  }
}

/** A well-formed id of no record. */
export const unknownId = (prefix: IdPrefix): string => encodeId(prefix, newId());

export const codeOf = (error: string): string =>
  error
    .replace(/Error$/, '')
    .replace(/(?<=.)[A-Z]/g, '_$&')
    .toUpperCase();

/** Expects the input to be rejected with `error` and all tables to be unchanged. */
export async function expectRefusal(
  { db, send }: House,
  { mutation, error, says }: Pick<Refusal, 'mutation' | 'error' | 'says'>,
  { input, data = {}, key }: Expected,
): Promise<void> {
  const hash = async (): Promise<object> => {
    const { tables } = await hashAllTables(db.pool);
    return limits.includes(error)
      ? Object.fromEntries(Object.entries(tables).filter(([name]) => !ofEvents.includes(name)))
      : tables;
  };
  const before = await hash();
  const said = await send(mutation, input, key);
  expect(said).toMatchObject({ __typename: error, code: codeOf(error), ...data });
  expect(said.message).toMatch(says);
  expect(await hash()).toEqual(before);
}

/** Refusals that are recorded as SESSION_STUCK, and the tables that an Event changes. */
const limits = ['MaxHandoffsReachedError', 'HandoffLoopError'];
const ofEvents = ['events', 'inbox_entries', 'sessions', 'agents'];

/**
 * One test per case, and one that checks that the cases cover all typed errors of these mutations. Name each mutation in one
 * such call; `api/graphql/input/badInput.test.ts` finds any that is missing.
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
