import { z } from 'zod';
import {
  AgentAtCapacityError,
  AgentRoleMismatchError,
  AgentTypeMismatchError,
  AgentUnavailableError,
  AlreadyAssignedError,
  ConflictError,
  HandoffLoopError,
  HandoffsDisabledError,
  IdempotencyMismatchError,
  InvalidStateError,
  MaxHandoffsReachedError,
  NotFoundError,
  TransitionNotAllowedError,
} from '../../core/errors.ts';
import { answerQuestion } from '../../work/approvals/answerQuestion.ts';
import { approveHandoff } from '../../work/approvals/approveHandoff.ts';
import { askPerson, type QuestionAnswer } from '../../work/approvals/askPerson.ts';
import { declineHandoff } from '../../work/approvals/declineHandoff.ts';
import type { HandoffAnswer } from '../../work/handoffs/initiateHandoff.ts';
import { operators, workers } from '../access/roles.ts';
import { encodeId } from '../../core/ids.ts';
import { editsInput } from '../graphql/input/editsInput.ts';
import { idOf, KB, keyField, listOf, nonBlank, optional, reason } from '../graphql/input/schemas.ts';
import { handoffOf, mutation, sessionOf, type Fields } from '../graphql/mutation.ts';

const decided = (description: string) => ({
  description,
  fields: (t: Fields<HandoffAnswer>) => ({ handoff: handoffOf(t), session: sessionOf(t) }),
});
const asked = (description: string) => ({
  description,
  fields: (t: Fields<QuestionAnswer>) => ({
    questionId: t.id({
      description: 'Id of the question.',
      resolve: ({ questionId }) => encodeId('question', questionId),
    }),
    session: sessionOf(t),
  }),
});
const handoffId = idOf('handoff').describe('The PROPOSED Handoff.');
const contentHash = z
  .string()
  .regex(/^[0-9a-f]{64}$/, { message: 'is no hash of a Context: give `contentHash` as simulateApproval returns it' });

mutation('approveHandoff', {
  access: operators,
  description:
    'Approves a PROPOSED Handoff, with changes if given: the Session moves to the target now, as by initiateHandoff. The Context is built again, and the guards are asked again. CONFLICT with the present `contentHash` when what would be passed on is not what was looked at (simulateApproval): the Agent went on, or the title of the Session or the instructions of the target were changed.',
  input: z.object({
    handoffId,
    expectedContentHash: optional(contentHash).describe(
      'Hash of the Context that was looked at, before changes. Null: whatever it is now.',
    ),
    edits: optional(editsInput).describe('What to change. Null: nothing.'),
    note: optional(reason).describe(
      'Note for people, which the Agent that asked is told: at most 4 KB. The prompt of the target is without it.',
    ),
    ...keyField,
  }),
  payload: decided('The Handoff was approved and waits for its target to accept.'),
  errors: [
    NotFoundError,
    IdempotencyMismatchError,
    ConflictError,
    InvalidStateError,
    AlreadyAssignedError,
    HandoffsDisabledError,
    TransitionNotAllowedError,
    MaxHandoffsReachedError,
    HandoffLoopError,
    AgentTypeMismatchError,
    AgentRoleMismatchError,
    AgentUnavailableError,
    AgentAtCapacityError,
  ],
  command: approveHandoff,
});

mutation('declineHandoff', {
  access: operators,
  description:
    'Declines a PROPOSED Handoff. The Agent that proposed it goes on with the Session, and is told why before its next prompt.',
  input: z.object({
    handoffId,
    reason: nonBlank({ bytes: 4 * KB }).describe('Reason, for the Agent: at most 4 KB, not blank.'),
    ...keyField,
  }),
  payload: decided('The Handoff was declined.'),
  errors: [NotFoundError, IdempotencyMismatchError, InvalidStateError],
  command: declineHandoff,
});

mutation('askPerson', {
  access: workers,
  description:
    'Asks a person, as the holder whose tenure is ACTIVE. The Session is PAUSED until somebody answers (answerQuestion), or until it is resumed or moved without an answer.',
  input: z.object({
    sessionId: idOf('session').describe('The Session.'),
    question: nonBlank({ bytes: 4 * KB }).describe('The question: at most 4 KB, not blank.'),
    options: optional(
      listOf(nonBlank({ characters: 500 }), { what: 'options', limit: 20, advice: 'offer fewer', isFilled: true }),
    ).describe('Answers to choose from, 1 to 20 of at most 500 characters. Null: any answer.'),
    ...keyField,
  }),
  payload: asked('The question waits for an answer.'),
  errors: [NotFoundError, IdempotencyMismatchError, InvalidStateError],
  command: askPerson,
});

mutation('answerQuestion', {
  access: operators,
  description:
    'Answers a question. The answer becomes a USER Message of the log, and the Session is RUNNING again. It need not be one of the options.',
  input: z.object({
    questionId: idOf('question').describe('The question.'),
    answer: nonBlank({ bytes: 4 * KB }).describe('The answer: at most 4 KB, not blank.'),
    ...keyField,
  }),
  payload: asked('The question was answered.'),
  errors: [NotFoundError, IdempotencyMismatchError, InvalidStateError],
  command: answerQuestion,
});
