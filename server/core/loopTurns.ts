/**
 * Turns of the event loop, in which timers, sockets and PostgreSQL's answers are handled before the next one. What would make a
 * turn too long waits for a later one, and the payer whose last turn is the longest ago goes first.
 */

/** Length of a turn. A piece of work that has begun may take longer: a prompt of the largest Context took 15 ms. */
const turnMs = 3;

/** A key, or a request, whose pieces of work take turns. */
export class Payer {
  lastTurn = 0;
}

const waiting = new Map<Payer, (() => void)[]>();
let turnBegan: number | undefined;
let turns = 0;

/** Resolves when a piece of the payer's work may begin; undefined when it may begin at once. */
export function takeTurn(payer: Payer): Promise<void> | undefined {
  if (waiting.size === 0 && !turnIsOver()) return begin(payer);
  return new Promise((resolve) => {
    const own = waiting.get(payer);
    if (own !== undefined) return void own.push(resolve);
    waiting.set(payer, [resolve]);
    // The turn that is over ends first.
    if (waiting.size === 1) setImmediate(callNext);
  });
}

function begin(payer: Payer): undefined {
  payer.lastTurn = turns += 1;
  countTurn(performance.now());
}

/** Counts the turn from now on, unless something began in it before. */
export function countTurn(now: number): void {
  if (turnBegan !== undefined) return;
  turnBegan = now;
  setImmediate(() => (turnBegan = undefined));
}

const turnIsOver = (): boolean => turnBegan !== undefined && performance.now() - turnBegan >= turnMs;

function callNext(): void {
  const [first, ...others] = waiting.keys();
  if (first === undefined) return;
  const next = others.reduce((a, b) => (b.lastTurn < a.lastTurn ? b : a), first);
  const calls = waiting.get(next)!;
  const call = calls.shift()!;
  if (calls.length === 0) waiting.delete(next);
  begin(next);
  call();
  // A tick that a microtask schedules runs after all microtasks: the piece is over.
  if (waiting.size > 0)
    queueMicrotask(() => process.nextTick(() => (turnIsOver() ? setImmediate(callNext) : callNext())));
}
