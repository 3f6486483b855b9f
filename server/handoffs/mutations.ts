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
} from '../core/errors.ts';
import { builder, modelRef } from '../graphql/builder.ts';
import { agentId, decodeInput, idOf, KB, listOf, nonBlank, optional, reason } from '../graphql/input.ts';
import { handoffOf, run, sessionOf } from '../graphql/mutation.ts';
import { acceptHandoff, cancelHandoff, cancelPendingHandoffs, type CancelPendingHandoffsAnswer, completeHandoff, failHandoff, rejectHandoff, timeOutHandoff } from './changeHandoff.ts';
import { initiateHandoff, type HandoffAnswer } from './initiateHandoff.ts';
import { moveFields, moveInputs } from './inputSchema.ts';

const payload = (name: string, description: string) =>
  builder.objectRef<HandoffAnswer>(name).implement({
    description,
    fields: (t) => ({ handoff: handoffOf(t), session: sessionOf(t) }),
  });

const initiateInput = z.object({
  sessionId: idOf('session'),
  targetAgentId: agentId,
  ...moveFields,
  priorTurnId: optional(idOf('turn')),
  triggeringToolCallIds: optional(listOf(idOf('toolcall'), { what: 'tool calls', limit: 200, advice: 'name the most important ones' })).transform((ids) => ids && [...new Set(ids)]),
});

builder.mutationField('initiateHandoff', (t) =>
  t.fieldWithInput({
    type: payload('InitiateHandoffPayload', 'The holder has handed its Session off; the target is asked to accept.'),
    description:
      'The Agent that holds a Session, and is active in it, hands it to a collaborator or back to where it came from. Custody and load move at once; if the target declines, the Session comes back. An operator may call it for the holder.',
    errors: {
      types: [
        NotFoundError,
        IdempotencyMismatchError,
        InvalidStateError,
        AlreadyAssignedError,
        HandoffsDisabledError,
        NotACollaboratorError,
        MaxHandoffsReachedError,
        HandoffLoopError,
        AgentUnavailableError,
        AgentAtCapacityError,
      ],
    },
    input: {
      sessionId: t.input.id({ required: true, description: 'The Session to hand off.' }),
      targetAgentId: t.input.id({ required: true, description: 'The Agent to hand it to.' }),
      ...moveInputs(t.input),
      priorTurnId: t.input.id({ description: 'The Turn that led here; the last one of the Session when null.' }),
      triggeringToolCallIds: t.input.idList({ description: "The tool calls that led here, of this Session, up to 200; the last Turn's when null." }),
    },
    resolve: (_root, { input }, context) => run(context, 'initiateHandoff', decodeInput(initiateInput, input), initiateHandoff),
  }),
);

const handoffId = idOf('handoff');
const idInput = z.object({ handoffId });
const idAndReasonInput = z.object({ handoffId, reason: nonBlank({ bytes: 4 * KB }) });
const idAndOptionalReasonInput = z.object({ handoffId, reason: optional(reason) });
const types = [NotFoundError, InvalidStateError];
const repeatable = 'Repeating it is no error and changes nothing.';

builder.mutationFields((t) => {
  const id = t.input.id({ required: true, description: 'The Handoff to change.' });
  const why = t.input.string({ required: true, description: 'Why, for people: up to 4 KB, not blank.' });
  return {
    acceptHandoff: t.fieldWithInput({
      type: payload('AcceptHandoffPayload', 'The target has accepted.'),
      description: `The target of an INITIATED Handoff takes the Session over, even past the deadline as long as nobody timed it out. ${repeatable}`,
      errors: { types },
      input: { handoffId: id },
      resolve: (_root, { input }, context) => run(context, 'acceptHandoff', decodeInput(idInput, input), acceptHandoff),
    }),
    completeHandoff: t.fieldWithInput({
      type: payload('CompleteHandoffPayload', 'The target has taken over.'),
      description: `The target of an ACCEPTED Handoff says that it has taken over (not that the work is done); its first Turn says so too. ${repeatable}`,
      errors: { types },
      input: { handoffId: id },
      resolve: (_root, { input }, context) => run(context, 'completeHandoff', decodeInput(idInput, input), completeHandoff),
    }),
    rejectHandoff: t.fieldWithInput({
      type: payload('RejectHandoffPayload', 'The target has declined.'),
      description: `The target of an INITIATED Handoff declines. The Session goes back to its source if that takes work and has a place, else to nobody. ${repeatable}`,
      errors: { types },
      input: { handoffId: id, reason: why },
      resolve: (_root, { input }, context) => run(context, 'rejectHandoff', decodeInput(idAndReasonInput, input), rejectHandoff),
    }),
    failHandoff: t.fieldWithInput({
      type: payload('FailHandoffPayload', 'The Handoff has failed.'),
      description: `Taking over went wrong, before or after the target accepted. The Session goes back as after a rejection. ${repeatable}`,
      errors: { types },
      input: { handoffId: id, reason: why },
      resolve: (_root, { input }, context) => run(context, 'failHandoff', decodeInput(idAndReasonInput, input), failHandoff),
    }),
    cancelHandoff: t.fieldWithInput({
      type: payload('CancelHandoffPayload', 'The Handoff is cancelled.'),
      description: `Whoever gave an INITIATED Handoff takes it back. The Session goes back as after a rejection. ${repeatable}`,
      errors: { types },
      input: { handoffId: id, reason: t.input.string({ description: 'Why, for people: up to 4 KB.' }) },
      resolve: (_root, { input }, context) => run(context, 'cancelHandoff', decodeInput(idAndOptionalReasonInput, input), cancelHandoff),
    }),
    timeOutHandoff: t.fieldWithInput({
      type: payload('TimeOutHandoffPayload', 'The Handoff has timed out.'),
      description: `An operator gives up waiting for an INITIATED Handoff, whatever its age. The Session goes back as after a rejection. ${repeatable}`,
      errors: { types },
      input: { handoffId: id },
      resolve: (_root, { input }, context) => run(context, 'timeOutHandoff', decodeInput(idInput, input), timeOutHandoff),
    }),
  };
});

const CancelPendingHandoffsPayload = builder.objectRef<CancelPendingHandoffsAnswer>('CancelPendingHandoffsPayload').implement({
  description: 'Nothing waits in the Session any more.',
  fields: (t) => ({
    handoffs: t.prismaField({
      type: [modelRef('Handoff')],
      description: 'The Handoffs that were cancelled; empty when none waited.',
      resolve: (query, { handoffIds }, _args, { prisma }) => prisma.handoff.findMany({ ...query, where: { id: { in: handoffIds } } }),
    }),
    session: sessionOf(t),
  }),
});

builder.mutationField('cancelPendingHandoffs', (t) =>
  t.fieldWithInput({
    type: CancelPendingHandoffsPayload,
    description: 'Cancels whatever waits to be accepted in a Session; the Session goes back to the source. When nothing waits, nothing changes.',
    errors: { types: [NotFoundError] },
    input: { sessionId: t.input.id({ required: true, description: 'The Session.' }) },
    resolve: (_root, { input }, context) =>
      run(context, 'cancelPendingHandoffs', decodeInput(z.object({ sessionId: idOf('session') }), input), cancelPendingHandoffs),
  }),
);
