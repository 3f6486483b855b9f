import { statement } from '../../core/changes.ts';
import { InvalidStateError, NotFoundError } from '../../core/errors.ts';
import { encodeId } from '../../core/ids.ts';
import type { Work } from '../../core/work.ts';
import type { HandoffStatus } from '../../generated/prisma/client.ts';
import type { Custody } from '../custody/custody.ts';
import type { LastHandoff } from '../custody/read.ts';

/** Locks the Session of a Handoff. @throws NotFoundError */
export async function lockSessionOf(work: Work, handoffId: string): Promise<string> {
  const sessionId = await work.lockSessionOf(handoffId);
  if (sessionId === null) throw new NotFoundError('handoff', encodeId('handoff', handoffId));
  return sessionId;
}

const readStatus = statement('SELECT status FROM handoffs WHERE id = $1');

/** The Handoff that waits for a decision. @throws InvalidStateError when it does not, with its status */
export async function demandProposal(custody: Custody, handoffId: string): Promise<LastHandoff> {
  const { proposal, work } = custody;
  if (proposal?.id === handoffId) return proposal;
  const [row] = await work.query<{ status: HandoffStatus }>(readStatus, [handoffId]);
  if (row === undefined) throw new Error(`handoff ${handoffId} is not there under its session's lock`);
  throw new InvalidStateError(
    `The handoff is ${row.status} and waits for no approval: read it again to see what was decided`,
    row.status,
    ['PROPOSED'],
  );
}
