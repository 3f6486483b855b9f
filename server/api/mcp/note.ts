import { mutation, type Desk } from './ask.ts';
import { answer, counted, Refused } from './result.ts';
import { sessionMeant } from './session.ts';

/** Writing into the log: baton_note. */

export interface Note {
  text?: string | undefined;
  decisions?: string[] | undefined;
  tasks?: { content: string; status: 'PENDING' | 'IN_PROGRESS' | 'DONE' }[] | undefined;
  session?: string | undefined;
}

const turnDocument = mutation('appendTurn', 'turn { index }');
const decisionDocument = mutation('recordDecision', 'decision { id }');
const tasksDocument = mutation('setTasks', 'tasks { content status }');

/** Each part is a change of its own: a refusal says which parts were recorded before it. */
export async function note(desk: Desk, { text, decisions = [], tasks, session }: Note) {
  if (text === undefined && decisions.length === 0 && tasks === undefined)
    throw new Refused('Give text, decisions or tasks: there is nothing to record.', 'BAD_USER_INPUT');
  const sessionId = await sessionMeant(desk, session);
  const recorded: string[] = [];
  try {
    if (text !== undefined) {
      await desk.mutate(turnDocument, { sessionId, messages: [{ role: 'ASSISTANT', content: text }] });
      recorded.push('text');
    }
    for (const [at, decision] of decisions.entries()) {
      await desk.mutate(decisionDocument, { sessionId, text: decision });
      recorded.push(`decision ${at + 1}`);
    }
    if (tasks !== undefined) {
      await desk.mutate(tasksDocument, { sessionId, tasks });
      recorded.push(counted(tasks.length, 'task'));
    }
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    throw new Refused(
      `${error.message}${recorded.length === 0 ? '' : ` Recorded before: ${recorded.join(', ')}. Do not send these again.`}`,
      error.code,
      { ...error.data, session: sessionId, recorded },
    );
  }
  return answer(`Recorded in ${sessionId}: ${recorded.join(', ')}.`, { session: sessionId, recorded });
}
