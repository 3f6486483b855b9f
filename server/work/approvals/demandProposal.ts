import { statement } from '../../core/changes.ts';
import { InvalidStateError } from '../../core/errors.ts';
import type { ApprovalDecision } from '../../generated/prisma/client.ts';
import type { Custody } from '../custody/custody.ts';
import type { LastHandoff } from '../custody/read.ts';
import { readStatus } from '../handoffs/changeHandoff.ts';
import { nameOf } from '../keys/principals.ts';

/**
 * The Handoff that waits for a decision; null when the caller decides again as it did (rule: repeat).
 * @throws InvalidStateError when it waits for none, with who decided what, and when
 */
export async function demandProposal(
  custody: Custody,
  handoffId: string,
  decision: ApprovalDecision | null,
): Promise<LastHandoff | null> {
  const { proposal, work } = custody;
  if (proposal?.id === handoffId) return proposal;
  const { status } = await readStatus(work, handoffId);
  const [made] = await work.query<Made>(readMade, [handoffId]);
  // With a key, only the earlier answer is a repeat.
  if (made?.decision === decision && made?.by === work.caller.principal && !work.hasKey) return null;
  throw new InvalidStateError(
    `The handoff is ${status} and waits for no approval${made === undefined ? '' : `: ${await told(made, custody)}`}`,
    status,
    ['PROPOSED'],
  );
}

interface Made {
  decision: ApprovalDecision;
  by: string | null;
  at: Date;
}

const readMade = statement(
  'SELECT decision, decided_principal AS by, decided_at AS at FROM approvals WHERE handoff_id = $1 AND decided_at IS NOT NULL',
);

async function told({ decision, by, at }: Made, { work }: Custody): Promise<string> {
  if (decision === 'TIMED_OUT') return `nobody decided by ${at.toISOString()}`;
  if (decision === 'CANCELLED') return `it was taken back or superseded at ${at.toISOString()}`;
  const who = by === null ? 'a person' : await nameOf(work, by);
  return `${who} ${decision === 'APPROVED' ? 'approved' : 'declined'} it at ${at.toISOString()}`;
}
