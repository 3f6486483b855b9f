import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Ledger, type Account, type Held } from './ledger.ts';

const most = { connection: 100, key: 150, process: 300, stalledMs: 10 };

function opened() {
  let now = 0;
  const ledger = new Ledger(most, () => now);
  const cut: string[] = [];
  return {
    ledger,
    cut,
    open: (name: string) => ledger.open(() => cut.push(name)),
    pass: (ms: number) => void (now += ms),
  };
}

describe('the ledger of unread bytes', () => {
  test('names the full limit: connection, key or process', () => {
    const { open } = opened();
    const [one, two, three, four] = [open('1'), open('2'), open('3'), open('4')];
    one.hold('a', 80);
    expect([one.full('a', 20), one.full('a', 21)]).toEqual([null, 'connection']);
    expect([two.full('a', 70), two.full('a', 71)]).toEqual([null, 'key']);
    two.hold('b', 100);
    three.hold('c', 100);
    expect([four.full('d', 20), four.full('d', 21)]).toEqual([null, 'process']);
  });

  test('subtracts bytes that were read, that ended, and of closed connections', () => {
    const { ledger, open } = opened();
    const [one, two] = [open('1'), open('2')];
    const held = one.hold('a', 80);
    held.took(30);
    expect(ledger.bytes).toBe(50);
    held.end();
    held.end();
    expect(ledger.bytes).toBe(0);
    two.hold('a', 80);
    two.close();
    expect([ledger.bytes, one.full('a', 100)]).toEqual([0, null]);
  });

  test('disconnects the longest stalled readers, only as many as needed', () => {
    const { ledger, cut, open, pass } = opened();
    for (const name of ['1', '2', '3']) {
      open(name).hold(name, 100);
      pass(3);
    }
    const fourth = open('4');
    expect([fourth.full('d', 50), cut]).toEqual(['process', []]);
    pass(1);
    expect([fourth.full('d', 50), cut, ledger.bytes]).toEqual([null, ['1'], 200]);
  });

  test('disconnects no reader that still reads', () => {
    const { cut, open, pass } = opened();
    const held = [open('1').hold('a', 100), open('2').hold('b', 100), open('3').hold('c', 100)];
    for (let n = 0; n < 10; n += 1) {
      pass(9);
      for (const each of held) each.took(1);
    }
    expect([open('4').full('d', 100), cut]).toEqual(['process', []]);
  });

  test('makes room for a key among its own readers only', () => {
    const { cut, open, pass } = opened();
    open('1').hold('a', 100);
    open('2').hold('b', 100);
    pass(20);
    expect([open('3').full('b', 100), cut]).toEqual([null, ['2']]);
  });

  test('admits a waiting answer when there is room, and drops it when its connection closes', async () => {
    const { ledger, open } = opened();
    const [one, two, three] = [open('1'), open('2'), open('3')];
    const held = one.hold('a', 100);
    const [second, third] = [two.holdInTurn('a', 100), three.holdInTurn('a', 100)];
    three.close();
    held.end();
    expect([await second, await third, ledger.bytes]).toEqual([expect.anything(), null, 100]);
  });

  test('stays within its limits, and is empty at the end', () => {
    const act = fc.record({
      connection: fc.nat(5),
      key: fc.constantFrom('a', 'b', 'c'),
      bytes: fc.integer({ min: 1, max: 100 }),
      end: fc.nat(3),
      pass: fc.nat(15),
      close: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
        const { ledger, open, pass } = opened();
        const accounts: (Account | undefined)[] = [];
        const held: Held[] = [];
        for (const { connection, key, bytes, end, pass: ms, close } of acts) {
          if (accounts[connection]?.closed !== false) accounts[connection] = open(String(connection));
          const account = accounts[connection];
          if (account.full(key, bytes) === null) held.push(account.hold(key, bytes));
          expect(ledger.bytes).toBeLessThanOrEqual(most.process);
          expect(account.bytes).toBeLessThanOrEqual(most.connection);
          held[end]?.took(bytes);
          if (end === 0) held.shift()?.end();
          if (close && end === 1) account.close();
          pass(ms);
        }
        for (const each of held) each.end();
        expect([ledger.bytes, accounts.every((account) => (account?.bytes ?? 0) === 0)]).toEqual([0, true]);
      }),
    );
  });
});
