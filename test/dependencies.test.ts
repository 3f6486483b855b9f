import { describe, expect, it } from 'vitest';
import { readAudit, readDependencies, undocumented, unexplained } from './dependencies.ts';

const page = (packages: string, holes = ''): string =>
  `# Dependencies\n\n## In the server\n\n| package | why |\n|---|---|\n${packages}\n## Known holes\n\n| advisory | package | why it does not matter |\n|---|---|---|\n${holes}`;
const manifest = '{"dependencies": {"a": "1"}, "devDependencies": {"@x/b": "1"}}';
const report = (...via: unknown[]): string =>
  JSON.stringify({ auditReportVersion: 2, vulnerabilities: { a: { via } } });
const hole = {
  name: 'a',
  title: 'Reads any file',
  url: 'https://github.com/advisories/GHSA-aaaa-bbbb-cccc',
  severity: 'high',
  range: '<2',
};
const holesOf = (output: string) => {
  const audit = readAudit(output);
  return 'holes' in audit ? audit.holes : [];
};

it('docs/dependencies.md says of each direct dependency, and of no other package, why it is there', () => {
  expect(undocumented(...readDependencies())).toEqual([]);
});

describe('the list of dependencies', () => {
  it.each([
    ['a package without a row', '| `a` | reads |\n', ['@x/b is not in docs/dependencies.md']],
    ['a row without a reason', '| `a` | reads |\n| `@x/b` |  |\n', ['@x/b has no reason in docs/dependencies.md']],
    ['a row without a package', '| `a` | r |\n| `@x/b` | w |\n| `c` | z |\n', ['c is not a dependency']],
    ['two rows of one package', '| `a` | r |\n| `@x/b` | w |\n| `a` | r |\n', ['a has two rows']],
    ['nothing when both agree', '| `a` | reads |\n| `@x/b` | writes |\n', []],
  ])('reports %s', (_what, rows, lines) => {
    expect(undocumented(page(rows), manifest)).toEqual(lines);
  });
});

describe('the audit', () => {
  it('reports a known hole once, however many packages lead to it', () => {
    const output = JSON.stringify({ vulnerabilities: { a: { via: [hole] }, b: { via: ['a'] }, c: { via: [hole] } } });
    expect(unexplained(page(''), holesOf(output))).toEqual([
      'GHSA-aaaa-bbbb-cccc (high) in a <2: Reads any file, https://github.com/advisories/GHSA-aaaa-bbbb-cccc',
    ]);
  });

  it('accepts a hole with a reason, and none without', () => {
    const row = (why: string): string => page('', `| GHSA-aaaa-bbbb-cccc | a | ${why} |\n`);
    expect(unexplained(row('only its parser is used'), holesOf(report(hole)))).toEqual([]);
    expect(unexplained(row(''), holesOf(report(hole)))).toHaveLength(1);
  });

  it('reports a reason whose hole is gone', () => {
    expect(unexplained(page('', '| GHSA-aaaa-bbbb-cccc | a | unused |\n'), [])).toEqual([
      'GHSA-aaaa-bbbb-cccc is no longer reported: remove its row',
    ]);
  });

  it.each([
    ['{"message":"405 Method Not Allowed - POST https://registry.example","statusCode":405}', /^405/],
    ['{"error":{"code":"ENOTFOUND","summary":"request failed"}}', /request failed/],
    ['', /no output/],
    ['<html>', /<html>/],
  ])('says that a registry gives no answer: %s', (output, why) => {
    expect(readAudit(output)).toEqual({ unanswered: expect.stringMatching(why) as string });
  });
});
