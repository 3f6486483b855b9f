import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const file = join(root, 'docs/imports.md');

interface Rules {
  floors: string[];
  default: { forbidden: Rule[] };
}

interface Rule {
  from: { path?: string | string[]; pathNot?: string | string[] };
  to: { path?: string | string[]; pathNot?: string | string[]; dependencyTypesNot?: string[]; circular?: boolean };
}

/** A list with `$1` for what the first group of `from.path` matched. */
const matches = (patterns: string | string[] | undefined, path: string, group = ''): boolean =>
  [patterns ?? []].flat().some((pattern) => new RegExp(pattern.replaceAll('$1', group)).test(path));

const forbids = ({ from, to }: Rule, one: string, other: string): boolean => {
  if (to.circular === true || to.dependencyTypesNot !== undefined) return false;
  if (!matches(from.path, one) || matches(from.pathNot, one)) return false;
  const group = new RegExp([from.path ?? ''].flat()[0]!).exec(one)?.[1];
  return (to.path === undefined || matches(to.path, other, group)) && !matches(to.pathNot, other, group);
};

/** The floors of `server` and which may import which, as the rules of `npm run imports` say, in Mermaid. */
export async function drawing(): Promise<string> {
  const { floors, default: rules } = (await import(join(root, '.dependency-cruiser.js'))) as Rules;
  const files = execFileSync('git', ['ls-files', 'server'], { cwd: root, encoding: 'utf8' })
    .split('\n')
    // What composes may import everything, and draws nothing.
    .filter((path) => path.endsWith('.ts') && !path.includes('.test.') && path !== 'server/app/compose.ts');
  const on = (floor: string): string[] => files.filter((path) => path.startsWith(`server/${floor}/`));
  const allowed = (floor: string, below: string): boolean =>
    on(floor).some((one) => {
      const applied = rules.forbidden.filter(({ from }) => matches(from.path, one) && !matches(from.pathNot, one));
      return on(below).some((other) => !applied.some((rule) => forbids(rule, one, other)));
    });
  const folders = (floor: string): string => {
    const names = new Set(on(floor).map((path) => path.split('/')[2]!));
    const inside = [...names].filter((name) => !name.includes('.'));
    return inside.length > 1
      ? inside
          .sort()
          .join(', ')
          .replace(/(.{40,60}?), /g, '$1,<br/>')
      : '';
  };
  const nodes = floors.map((floor) => {
    const inside = folders(floor);
    return `    ${floor}["<b>${floor}</b>${inside === '' ? '' : `<br/>${inside}`}"]`;
  });
  const arrows = floors.flatMap((floor, at) =>
    floors
      .slice(at + 1)
      .filter((below) => allowed(floor, below))
      .map((below) => `    ${floor} --> ${below}`),
  );
  return ['```mermaid', 'flowchart TB', ...nodes, ...arrows, '```'].join('\n');
}

/** The document with the drawing of today. */
export const drawn = async (): Promise<string> =>
  readFileSync(file, 'utf8').replace(/```mermaid\n[\s\S]*?```/, (await drawing()).replaceAll('$', '$$$$'));

if (process.argv[1] === import.meta.filename) writeFileSync(file, await drawn());
