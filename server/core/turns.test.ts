import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Turns } from './turns.ts';

const patient = { atOnce: 2, waiting: 100, waitMs: 3_600_000 };

describe('Turns', () => {
  test('go to the key with the fewest running turns, then to the longest waiting request', async () => {
    const turns = new Turns(patient);
    const begun: string[] = [];
    const ends = new Map<string, () => void>();
    const take = (key: string, name: string) =>
      void turns.take(key).then((end) => (begun.push(name), ends.set(name, end!)));
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2']) take(name[0]!, name);
    const after = async (name: string) => {
      ends.get(name)!();
      await expect.poll(() => begun.length).toBeGreaterThan(ends.size - 1);
      return begun.at(-1);
    };
    await expect.poll(() => begun).toEqual(['a1', 'a2']);
    expect([await after('a1'), await after('a2'), await after('b1')]).toEqual(['b1', 'a3', 'b2']);
  });

  test('reject a request when the queue is full or the wait is over', async () => {
    const turns = new Turns({ atOnce: 1, waiting: 1, waitMs: 50 });
    const end = await turns.take('a');
    const waiting = turns.take('b');
    expect(await turns.take('c')).toBeNull();
    expect(await waiting).toBeNull();
    end!();
    expect(await turns.take('b')).not.toBeNull();
  });

  test('alternate between keys with equally many running turns, whatever the length of their queues', async () => {
    const turns = new Turns({ ...patient, atOnce: 1 });
    const begun: string[] = [];
    const first = await turns.take('a');
    const all = ['a1', 'a2', 'a3', 'b1', 'b2'].map(async (name) => {
      const end = await turns.take(name[0]!);
      begun.push(name);
      end!();
    });
    first!();
    await Promise.all(all);
    expect(begun).toEqual(['b1', 'a1', 'b2', 'a2', 'a3']);
  });

  test('keep a slot for other keys when one key has its maximum', async () => {
    const turns = new Turns({ ...patient, ofKey: 1 });
    const first = await turns.take('a');
    let second = false;
    const waiting = turns.take('a').then((end) => ((second = true), end));
    expect(await turns.take('b')).not.toBeNull();
    expect(second).toBe(false);
    first!();
    expect(await waiting).not.toBeNull();
  });

  test('reject the newest request of the longest queue to make room for a key with a shorter queue', async () => {
    const turns = new Turns({ ...patient, atOnce: 1, waiting: 3 });
    const end = await turns.take('a');
    const [older, old, newest] = [turns.take('a'), turns.take('a'), turns.take('a')];
    expect(await turns.take('a')).toBeNull();
    const other = turns.take('b');
    expect(await newest).toBeNull();
    end!();
    for (const each of [other, older, old]) (await each)!();
  });

  test('never run more at once than the limit, and run all of them', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 40 }),
        fc.integer({ min: 1, max: 5 }),
        async (keys, atOnce) => {
          const turns = new Turns({ ...patient, atOnce });
          let [running, most] = [0, 0];
          await Promise.all(
            keys.map(async (key) => {
              const end = await turns.take(key);
              most = Math.max(most, (running += 1));
              await new Promise((resolve) => setImmediate(resolve));
              running -= 1;
              end!();
              end!();
            }),
          );
          expect([most <= atOnce, running]).toEqual([true, 0]);
        },
      ),
    );
  });
});
