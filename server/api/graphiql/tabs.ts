import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The queries that GraphiQL opens with, in the order of their file names. They run as they stand on the demonstration. */
export function readTabs(folder = import.meta.dirname): { query: string }[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.graphql'))
    .sort()
    .map((name) => ({ query: readFileSync(join(folder, name), 'utf8') }));
}
