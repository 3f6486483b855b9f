import { expect, test } from 'vitest';
import { Breaks, inPieces } from './breaks.ts';

function block(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until;);
}

/** A request that takes several turns of the event loop, each of a millisecond. */
function request(turns: number): { done: number; stop: () => void } {
  const state = { done: 0, stop: () => void (turns = 0) };
  const next = (): void => {
    if (turns === 0) return;
    block(1);
    turns -= 1;
    state.done += 1;
    setImmediate(next);
  };
  setImmediate(next);
  return state;
}

test('rests until the requests that wait have had all of their turns', async () => {
  const breaks = new Breaks({ pieceMs: 5, restMs: Infinity });
  block(6);
  const waiting = request(10);
  await breaks.rest();
  expect(waiting.done).toBe(10);
});

test('goes on after the longest rest while requests never end', async () => {
  const breaks = new Breaks({ pieceMs: 5, restMs: 10 });
  const endless = request(Infinity);
  for (let piece = 1; piece <= 3; piece += 1) {
    const before = endless.done;
    block(6);
    await breaks.rest();
    expect(endless.done).toBeGreaterThan(before);
  }
  endless.stop();
});

test('does not rest before a piece is long enough', async () => {
  const breaks = new Breaks({ pieceMs: Infinity });
  const waiting = request(1);
  block(6);
  await breaks.rest();
  expect(waiting.done).toBe(0);
  waiting.stop();
});

test('rests several lengths of the piece when there was other work', async () => {
  const breaks = new Breaks({ pieceMs: 5, restTimes: 10, restMs: 200 });
  block(6);
  const ended = performance.now();
  request(3);
  await breaks.rest();
  // A timer may fire a millisecond early.
  expect(performance.now() - ended).toBeGreaterThan(58);
});

test('goes on at once when there was no other work', async () => {
  const breaks = new Breaks({ pieceMs: 5, idleMs: Infinity, restTimes: 1_000_000, restMs: 600_000 });
  block(6);
  await breaks.rest();
});

test('other work runs between the steps of a long piece of work', async () => {
  const waiting = request(3);
  function* steps(): Generator<void, number, void> {
    for (let step = 0; step < 3; step += 1) {
      block(6);
      yield;
    }
    return waiting.done;
  }
  expect(await inPieces(steps())).toBe(3);
});
