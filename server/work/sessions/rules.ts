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

/** What a Session used of its token budget; null for no budget. */
export interface BudgetUse {
  budget: number | null;
  used: number;
}

/** Percent of the budget at which its holder is told. */
const budgetWarning = 80;

const levelOf = ({ budget, used }: BudgetUse): 0 | 1 | 2 =>
  budget === null || used * 100 < budget * budgetWarning ? 0 : used < budget ? 1 : 2;

export const isUsedUp = (use: BudgetUse): boolean => levelOf(use) === 2;

/**
 * What a change of usage or budget does (rule: token budget): PAUSE a RUNNING Session whose budget is used up, WARN once when
 * the usage reaches 80 % of it.
 */
export function budgetAct(before: BudgetUse, after: BudgetUse, isRunning: boolean): 'PAUSE' | 'WARN' | null {
  if (isUsedUp(after)) return isRunning ? 'PAUSE' : null;
  return levelOf(after) === 1 && levelOf(before) === 0 ? 'WARN' : null;
}
