const added = /^ALTER TYPE ("\w+") ADD VALUE ('\w+');$/gm;

/**
 * Scripts with the same result whose enum types have all values from the beginning. PostgreSQL before 17 lets no transaction use a value that
 * it adds, so that the scripts as they are cannot run in one.
 */
export function foldedEnums(scripts: readonly string[]): string[] {
  const values = new Map<string, string[]>();
  for (const script of scripts)
    for (const [, type, value] of script.matchAll(added)) values.set(type!, [...(values.get(type!) ?? []), value!]);
  return scripts.map((script) =>
    script
      .replaceAll(added, '')
      .replaceAll(/^CREATE TYPE ("\w+") AS ENUM \((.+)\);$/gm, (whole, type: string, first: string) => {
        const more = values.get(type);
        return more === undefined ? whole : `CREATE TYPE ${type} AS ENUM (${[first, ...more].join(', ')});`;
      }),
  );
}
