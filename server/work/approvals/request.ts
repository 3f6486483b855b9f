import { statement } from '../../core/changes.ts';
import type { Work } from '../../core/work.ts';
import { asCarry } from '../context/carry.ts';
import type { ProposalRequest } from '../handoffs/propose.ts';

const readStatement = statement('SELECT request FROM approvals WHERE id = $1');

export async function readRequest(work: Work, handoffId: string): Promise<ProposalRequest> {
  const [row] = await work.query<{ request: ProposalRequest }>(readStatement, [handoffId]);
  if (row === undefined) throw new Error(`handoff ${handoffId} has no approval`);
  const { carry } = row.request;
  return { ...row.request, carry: carry && asCarry(carry) };
}
