import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isSameRepository, isWorkspaceId, withoutCredentials, workspaceId } from './workspace.ts';

const word = fc.stringMatching(/^[a-z0-9][a-z0-9_.-]{0,8}$/);
const secret = fc.stringMatching(/^[A-Za-z0-9:_%.-]{1,30}$/);

it('tells folders and machines apart, and nothing else', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string(), fc.string(), (host, folder, otherHost, otherFolder) => {
      fc.pre(!`${host}${otherHost}`.includes('\n'));
      const [one, other] = [workspaceId(host, folder), workspaceId(otherHost, otherFolder)];
      expect(isWorkspaceId(one)).toBe(true);
      expect(one === other).toBe(host === otherHost && folder === otherFolder);
    }),
  );
});

it('takes user and password out of an address, and leaves the rest', () => {
  fc.assert(
    fc.property(fc.constantFrom('https', 'http', 'ssh', 'git+ssh'), secret, word, word, (scheme, user, host, path) => {
      expect(withoutCredentials(` ${scheme}://${user}@${host}:8443/${path}@2.git\n`)).toBe(
        `${scheme}://${host}:8443/${path}@2.git`,
      );
      expect(withoutCredentials(`${scheme}://${host}/${path}@2`)).toBe(`${scheme}://${host}/${path}@2`);
    }),
  );
  expect(['git@host.example:a/b.git', '/srv/git/a', '../a'].map(withoutCredentials)).toEqual([
    'git@host.example:a/b.git',
    '/srv/git/a',
    '../a',
  ]);
});

it('takes the spellings of one repository as the same, and other repositories as others', () => {
  fc.assert(
    fc.property(word, word, word, word, (host, owner, name, other) => {
      fc.pre(![name, other].some((each) => each.endsWith('.git')) && name !== other);
      const spellings = (repository: string) => [
        `https://${host}/${owner}/${repository}.git`,
        `https://${host}/${owner}/${repository}/`,
        `git@${host}:${owner}/${repository}.git`,
        `ssh://git@${host}/${owner}/${repository}`,
      ];
      for (const one of spellings(name)) {
        for (const same of spellings(name)) expect([one, same, isSameRepository(one, same)]).toEqual([one, same, true]);
        for (const not of spellings(other)) expect([one, not, isSameRepository(one, not)]).toEqual([one, not, false]);
      }
    }),
  );
  expect(isSameRepository(null, null)).toBe(false);
});
