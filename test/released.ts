import { buildSchema, findBreakingChanges } from 'graphql';

/** The part of CHANGELOG.md below a heading of level 2. */
export function sectionOf(changelog: string, heading: RegExp): string | undefined {
  return changelog.split(/^## /m).find((section) => heading.test(section));
}

/** The breaking changes between two contracts that the changelog does not name in its section Unreleased, below Breaking. */
export function unnamedBreaks(released: string, current: string, changelog: string): string[] {
  const [, breaking = ''] = (sectionOf(changelog, /^Unreleased\n/) ?? '').split(/^### Breaking\n/m);
  const named = plain(breaking.split(/^### /m)[0]!);
  return findBreakingChanges(buildSchema(released), buildSchema(current))
    .map(({ description }) => description)
    .filter((description) => !named.includes(` ${plain(description).replace(/\.$/, '')}`));
}

/** Without backticks and line breaks. */
const plain = (text: string): string => text.replaceAll('`', '').replaceAll(/\s+/g, ' ');
