import { statement } from '../../core/changes.ts';
import { InvalidStateError } from '../../core/errors.ts';
import type { Custody } from '../custody/custody.ts';
import { record } from '../events/record.ts';
import { budgetAct, isUsedUp, type BudgetUse } from './rules.ts';

/** The reason of the pause of a Session whose token budget is used up. */
export const budgetUsed = 'token budget used';

// Runs only for Sessions with a budget. A sum kept on the Session would have to follow imports, which correct earlier Turns.
const sumTokens = statement(`
SELECT coalesce(sum(coalesce(input_tokens, 0)::bigint + coalesce(output_tokens, 0) + coalesce(cache_creation_input_tokens, 0) + coalesce(cache_read_input_tokens, 0)), 0)::float8 AS used
FROM turns WHERE session_id = $1`);

/** What the sent Turns of a locked Session used of its budget; null without a budget. */
export async function useOf(
  { work, session }: Custody,
  budget: number | null = session.tokenBudget,
): Promise<BudgetUse | null> {
  if (budget === null) return null;
  const [sum] = await work.query<{ used: number }>(sumTokens, [session.id]);
  return { budget, used: sum!.used };
}

/** Pauses the Session or tells its holder when a change of usage or budget asks for it (rule: token budget). Call it last. */
export async function followBudget(custody: Custody, before: BudgetUse, after: BudgetUse): Promise<void> {
  const { work, session } = custody;
  const act = budgetAct(before, after, session.status === 'RUNNING');
  if (act === null) return;
  const holder = await custody.lockHolder();
  if (act === 'PAUSE') return custody.pause(budgetUsed);
  record(work, {
    type: 'TOKEN_BUDGET_LOW',
    session,
    holderId: holder?.id ?? null,
    metadata: { usedTokens: after.used, tokenBudget: after.budget },
    parts: { holder },
  });
}

/** @throws InvalidStateError when the budget is used up */
export async function demandBudget(custody: Custody): Promise<void> {
  const use = await useOf(custody);
  if (use === null || !isUsedUp(use)) return;
  throw new InvalidStateError(
    `The session has used ${use.used} of ${use.budget!} tokens: give it a higher tokenBudget (updateSession), or none`,
    'TOKEN_BUDGET_USED',
    ['PAUSED'],
  );
}
