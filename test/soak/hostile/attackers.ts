import { setMaxListeners } from 'node:events';
import type { Tally, Target } from './attack.ts';
import { attacks, type AttackName } from './attacks.ts';

// A separate process, so that it can run on another core than the server. It ends by itself.
const { target, names, ms } = JSON.parse(process.env['ATTACK'] ?? '') as {
  target: Target;
  names: AttackName[];
  ms: number;
};
const over = AbortSignal.timeout(ms);
setMaxListeners(0, over);
setTimeout(() => report(), ms + 2_000).unref();
const tallies: Partial<Record<AttackName, Tally>> = {};

function report(): never {
  process.stdout.write(`${JSON.stringify(tallies)}\n`);
  process.exit(0);
}

await Promise.all(
  names.map(async (name) => {
    const tally: Tally = (tallies[name] = {});
    await attacks[name](target, (answer) => (tally[answer] = (tally[answer] ?? 0) + 1), over).catch(
      (error: unknown) => {
        if (!over.aborted) tally[`failed: ${String(error)}`] = 1;
      },
    );
  }),
);
report();
