import type { Work } from '../core/work.ts';
import { Custody } from '../custody/custody.ts';
import { demandAct, demandOpen, lockSession } from '../custody/demand.ts';
import { captureSnapshot as stageSnapshot, readVisible } from '../custody/snapshot.ts';

export interface SnapshotAnswer {
  snapshotId: string;
  sessionId: string;
}

/** A CHECKPOINT by hand: what an agent could see of the Session now. */
export async function captureSnapshot(work: Work, { sessionId }: { sessionId: string }): Promise<SnapshotAnswer> {
  await lockSession(work, sessionId);
  const custody = await Custody.of(work, sessionId, { holder: false });
  const earlier = await work.earlierAnswer<SnapshotAnswer>();
  if (earlier !== null) return earlier;
  demandAct(custody, 'work');
  demandOpen(custody);
  const visible = await readVisible(work, custody.session);
  const snapshotId = stageSnapshot(work, custody.session, 'CHECKPOINT', custody.takenTenure?.id ?? null, visible);
  custody.recordLog('LOG_CHANGED');
  return { snapshotId, sessionId };
}
