import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { blocksOf, documents, textOf } from './blocks.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Whether a path exists; `*` stands for any part of a name. */
function exists(path: string, from = root): boolean {
  const [name = '', ...rest] = path.replace(/\/$/, '').split('/');
  const pattern = new RegExp(
    `^${name
      .split('*')
      .map((part) => part.replaceAll('.', '\\.'))
      .join('.*')}$`,
  );
  const found = name.includes('*')
    ? readdirSync(from).filter((entry) => pattern.test(entry))
    : [name].filter((entry) => existsSync(join(from, entry)));
  return rest.length === 0
    ? found.length > 0
    : found.some((entry) => readable(join(from, entry)) && exists(rest.join('/'), join(from, entry)));
}
const readable = (path: string): boolean => existsSync(join(path, '.'));
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

/** Files and folders of the repository in a text, from its root on. */
const pathsIn = (text: string): string[] =>
  text.match(/(?<![\w/.@-])(?:server|cli|client|test|bench|prisma|docs)(?:\/[\w.*-]+)+\/?/g) ?? [];

it.each(documents)('%s names only files and folders that exist', (file) => {
  const missing = pathsIn(textOf(file).replaceAll(/\]\(.*?\)/g, ']'))
    .map((path) => path.replace(/[.:]$/, ''))
    .filter((path) => !exists(path));
  expect(missing).toEqual([]);
});

it.each(documents)('%s links only to documents, headings and pictures that exist', (file) => {
  const links = [...textOf(file).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)].map(([, path, anchor]) => ({
    path: path === '' ? file : normalize(join(dirname(file), path!)),
    anchor,
  }));
  const broken = links.filter(
    ({ path, anchor }) =>
      !exists(path) ||
      (anchor !== undefined &&
        !textOf(path)
          .split('\n')
          .some((line) => line.startsWith('#') && anchorOf(line.replace(/^#+ /, '')) === anchor)),
  );
  expect(broken).toEqual([]);
});

it('the drawing of the architecture names every server folder that a request passes', () => {
  const [drawing] = blocksOf('docs/architecture.md').filter(({ language }) => language === 'mermaid');
  expect(pathsIn(drawing!.text)).toEqual(
    expect.arrayContaining(['server/infra/limits', 'server/work/keys', 'server/api/graphql', 'server/core']),
  );
});

it('the recipe of a mutation adds lines that are in the code', () => {
  const files = [
    'work/sessions/changeSession.ts',
    'work/sessions/changeSession.test.ts',
    'api/sessions/mutations.ts',
    'api/access/matrix.test.ts',
  ];
  const code = files
    .map((file) => textOf(`server/${file}`))
    .join('\n')
    .split('\n');
  const recipe = /^## A mutation\n(.*?)^## /ms.exec(textOf('docs/adding.md'))![1]!;
  const added = [...recipe.matchAll(/^ +\+(.*)$/gm)].map(([, line]) => line!);
  expect(added.length).toBeGreaterThan(10);
  expect(added.filter((line) => !code.includes(line))).toEqual([]);
});
