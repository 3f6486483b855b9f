import { InvalidStateError } from '../../core/errors.ts';
import type { Custody } from '../custody/custody.ts';
import type { LastHandoff } from '../custody/read.ts';
import { readStatus } from '../handoffs/changeHandoff.ts';

/** The Handoff that waits for a decision. @throws InvalidStateError when it does not, with its status */
export async function demandProposal(custody: Custody, handoffId: string): Promise<LastHandoff> {
  const { proposal, work } = custody;
  if (proposal?.id === handoffId) return proposal;
  const { status } = await readStatus(work, handoffId);
  throw new InvalidStateError(
    `The handoff is ${status} and waits for no approval: read it again to see what was decided`,
    status,
    ['PROPOSED'],
  );
}
