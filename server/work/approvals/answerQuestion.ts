import { statement } from '../../core/changes.ts';
import { InvalidStateError, NotFoundError } from '../../core/errors.ts';
import { encodeId } from '../../core/ids.ts';
import type { Work } from '../../core/work.ts';
import type { ApprovalDecision } from '../../generated/prisma/client.ts';
import { Custody } from '../custody/custody.ts';
import { lockSession } from '../custody/demand.ts';
import { nameOf } from '../keys/principals.ts';
import { appendWords } from '../log/appendTurn.ts';
import type { QuestionAnswer } from './askPerson.ts';

const findQuestion = statement(`SELECT session_id AS "sessionId" FROM approvals WHERE id = $1 AND kind = 'QUESTION'`);
const readDecision = statement(
  'SELECT decision, decided_principal AS by, decided_at AS at, note FROM approvals WHERE id = $1',
);
interface Decided {
  decision: ApprovalDecision;
  by: string | null;
  at: Date;
  note: string | null;
}

/** An operator answers: the answer is in the log as a person's words, and the agent goes on (rule: question). */
export async function answerQuestion(
  work: Work,
  { questionId, answer }: { questionId: string; answer: string },
): Promise<QuestionAnswer> {
  await work.begin();
  const [found] = await work.query<{ sessionId: string }>(findQuestion, [questionId]);
  if (found === undefined) throw new NotFoundError('question', encodeId('question', questionId));
  const { sessionId } = found;
  await lockSession(work, sessionId);
  const custody = await Custody.of(work, sessionId);
  const earlier = await work.earlierAnswer<QuestionAnswer>();
  if (earlier !== null) return earlier;
  if (custody.approval?.id !== questionId) {
    const [row] = await work.query<Decided>(readDecision, [questionId]);
    const { decision, by, at } = row!;
    // With a key, only the earlier answer is a repeat.
    if (decision === 'ANSWERED' && by === work.caller.principal && row!.note === answer && !work.hasKey)
      return { sessionId, questionId };
    const how =
      decision === 'ANSWERED'
        ? `${await nameOf(work, by!)} answered it at ${at.toISOString()}`
        : `the session went on without an answer, or ended, at ${at.toISOString()}`;
    throw new InvalidStateError(`The question waits for no answer: ${how}`, decision, ['ASKED']);
  }
  custody.decide('ANSWERED', { note: answer });
  appendWords(custody, answer);
  custody.recordCustody('QUESTION_ANSWERED', {
    reason: answer,
    metadata: { questionId: encodeId('question', questionId) },
  });
  if (custody.session.status === 'PAUSED') {
    if (custody.openTenure?.state === 'PAUSED') custody.setTenureState(custody.openTenure, 'ACTIVE');
    custody.setStatus('RUNNING');
    custody.recordCustody('SESSION_STATUS_CHANGED', { reason: 'the question was answered' });
  }
  return { sessionId, questionId };
}
