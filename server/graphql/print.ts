import { lexicographicSortSchema, printSchema } from 'graphql';
import { schema } from './schema.ts';

/** What `schema.graphql` holds: the whole contract, sorted, so that a change of it is a change of a few lines. */
export const printContract = (): string => `${printSchema(lexicographicSortSchema(schema))}\n`;
