import type { Work } from '../../core/work.ts';
import type { WorkingTree } from '../../core/workspace.ts';
import type { TaskStatus } from '../../generated/prisma/client.ts';
import { Custody } from '../custody/custody.ts';
import { demandAct, demandOpen, lockSession } from '../custody/demand.ts';
import { captureSnapshot as stageSnapshot, readVisible } from '../custody/snapshot.ts';
import type { SessionAnswer } from '../sessions/createSession.ts';

/** Entries besides turns, from the holder after its takeover or from an operator. */

export interface DecisionAnswer extends SessionAnswer {
  decisionId: string;
}

export interface SnapshotAnswer extends SessionAnswer {
  snapshotId: string;
}

export interface SetTasksInput {
  sessionId: string;
  tasks: readonly { content: string; status: TaskStatus }[];
}

export const recordDecision = (
  work: Work,
  { sessionId, text }: { sessionId: string; text: string },
): Promise<DecisionAnswer> =>
  addToLog(work, sessionId, (custody) => {
    const decisionId = work.newId();
    work.insert('decisions', {
      id: decisionId,
      sessionId,
      agentSessionId: custody.takenTenure?.id ?? null,
      text,
      sequence: custody.session.messageCount,
      recordedAt: work.now,
    });
    return { decisionId, sessionId };
  });

/** Replaces the Session's tasks. Existing Handoffs keep their list. */
export const setTasks = (work: Work, { sessionId, tasks }: SetTasksInput): Promise<SessionAnswer> =>
  addToLog(work, sessionId, ({ session }) => {
    work.changes.clear('tasks', sessionId);
    for (const [index, task] of tasks.entries())
      work.insert('tasks', {
        ...task,
        id: work.newId(),
        sessionId,
        position: index + 1,
        sequence: session.messageCount,
      });
    return { sessionId };
  });

/** Replaces the Session's working tree. Existing Handoffs keep theirs. */
export const recordWorkingTree = (
  work: Work,
  { sessionId, ...tree }: { sessionId: string } & Pick<WorkingTree, 'branch' | 'commit' | 'status' | 'diffstat'>,
): Promise<SessionAnswer> =>
  addToLog(work, sessionId, ({ session, takenTenure }) => {
    const workingTree: WorkingTree = {
      ...tree,
      takenAt: work.now.toISOString(),
      agentId: takenTenure?.agentId ?? null,
      sequence: session.messageCount,
    };
    work.change('sessions', session, { workingTree: { ...workingTree } });
    return { sessionId };
  });

export const captureSnapshot = (work: Work, { sessionId }: { sessionId: string }): Promise<SnapshotAnswer> =>
  addToLog(work, sessionId, async (custody) => {
    const visible = await readVisible(work, custody.session);
    return {
      snapshotId: stageSnapshot(work, custody.session, 'CHECKPOINT', custody.takenTenure?.id ?? null, visible),
      sessionId,
    };
  });

async function addToLog<A extends SessionAnswer>(
  work: Work,
  sessionId: string,
  add: (custody: Custody) => A | Promise<A>,
): Promise<A> {
  await lockSession(work, sessionId);
  const custody = await Custody.of(work, sessionId, { holder: false });
  const earlier = await work.earlierAnswer<A>();
  if (earlier !== null) return earlier;
  demandAct(custody, 'work');
  demandOpen(custody);
  const answer = await add(custody);
  custody.recordLog('LOG_CHANGED');
  return answer;
}
