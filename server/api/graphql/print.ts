import { lexicographicSortSchema, printSchema } from 'graphql';
import { schema } from './schema.ts';

/** The text of `schema.graphql`, sorted so that a change touches few lines. */
export const printContract = (): string => `${printSchema(lexicographicSortSchema(schema))}\n`;
