import SchemaBuilder from '@pothos/core';
import ErrorsPlugin from '@pothos/plugin-errors';
import PrismaPlugin, { getRefFromModel, type PrismaObjectRef } from '@pothos/plugin-prisma';
import RelayPlugin, { resolveNodes } from '@pothos/plugin-relay';
import { GraphQLError, GraphQLScalarType } from 'graphql';
import { DateTimeResolver } from 'graphql-scalars';
import { BadUserInputError } from '../../core/errors.ts';
import type { Role } from '../../core/work.ts';
import type { WorkingTree } from '../../core/workspace.ts';
import type PrismaTypes from '../../generated/pothos-types.ts';
import { getDatamodel } from '../../generated/pothos-types.ts';
import type { Carry } from '../../work/context/carry.ts';
import type { ContextVariable } from '../../work/context/context.ts';
import type { Workspace } from '../../work/context/derive/log.ts';
import type { Preview } from '../../work/context/preview.ts';
import type { Usage } from '../../work/log/queries.ts';
import { everybody } from '../access/roles.ts';
import type { GraphQLContext } from './context.ts';
import DeclaredPlugin from './declared.ts';
import ExposedColumnsPlugin from './exposedColumns.ts';
import { badArgument } from './input/badArgument.ts';
import { JsonScalar } from './input/jsonScalar.ts';
import { decodeNodeId, encodeNodeId, type NodeType } from './nodeIds.ts';

export interface SchemaShape {
  Context: GraphQLContext;
  PrismaTypes: PrismaTypes;
  DefaultFieldNullability: false;
  /** Plain types that several folders use. Each is defined in the folder of its noun. */
  Objects: {
    Actor: { actorPrincipal: string; actorRole: Role | null };
    Carry: Carry;
    ContextPreview: Preview;
    ContextVariable: ContextVariable;
    Usage: Usage;
    WorkingTree: WorkingTree;
    Workspace: Workspace;
  };
  Scalars: {
    ID: { Input: string; Output: string };
    DateTime: { Input: Date; Output: Date };
    JSON: { Input: unknown; Output: unknown };
  };
}
export type ModelName = keyof PrismaTypes;
export type Model<M extends ModelName> = PrismaTypes[M];

export const capitalized = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

const maxNodes = 100;

/**
 * The one schema builder. A field with `errors: { types: [...] }` returns the union `XResult` of its payload and those
 * errors. Fields are non-null unless they set `nullable: true`.
 */
export const builder = new SchemaBuilder<SchemaShape>({
  plugins: [DeclaredPlugin, ErrorsPlugin, RelayPlugin, ExposedColumnsPlugin, PrismaPlugin],
  defaultFieldNullability: false,
  errors: {
    directResult: true,
    defaultTypes: [BadUserInputError],
    defaultUnionOptions: {
      name: ({ fieldName }) => `${capitalized(fieldName)}Result`,
      description:
        'Result of the mutation of the same name: its payload, or a typed error. An error means that nothing was changed.',
    },
  },
  prisma: {
    client: ({ prisma }) => prisma,
    dmmf: getDatamodel(),
    exposeDescriptions: true,
  },
  relay: {
    encodeGlobalID: (typename, id) => encodeNodeId(typename as NodeType, String(id)),
    decodeGlobalID: decodeNodeId,
    idFieldOptions: {
      description: 'Global id. Valid for `node` and for every argument that takes an id of this type.',
    },
    nodeTypeOptions: { description: 'A record with a global id.' },
    nodeQueryOptions: {
      access: everybody,
      description: 'Returns the record with this global id; null when it does not exist or the caller may not read it.',
      args: { id: { description: 'Any global id, or the slug of an Agent.' } },
    },
    nodesQueryOptions: {
      access: everybody,
      description:
        'Returns the records with these ids, in their order; null in place of a record that does not exist or that the caller may not read.',
      args: { ids: { description: `Global ids, or slugs of Agents: at most ${maxNodes}.` } },
      resolve: async (_root, { ids }, context, info): Promise<unknown[]> => {
        if (ids.length > maxNodes) {
          throw badArgument(`ids has ${ids.length} entries; the limit is ${maxNodes}: send several requests`, ['ids']);
        }
        const distinct = [...new Set(ids)];
        // The `resolveNodes` that Pothos passes to a resolver ignores its argument and looks up all ids.
        const found = await resolveNodes(builder, context, info, distinct);
        const byId = new Map(distinct.map((id, index) => [id, found[index]]));
        return ids.map((id) => byId.get(id));
      },
    },
  },
});

// Lists that PostgreSQL returns as JSON text hold ISO strings already.
const isIso = (value: unknown): boolean => typeof value === 'string' && value.length === 24 && value.endsWith('Z');
const { serialize, parseValue, parseLiteral, ...dateTime } = DateTimeResolver.toConfig();
builder.addScalarType(
  'DateTime',
  new GraphQLScalarType({
    ...dateTime,
    description:
      'A time with its date and zone as in RFC 3339: `2026-01-10T12:00:00Z` or `2026-01-10T13:00:00+01:00`. Answers are in UTC, with milliseconds.',
    serialize: (value) => (isIso(value) ? (value as never) : serialize(value)),
    parseValue: (value) => withAdvice(() => parseValue(value)),
    parseLiteral: (node, variables) => withAdvice(() => parseLiteral(node, variables)),
  }),
);

/** @throws GraphQLError that says what a DateTime looks like. */
function withAdvice<Value>(parse: () => Value): Value {
  try {
    return parse();
  } catch (error) {
    const { message, nodes } = error as GraphQLError;
    throw new GraphQLError(`${message.replace(/\.$/, '')}: give date, time and zone, such as 2026-01-10T12:00:00Z`, {
      nodes,
    });
  }
}
builder.addScalarType('JSON', JsonScalar);

builder.queryType({ description: 'Every read. Queries change nothing.' });
builder.mutationType({
  description: 'Every change. Each mutation returns a union of its payload and the typed errors that it can give.',
});

export type Types = PothosSchemaTypes.ExtendDefaultTypes<SchemaShape>;

/**
 * The GraphQL type of a Prisma model by name, so that schemas need not import each other. Only `id` is certain to be
 * selected: a field selects the other columns that it needs.
 */
export const modelRef = <M extends ModelName>(model: M): PrismaObjectRef<Types, Model<M>, { id: string }> =>
  getRefFromModel(model, builder) as never;
