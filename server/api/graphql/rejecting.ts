import { GraphQLError, isObjectType, type GraphQLFieldResolver, type GraphQLSchema } from 'graphql';

/**
 * Lets every field reject instead of throwing. graphql-js 16 drops the promises of a list's earlier items when a later one throws
 * (completeListValue): their rejections have no handler, which ends the process. Must be the outermost wrapper of the resolvers.
 */
export function rejecting(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields()))
      if (field.resolve !== undefined) field.resolve = withoutThrowing(field.resolve);
  }
  return schema;
}

const withoutThrowing =
  <Source, Context>(resolve: GraphQLFieldResolver<Source, Context>): GraphQLFieldResolver<Source, Context> =>
  (...given) => {
    try {
      return resolve(...given);
    } catch (error) {
      const reason = error as Error;
      return Promise.reject(reason);
    }
  };

/**
 * Whether a rejection without a handler is one of a field that graphql-js dropped: it throws by itself for an argument that is null
 * and must not be, and for a value that does not fit its type. Its request is answered without that field.
 */
export const isDroppedField = (error: unknown): boolean => error instanceof GraphQLError && error.path !== undefined;
