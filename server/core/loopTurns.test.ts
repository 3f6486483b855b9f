import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Payer, takeTurn } from './loopTurns.ts';

/** Holds the event loop for longer than a turn. */
function busy(): void {
  const until = performance.now() + 6;
  while (performance.now() < until);
}

/** Uses up a turn, then takes turns for these payers' pieces. Returns the payers in the order of their pieces. */
async function served(payers: readonly Payer[], work: () => void): Promise<Payer[]> {
  const order: Payer[] = [];
  await takeTurn(new Payer());
  busy();
  await Promise.all(
    payers.map(async (payer) => {
      await takeTurn(payer);
      order.push(payer);
      work();
    }),
  );
  return order;
}

describe('takeTurn', () => {
  test('begins at once while the turn has time left', () => {
    expect(takeTurn(new Payer())).toBeUndefined();
  });

  test('begins with the payer whose last turn is the longest ago, whatever the others queued before', async () => {
    const [eager, earlier, quiet] = [new Payer(), new Payer(), new Payer()];
    await served([earlier], () => undefined);
    await served([eager], () => undefined);
    expect(await served([eager, eager, eager, earlier, quiet], busy)).toEqual([quiet, earlier, eager, eager, eager]);
  });

  test('lets the event loop turn between pieces that are long', async () => {
    let turns = 0;
    const count = (): void => {
      turns += 1;
      counting = setImmediate(count);
    };
    let counting = setImmediate(count);
    const before: number[] = [];
    await served(
      Array.from({ length: 5 }, () => new Payer()),
      () => {
        before.push(turns);
        busy();
      },
    );
    clearImmediate(counting);
    expect(new Set(before).size).toBe(5);
  });

  test('gives payers that wait together equally many turns', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(3), { minLength: 1, maxLength: 30 }), async (queued) => {
        const payers = [new Payer(), new Payer(), new Payer(), new Payer()];
        const order = await served(
          queued.map((n) => payers[n]!),
          () => undefined,
        );
        for (let end = 1; end <= order.length; end += 1) {
          const had = (payer: Payer): number => order.slice(0, end).filter((each) => each === payer).length;
          const waits = payers.filter((payer, n) => had(payer) < queued.filter((each) => each === n).length);
          for (const payer of waits) for (const other of payers) expect(had(other)).toBeLessThanOrEqual(had(payer) + 1);
        }
      }),
      { numRuns: 50 },
    );
  });
});
