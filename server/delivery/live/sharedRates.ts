import { randomBytes } from 'node:crypto';
import { limits } from '../../core/limits.ts';
import type { UsedTokens } from '../../core/work.ts';
import type { Rates } from '../../infra/limits/rates.ts';
import type { Doorbell } from './doorbell.ts';

/**
 * Tells the other processes once a second what callers used here, and takes what they used there. A lost message makes a limit
 * looser by what it counted; without Redis each process counts for itself. Returns a function that stops it.
 */
export function shareRates(rates: Rates, doorbell: Doorbell, every: number = limits.rate.sharedEvery): () => void {
  if (!doorbell.shared) return () => undefined;
  const process = randomBytes(6).toString('hex');
  let used = new Map<string, UsedTokens>();
  let timer: NodeJS.Timeout | undefined;
  const tell = (): void => {
    timer = undefined;
    const told = [...used.values()];
    used = new Map();
    doorbell.ring([{ about: 'rates', process, used: told }]);
  };
  rates.onTaken(({ tokens, ...caller }) => {
    const name = `${caller.principal} ${caller.kind}`;
    used.set(name, { ...caller, tokens: (used.get(name)?.tokens ?? 0) + tokens });
    timer ??= setTimeout(tell, every).unref();
  });
  const stopListening = doorbell.listen({
    heard: (hint) => {
      if (hint.about === 'rates' && hint.process !== process) for (const one of hint.used) rates.takenElsewhere(one);
    },
    missed: () => undefined,
  });
  return () => {
    clearTimeout(timer);
    stopListening();
  };
}
