import fc from 'fast-check';
import { type FragmentDefinitionNode, Kind, parse, type SelectionSetNode } from 'graphql';
import { describe, expect, test } from 'vitest';
import { anyDocument } from '../../../test/anyDocument.ts';
import { schema } from '../../api/graphql/schema.ts';
import { limits } from '../../core/limits.ts';
import { checkOperation } from './checkOperation.ts';
import { expansionOf } from './expansion.ts';

const repeated = (count: number, part: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => part(index)).join(' ');
const expand = (source: string) => expansionOf(parse(source), limits.query.selections);

describe('the number of selections after expansion', () => {
  test.each([
    ['{ viewer { role } }', 2],
    ['{ agent(id: "x") { ... { id } ... on Agent { id name } } }', 1 + 2 + 3],
    ['{ agent(id: "x") { ...A ...A } } fragment A on Agent { id ...B } fragment B on Agent { name }', 1 + 2 * (1 + 3)],
    ['{ agent(id: "x") { ...A @skip(if: true) } } fragment A on Agent { id @include(if: false) }', 1 + 2],
    ['{ viewer { role } } fragment Unused on Agent { ...B ...B } fragment B on Agent { id }', 2 + 2 * 2],
    ['query A { viewer { role } } query B { viewer { role } }', 4],
    ['{ __schema { types { ...T } } } fragment T on __Type { ofType { name } }', 2 + 1 + 2],
    ['{ ...Missing }', 1],
  ])('%s', (source, selections) => expect(expand(source)).toMatchObject({ selections, cyclic: false }));

  test('equals a count that follows every spread', () => {
    fc.assert(
      fc.property(anyDocument({ tokens: 200, cycles: false }), (source) => {
        const document = parse(source);
        const fragments = new Map(
          document.definitions.flatMap((each) =>
            each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each] as [string, FragmentDefinitionNode]] : [],
          ),
        );
        const spread = new Set<string>();
        let steps = 0;
        const walk = ({ selections }: SelectionSetNode): number => {
          let count = 0;
          for (const selection of selections) {
            if ((steps += 1) > 100_000) return count;
            count += 1;
            if (selection.kind === Kind.FRAGMENT_SPREAD) {
              spread.add(selection.name.value);
              count += walk(fragments.get(selection.name.value)!.selectionSet);
            } else if (selection.selectionSet !== undefined) count += walk(selection.selectionSet);
          }
          return count;
        };
        for (const definition of document.definitions) walk((definition as FragmentDefinitionNode).selectionSet);
        fc.pre(steps <= 100_000);
        steps = 0;
        const roots = document.definitions.filter(
          (each) =>
            each.kind === Kind.OPERATION_DEFINITION ||
            (each.kind === Kind.FRAGMENT_DEFINITION && !spread.has(each.name.value)),
        );
        const walked = roots.reduce((sum, root) => sum + walk((root as FragmentDefinitionNode).selectionSet), 0);
        fc.pre(steps <= 100_000);
        expect(expansionOf(document, limits.query.selections).selections).toBe(walked);
      }),
      { numRuns: 300 },
    );
  });
});

describe('the number of compared pairs of fields with one name in one place', () => {
  test.each([
    ['{ viewer { role } agent(id: "x") { id } }', 0],
    ['{ a: viewer { role } a: viewer { role } a: viewer { role } }', 3 + 3],
    ['{ viewer { role } viewer { ... { role } ...V ...V } } fragment V on Viewer { role }', 1 + 3],
    ['{ x: viewer { ...V } y: viewer { ...V } } fragment V on Viewer { role role }', 2],
  ])('%s', (source, comparisons) => expect(expand(source)).toMatchObject({ comparisons }));
});

describe('a fragment that spreads itself is detected', () => {
  test.each([
    ['directly', '{ ...A } fragment A on Query { ...A }', true],
    [
      'through others',
      '{ ...A } fragment A on Query { viewer { ...B } } fragment B on Viewer { agent { ...C } } fragment C on Agent { ...B }',
      true,
    ],
    ['in an unused fragment', '{ viewer { role } } fragment A on Query { ...A }', true],
    [
      'but not a fragment that is spread twice',
      '{ ...A ...A ...B } fragment A on Query { ...B } fragment B on Query { viewer { role } }',
      false,
    ],
  ])('%s', (_name, source, cyclic) => expect(expand(source)).toMatchObject({ cyclic }));
});

describe('checks within 5 ms a document of up to 1,000 tokens:', () => {
  /** Of processor time, the least of several runs, more of them on a busy machine: other processes and garbage collection do not count. */
  function checkedWithin(source: string): number {
    let least = Infinity;
    for (let run = 0; run < 5 || (least >= 5 && run < 100); run += 1) {
      const document = parse(source);
      const before = process.cpuUsage();
      checkOperation(schema, document, undefined, {});
      const { user, system } = process.cpuUsage(before);
      least = Math.min(least, (user + system) / 1_000);
    }
    return least;
  }
  const doubled = (levels: number, spreads: number): string =>
    `{ agents { nodes { ${'...F0 '.repeat(spreads)} } } } ${repeated(levels, (n) => `fragment F${n} on Agent { ...F${n + 1} ...F${n + 1} }`)} fragment F${levels} on Agent { id }`;

  test.each([
    ['fragments that double 16 times, spread 370 times', doubled(16, 370)],
    ['fragments that double 60 times', doubled(60, 1)],
    ['300 nested inline fragments', `{ ${'... { '.repeat(300)} __typename ${'} '.repeat(300)} }`],
    ['one field 490 times', `{ viewer { ${'role '.repeat(490)} } }`],
    [
      'one field in 60 fragments',
      `{ handoff(id: "x") { ${repeated(60, (n) => `...F${n}`)} } } ${repeated(60, (n) => `fragment F${n} on Handoff { previous { id } }`)}`,
    ],
  ])('%s', (_name, source) => expect(checkedWithin(source)).toBeLessThan(5));

  test('any document', () => {
    fc.assert(
      fc.property(anyDocument({ tokens: 950 }), (source) => void expect(checkedWithin(source)).toBeLessThan(5)),
      { numRuns: 150 },
    );
  });
});

test('a document with doubling fragments is rejected in every kind of operation', () => {
  for (const operation of ['query', 'subscription', 'mutation']) {
    const root = {
      query: 'viewer { agent',
      subscription: 'sessionUpdated { agent',
      mutation: 'archiveAgent(input: { id: "x" }) { ... on ArchiveAgentPayload { agent',
    }[operation]!;
    const open = root.split('{').length - root.split('}').length;
    const source = `${operation} { ${root} { ...F0 } ${'}'.repeat(open)} } ${repeated(12, (n) => `fragment F${n} on Agent { ...F${n + 1} ...F${n + 1} }`)} fragment F12 on Agent { id }`;
    expect(
      checkOperation(schema, parse(source), undefined, {}).errors.map(({ extensions }) => extensions),
    ).toContainEqual(expect.objectContaining({ code: 'LIMIT_EXCEEDED', what: 'selections', limit: 2_000 }));
  }
});
