import { readdirSync, readFileSync } from 'node:fs';

/** The queries that GraphiQL opens with, in the order of their file names. They run as they stand on the demonstration. */
export function readTabs(): { query: string }[] {
  const folder = new URL('.', import.meta.url);
  return readdirSync(folder)
    .filter((name) => name.endsWith('.graphql'))
    .sort()
    .map((name) => ({ query: readFileSync(new URL(name, folder), 'utf8') }));
}
