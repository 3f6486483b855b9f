import { readFileSync } from 'node:fs';

const read = (name: string): string => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');

/** The rows of the tables below these headings of docs/dependencies.md: the first cell, and the last. */
function rowsBelow(document: string, isWanted: (heading: string) => boolean): [string, string][] {
  return document
    .split(/^## /m)
    .filter((section) => isWanted(section.split('\n', 1)[0]!))
    .flatMap((section) => [...section.matchAll(/^\| (?!-|package|advisory)`?([^`|]+?)`? \|.*?([^|]*) \|$/gm)])
    .map(([, name, why]) => [name!, why!.trim()]);
}

const isHoles = (heading: string): boolean => heading === 'Known holes';

/** What docs/dependencies.md lacks of the direct dependencies, and what it has besides. A line each. */
export function undocumented(document: string, manifest: string): string[] {
  const { dependencies = {}, devDependencies = {} } = JSON.parse(manifest) as Record<string, object | undefined>;
  const direct = Object.keys({ ...dependencies, ...devDependencies });
  const rows = rowsBelow(document, (heading) => !isHoles(heading));
  const names = rows.map(([name]) => name);
  return [
    ...direct.filter((name) => !names.includes(name)).map((name) => `${name} is not in docs/dependencies.md`),
    ...rows.filter(([, why]) => why === '').map(([name]) => `${name} has no reason in docs/dependencies.md`),
    ...names.filter((name) => !direct.includes(name)).map((name) => `${name} is not a dependency`),
    ...names.filter((name, at) => names.indexOf(name) !== at).map((name) => `${name} has two rows`),
  ];
}

export const readDependencies = (): [document: string, manifest: string] => [
  read('docs/dependencies.md'),
  read('package.json'),
];

interface Hole {
  name: string;
  title: string;
  url: string;
  severity: string;
  range: string;
}

/** What `npm audit --json` says of a registry that was asked, or why there is no answer. */
export type Audit = { holes: Hole[] } | { unanswered: string };

export function readAudit(output: string): Audit {
  try {
    const report = JSON.parse(output) as {
      vulnerabilities?: Record<string, { via: (string | Hole)[] }>;
      message?: string;
      error?: { summary?: string; code?: string };
    };
    if (report.vulnerabilities === undefined)
      return { unanswered: report.message ?? report.error?.summary ?? report.error?.code ?? 'no report' };
    const all = Object.values(report.vulnerabilities).flatMap(({ via }) =>
      via.filter((one) => typeof one !== 'string'),
    );
    return { holes: [...new Map(all.map((hole) => [hole.url, hole])).values()] };
  } catch {
    return { unanswered: output.trim().split('\n', 1)[0] || 'no output' };
  }
}

/** A line for each hole without a reason, and for each reason without a hole. */
export function unexplained(document: string, holes: readonly Hole[]): string[] {
  const explained = rowsBelow(document, isHoles)
    .filter(([, why]) => why !== '')
    .map(([advisory]) => advisory);
  const idOf = ({ url }: Hole): string => url.slice(url.lastIndexOf('/') + 1);
  return [
    ...holes
      .filter((hole) => !explained.includes(idOf(hole)))
      .map((hole) => `${idOf(hole)} (${hole.severity}) in ${hole.name} ${hole.range}: ${hole.title}, ${hole.url}`),
    ...explained
      .filter((advisory) => !holes.some((hole) => idOf(hole) === advisory))
      .map((advisory) => `${advisory} is no longer reported: remove its row`),
  ];
}
