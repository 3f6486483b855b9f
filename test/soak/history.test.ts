import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { damageOf } from './history.ts';

const streams = fc.uniqueArray(
  fc.nat(9_999).map((n) => `event-${n}`),
  { minLength: 2, maxLength: 80 },
);
const at = fc.nat();
const named = (heard: readonly string[], truth: readonly string[]) => damageOf({ name: 'ada', heard, truth });
const kinds = (lines: string[]) =>
  lines.map((line) => /^ada: \d+ of \d+ (lost|repeated|invented|out of order): /.exec(line)?.[1]).toSorted();

describe('the history of a subscriber', () => {
  it('reports nothing for events in order', () => {
    fc.assert(
      fc.property(streams, (truth) => {
        expect(named([...truth], truth)).toEqual([]);
      }),
    );
  });

  it('reports a lost event anywhere', () => {
    fc.assert(
      fc.property(streams, at, (truth, n) => {
        const lost = truth[n % truth.length]!;
        const lines = named(
          truth.filter((event) => event !== lost),
          truth,
        );
        expect(lines).toEqual([`ada: 1 of ${truth.length} lost: ${lost}`]);
      }),
    );
  });

  it('reports a repeated event, however much later', () => {
    fc.assert(
      fc.property(streams, at, at, (truth, n, later) => {
        const place = n % truth.length;
        const again = place + 1 + (later % (truth.length - place));
        const heard = truth.toSpliced(again, 0, truth[place]!);
        expect(named(heard, truth)).toEqual([`ada: 1 of ${truth.length} repeated: ${truth[place]!}`]);
      }),
    );
  });

  it('reports two swapped events, however far apart', () => {
    fc.assert(
      fc.property(streams, at, at, (truth, n, m) => {
        const first = n % (truth.length - 1);
        const second = first + 1 + (m % (truth.length - 1 - first));
        const heard = [...truth];
        [heard[first], heard[second]] = [heard[second]!, heard[first]!];
        expect(kinds(named(heard, truth))).toEqual(['out of order']);
      }),
    );
  });

  it('reports an invented event', () => {
    fc.assert(
      fc.property(streams, at, (truth, n) => {
        expect(kinds(named(truth.toSpliced(n % (truth.length + 1), 0, 'a dream'), truth))).toEqual(['invented']);
      }),
    );
  });

  it('reports several kinds of damage together', () => {
    expect(kinds(named(['c', 'b', 'b', 'x'], ['a', 'b', 'c']))).toEqual([
      'invented',
      'lost',
      'out of order',
      'repeated',
    ]);
  });
});
