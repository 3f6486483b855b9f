import type { Work } from '../core/work.ts';
import { Custody } from '../custody/custody.ts';
import { demandAct, demandOpen, lockSession } from '../custody/demand.ts';
import type { TaskStatus } from '../generated/prisma/client.ts';
import type { SessionAnswer } from '../sessions/createSession.ts';

export interface SetTasksInput {
  sessionId: string;
  tasks: readonly { content: string; status: TaskStatus }[];
}

/** Replaces the Session's list of tasks. Handoffs keep the list of their moment. */
export async function setTasks(work: Work, { sessionId, tasks }: SetTasksInput): Promise<SessionAnswer> {
  await lockSession(work, sessionId);
  const custody = await Custody.of(work, sessionId, { holder: false });
  demandAct(custody, 'work');
  demandOpen(custody);
  work.changes.clear('tasks', sessionId);
  for (const [index, task] of tasks.entries()) work.insert('tasks', { ...task, id: work.newId(), sessionId, position: index + 1 });
  custody.recordLog('LOG_CHANGED');
  return { sessionId };
}
