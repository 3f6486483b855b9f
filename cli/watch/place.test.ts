import fc from 'fast-check';
import { expect, it } from 'vitest';
import { workspaceId } from '../../server/core/workspace.ts';
import { differenceOf, refusalOf, type WorkPlace } from './place.ts';

const word = fc.stringMatching(/^[a-z]{1,3}$/);
const repository = fc.option(word.map((name) => `https://example.org/${name}.git`));
const workspace = fc
  .record({
    host: word,
    folder: word.map((name) => `/${name}`),
    repository,
    branch: fc.option(word),
    commit: fc.option(word),
  })
  .map((place) => ({ id: workspaceId(place.host, place.folder), ...place }));
const unknown: WorkPlace = { id: null, host: null, folder: null, repository: null, branch: 'main', commit: null };

it('takes work of its own folder always, of another clone and of none only when told, and of any other never', () => {
  fc.assert(
    fc.property(workspace, workspace, fc.boolean(), fc.boolean(), (here, there, any, clones) => {
      const isSame = here.host === there.host && here.folder === there.folder;
      const isClone = here.repository !== null && here.repository === there.repository;
      expect(refusalOf(here, there, { any, clones }) === null).toBe(isSame || (isClone && clones));
      expect(refusalOf(here, here, { any, clones })).toBeNull();
      for (const place of [null, unknown]) expect(refusalOf(here, place, { any, clones }) === null).toBe(any);
    }),
  );
});

it('says where to start it, and that it may be another clone', () => {
  const here = {
    id: workspaceId('a', '/a'),
    host: 'a',
    folder: '/a',
    repository: 'git@x:o/r.git',
    branch: 'main',
    commit: 'abc123',
  };
  const there = { ...here, id: workspaceId('b', '/b'), host: 'b', folder: '/b' };
  const neither = { any: false, clones: false };
  expect(refusalOf(here, there, neither)).toBe(
    'its work is done in /b on b: start baton watch there, or with --clones to do it in this clone',
  );
  expect(refusalOf({ ...here, repository: null }, there, neither)).toBe(
    'its work is done in /b on b: start baton watch there',
  );
  expect(refusalOf(here, null, neither)).toBe(
    'nobody said in which folder its work is done: start with --any to do it here',
  );
  expect([differenceOf(here, here), differenceOf(here, null), differenceOf(here, { ...here, commit: 'abc' })]).toEqual([
    '',
    '',
    '',
  ]);
  expect(differenceOf(here, { ...there, branch: 'b', commit: 'def' })).toBe(
    ' Until now it was done in "/b" on "b", and you work in another clone: "/a" on "a". Changes there that were not pushed are not here. Its branch was "b", yours is "main". Its last recorded commit was "def", yours is "abc123". Look first whether you have its state.',
  );
});

it('quotes what others recorded, on one line', () => {
  const here = { id: workspaceId('a', '/a'), host: 'a', folder: '/a', repository: null, branch: 'main', commit: null };
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1 }), (branch) => {
      const said = differenceOf(here, { ...here, branch });
      if (branch === 'main') return;
      expect(said).toMatch(
        /^ Its branch was "[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*", yours is "main"\. Look first whether you have its state\.$/u,
      );
    }),
  );
});
