import { InvalidStateError } from '../../core/errors.ts';
import { encodeId } from '../../core/ids.ts';
import type { Work } from '../../core/work.ts';
import { Custody } from '../custody/custody.ts';
import { demandAct, demandOpen, lockSession } from '../custody/demand.ts';
import { minutesAfter } from '../handoffs/handOver.ts';
import type { HandoffSettings } from '../handoffs/initiateHandoff.ts';
import { defaultApproveWithinMinutes } from '../handoffs/propose.ts';

export interface AskPersonInput {
  sessionId: string;
  question: string;
  /** Answers to choose from; null for a free answer. */
  options: readonly string[] | null;
}

export interface QuestionAnswer {
  sessionId: string;
  questionId: string;
}

/** The holder asks a person, and its Session pauses until there is an answer (rule: question). */
export async function askPerson(
  work: Work,
  { sessionId, question, options }: AskPersonInput,
  { approveWithinMinutes = defaultApproveWithinMinutes }: HandoffSettings,
): Promise<QuestionAnswer> {
  await lockSession(work, sessionId);
  const custody = await Custody.of(work, sessionId);
  const earlier = await work.earlierAnswer<QuestionAnswer>();
  if (earlier !== null) return earlier;
  demandAct(custody, 'work');
  demandOpen(custody);
  const { openTenure, session } = custody;
  demandWaitsForNobody(custody);
  if (openTenure?.state !== 'ACTIVE' || session.agentId === null)
    throw new InvalidStateError(
      `Only the agent that works on the session asks: it is ${openTenure?.state ?? 'UNASSIGNED'}`,
      openTenure?.state ?? 'UNASSIGNED',
      ['ACTIVE'],
    );
  const { id } = work.insert('approvals', {
    id: work.newId(),
    kind: 'QUESTION',
    sessionId,
    agentId: session.agentId,
    agentSessionId: openTenure.id,
    text: question,
    options: options && [...new Set(options)],
    requestedAt: work.now,
    deadlineAt: minutesAfter(work.now, approveWithinMinutes),
  });
  custody.recordCustody('QUESTION_ASKED', { reason: question, metadata: { questionId: encodeId('question', id) } });
  custody.pause('a person was asked');
  return { sessionId, questionId: id };
}

/** @throws InvalidStateError that names what the Session waits for */
function demandWaitsForNobody({ approval }: Custody): void {
  if (approval === null) return;
  const [what, then, state] =
    approval.kind === 'HANDOFF'
      ? [
          `Handoff ${encodeId('handoff', approval.id)} waits for a person's approval`,
          'take it back (cancelHandoff)',
          'PROPOSED',
        ]
      : [
          `Question ${encodeId('question', approval.id)} waits for an answer`,
          'go on without one (resumeSession)',
          'ASKED',
        ];
  throw new InvalidStateError(`${what}: wait for it, or ${then}`, state, []);
}
