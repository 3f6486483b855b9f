const added = /^ALTER TYPE ("\w+") ADD VALUE ('\w+')(?: (BEFORE|AFTER) ('\w+'))?;$/gm;

interface Added {
  value: string;
  side: string | undefined;
  /** The value that it stands beside; undefined for the last place. */
  beside: string | undefined;
}

/**
 * Scripts with the same result whose enum types have all values from the beginning. PostgreSQL before 17 lets no transaction use a value that
 * it adds, so that the scripts as they are cannot run in one.
 */
export function foldedEnums(scripts: readonly string[]): string[] {
  const values = new Map<string, Added[]>();
  for (const script of scripts)
    for (const [, type, value, side, beside] of script.matchAll(added))
      values.set(type!, [...(values.get(type!) ?? []), { value: value!, side, beside }]);
  return scripts.map((script) =>
    script
      .replaceAll(added, '')
      .replaceAll(/^CREATE TYPE ("\w+") AS ENUM \((.+)\);$/gm, (whole, type: string, first: string) => {
        const more = values.get(type);
        return more === undefined
          ? whole
          : `CREATE TYPE ${type} AS ENUM (${more.reduce(withValue, first.split(', ')).join(', ')});`;
      }),
  );
}

function withValue(values: string[], { value, side, beside }: Added): string[] {
  const at = beside === undefined ? values.length : values.indexOf(beside) + (side === 'AFTER' ? 1 : 0);
  return values.toSpliced(at, 0, value);
}
