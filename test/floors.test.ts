import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { drawn } from './floors.ts';

const root = join(import.meta.dirname, '..');
const folders = readdirSync(join(root, 'server'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

it('the drawing in docs/imports.md is that of the rules: npm run imports:drawing', async () => {
  expect(readFileSync(join(root, 'docs/imports.md'), 'utf8')).toBe(await drawn());
});

it('server has at most nine folders', () => {
  expect(folders.length).toBeLessThanOrEqual(9);
});

it.each(folders.filter((name) => name !== 'generated'))('server/%s has a README of at most 20 lines', (name) => {
  const lines = readFileSync(join(root, 'server', name, 'README.md'), 'utf8')
    .trimEnd()
    .split('\n');
  expect(lines.length).toBeLessThanOrEqual(20);
});
