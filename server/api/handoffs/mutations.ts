import { z } from 'zod';
import {
  AgentAtCapacityError,
  AgentUnavailableError,
  AlreadyAssignedError,
  HandoffLoopError,
  HandoffsDisabledError,
  IdempotencyMismatchError,
  InvalidStateError,
  MaxHandoffsReachedError,
  NotACollaboratorError,
  NotFoundError,
  TransitionNotAllowedError,
} from '../../core/errors.ts';
import {
  acceptHandoff,
  cancelHandoff,
  cancelPendingHandoffs,
  completeHandoff,
  failHandoff,
  rejectHandoff,
  timeOutHandoff,
} from '../../work/handoffs/changeHandoff.ts';
import { confirmNotice, type NoticeAnswer } from '../../work/handoffs/confirmNotice.ts';
import { initiateHandoff, type HandoffAnswer } from '../../work/handoffs/initiateHandoff.ts';
import { touchHandoff } from '../../work/handoffs/touchHandoff.ts';
import { operators, workers } from '../access/roles.ts';
import { modelRef } from '../graphql/builder.ts';
import { SessionPriority } from '../graphql/enums.ts';
import { moveFields } from '../graphql/input/moveFields.ts';
import {
  agentMeant,
  idOf,
  KB,
  keyField,
  listOf,
  names,
  nonBlank,
  oneOf,
  optional,
  reason,
  withDefault,
} from '../graphql/input/schemas.ts';
import { handoffIfMade, handoffOf, mutation, sessionOf, type Fields } from '../graphql/mutation.ts';

const payload = (description: string) => ({
  description,
  fields: (t: Fields<HandoffAnswer>) => ({ handoff: handoffOf(t), session: sessionOf(t) }),
});

mutation('initiateHandoff', {
  access: workers,
  description:
    'Hands a Session from its holder, whose tenure must be ACTIVE, to a collaborator or back to the Agent from which it came. Custody and load move at once; if the target declines, the Session returns. An operator may call it for the holder. In a pipeline the target must fit exactly one stage that may follow, and the Handoff counts as that outcome.',
  input: z.object({
    sessionId: idOf('session').describe('The Session to hand off.'),
    targetAgentId: agentMeant.describe(`The Agent to hand the Session to. ${names}`),
    ...moveFields,
    queue: withDefault(z.boolean(), false).describe(
      'True: when the target has no free place, the Session leaves its holder and waits for it, PAUSED and unassigned, instead of AGENT_AT_CAPACITY; in a pipeline for an Agent of the stage. Its Handoff is created when its turn comes.',
    ),
    priority: optional(oneOf(SessionPriority)).describe(
      'Urgency of the work from now on, by which it waits. Null: as before.',
    ),
    priorTurnId: optional(idOf('turn')).describe('The Turn that led to the Handoff. Null: the last Turn of an Agent.'),
    triggeringToolCallIds: optional(
      listOf(idOf('toolcall'), { what: 'tool calls', limit: 200, advice: 'name the most important ones' }),
    )
      .transform((ids) => ids && [...new Set(ids)])
      .describe('The tool calls that led to the Handoff: of this Session, at most 200. Null: those of the prior Turn.'),
  }),
  payload: {
    description: 'The Session was handed off and waits for the target to accept, or for a place of the target.',
    fields: (t) => ({
      handoff: handoffIfMade(
        t,
        'The Handoff; null when the Session waits in the queue, which only `queue: true` asks for.',
      ),
      session: sessionOf(t),
    }),
  },
  errors: [
    NotFoundError,
    IdempotencyMismatchError,
    InvalidStateError,
    AlreadyAssignedError,
    HandoffsDisabledError,
    NotACollaboratorError,
    TransitionNotAllowedError,
    MaxHandoffsReachedError,
    HandoffLoopError,
    AgentUnavailableError,
    AgentAtCapacityError,
  ],
  command: initiateHandoff,
});

const handoffId = idOf('handoff').describe('The Handoff to change.');
const why = nonBlank({ bytes: 4 * KB }).describe('Reason, for people: at most 4 KB, not blank.');
const errors = [NotFoundError, InvalidStateError];
const repeatable = 'The same caller may repeat the call: it succeeds and changes nothing.';

mutation('acceptHandoff', {
  access: workers,
  description: `Takes over a Session, as the target of its INITIATED Handoff. Works past the deadline until the Handoff is timed out. ${repeatable} With an idempotencyKey only the same key repeats it: of several processes that accept for one Agent, each with its own key, exactly one succeeds and the others get INVALID_STATE.`,
  input: z.object({ handoffId, ...keyField }),
  payload: payload('The target accepted the Handoff.'),
  errors: [...errors, IdempotencyMismatchError],
  command: acceptHandoff,
});

mutation('completeHandoff', {
  access: workers,
  description: `Completes an ACCEPTED Handoff, as its target: taken over, not that the work is done. The target's first Turn does the same. ${repeatable}`,
  input: z.object({ handoffId }),
  payload: payload('The target took the Session over.'),
  errors,
  command: completeHandoff,
});

mutation('rejectHandoff', {
  access: workers,
  description: `Declines an INITIATED Handoff, as its target. The Session returns to its source if that is AVAILABLE and has a free place; otherwise it is unassigned. ${repeatable}`,
  input: z.object({ handoffId, reason: why }),
  payload: payload('The target declined the Handoff.'),
  errors,
  command: rejectHandoff,
});

mutation('failHandoff', {
  access: workers,
  description: `Fails an INITIATED or ACCEPTED Handoff. The Session returns as after a rejection. ${repeatable}`,
  input: z.object({ handoffId, reason: why }),
  payload: payload('The Handoff failed.'),
  errors,
  command: failHandoff,
});

mutation('cancelHandoff', {
  access: workers,
  description: `Takes back an INITIATED Handoff, as its source. The Session returns as after a rejection. ${repeatable}`,
  input: z.object({ handoffId, reason: optional(reason).describe('Reason, for people: at most 4 KB.') }),
  payload: payload('The Handoff was cancelled.'),
  errors,
  command: cancelHandoff,
});

mutation('touchHandoff', {
  access: workers,
  description:
    'Gives an INITIATED Handoff its full time again from now on, as its target: at most three times. A reminder that is not written yet moves by as much.',
  input: z.object({
    handoffId,
    note: optional(reason).describe(
      'Why it takes longer, for people: up to 4 KB. Becomes the reason of HANDOFF_EXTENDED.',
    ),
  }),
  payload: payload('The deadline was moved.'),
  errors,
  command: touchHandoff,
});

mutation('confirmNotice', {
  access: workers,
  description:
    'Records that an Agent was told what was decided about its work (Agent.notices). Baton tells it in answers of MCP, by the hooks and by `baton watch`, until one of them has done so. May be repeated: the first time stays.',
  input: z.object({
    noticeId: idOf('handoff', 'question').describe(
      'Id of the notice: of a Handoff that came back, was approved or was not, or of a question that was answered.',
    ),
  }),
  payload: {
    description: 'The Agent was told.',
    fields: (t: Fields<NoticeAnswer>) => ({ session: sessionOf(t) }),
  },
  errors,
  command: confirmNotice,
});

mutation('timeOutHandoff', {
  access: operators,
  description: `Times out an INITIATED Handoff of any age, as an operator. In a pipeline the Session goes to the next Agent of its stage, or where the stage escalates to; else it returns as after a rejection. ${repeatable}`,
  input: z.object({ handoffId }),
  payload: payload('The Handoff timed out.'),
  errors,
  command: timeOutHandoff,
});

mutation('cancelPendingHandoffs', {
  access: operators,
  description:
    'Cancels every INITIATED Handoff of a Session; the Session returns to the source. Succeeds without a change when none is waiting.',
  input: z.object({ sessionId: idOf('session').describe('The Session.') }),
  payload: {
    description: 'No Handoff of the Session is INITIATED.',
    fields: (t) => ({
      handoffs: t.prismaField({
        type: [modelRef('Handoff')],
        listSize: 1,
        description: 'The cancelled Handoffs; empty when none was waiting.',
        resolve: (query, { handoffIds }, _args, { prisma }) =>
          prisma.handoff.findMany({ ...query, where: { id: { in: handoffIds } } }),
      }),
      session: sessionOf(t),
    }),
  },
  errors: [NotFoundError],
  command: cancelPendingHandoffs,
});
