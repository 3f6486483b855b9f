import { InvalidStateError, TenureClaimedError, type DomainError } from '../../core/errors.ts';
import type { AgentSessionState } from '../../generated/prisma/client.ts';
import { isOpenTenure } from '../custody/rules.ts';

/** The claim of a runner on a tenure. Both null: released, or never claimed. */
export interface Claim {
  runnerId: string | null;
  claimEndsAt: Date | null;
}

/** A claim lapses this long after the last sign of life of its runner. */
export const claimSeconds = 30;

/** Returns the error for a claim or release that is not allowed (rule: claim); null when it is allowed. */
export function refusalOfClaim(
  tenure: Claim & { state: AgentSessionState },
  { runnerId, release }: { runnerId: string; release: boolean },
  now: Date,
): DomainError | null {
  const { state, runnerId: holder, claimEndsAt } = tenure;
  if (!isOpenTenure(state))
    return release
      ? null
      : new InvalidStateError(`The tenure is ${state}: only an open one can be claimed`, state, [
          'PENDING',
          'ACTIVE',
          'PAUSED',
        ]);
  if (holder === null || claimEndsAt === null || holder === runnerId || claimEndsAt <= now) return null;
  return new TenureClaimedError(holder, claimEndsAt);
}
