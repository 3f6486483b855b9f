import { z } from 'zod';
import { operators, workers } from '../access/roles.ts';
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
import { modelRef } from '../graphql/builder.ts';
import { agentId, idOf, KB, listOf, nonBlank, optional, reason } from '../graphql/input/schemas.ts';
import { handoffOf, mutation, sessionOf, type Fields } from '../graphql/mutation.ts';
import { acceptHandoff, cancelHandoff, cancelPendingHandoffs, completeHandoff, failHandoff, rejectHandoff, timeOutHandoff } from './changeHandoff.ts';
import { initiateHandoff, type HandoffAnswer } from './initiateHandoff.ts';
import { moveFields } from './inputSchema.ts';

const payload = (description: string) => ({
  description,
  fields: (t: Fields<HandoffAnswer>) => ({ handoff: handoffOf(t), session: sessionOf(t) }),
});

mutation('initiateHandoff', {
  access: workers,
  description:
    'The Agent that holds a Session, and is active in it, hands it to a collaborator or back to where it came from. Custody and load move at once; if the target declines, the Session comes back. An operator may call it for the holder.',
  input: z.object({
    sessionId: idOf('session').describe('The Session to hand off.'),
    targetAgentId: agentId.describe('The Agent to hand it to.'),
    ...moveFields,
    priorTurnId: optional(idOf('turn')).describe('The Turn that led here; the last one of the Session when null.'),
    triggeringToolCallIds: optional(listOf(idOf('toolcall'), { what: 'tool calls', limit: 200, advice: 'name the most important ones' }))
      .transform((ids) => ids && [...new Set(ids)])
      .describe("The tool calls that led here, of this Session, up to 200; the last Turn's when null."),
  }),
  payload: payload('The holder has handed its Session off; the target is asked to accept.'),
  errors: [
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
  command: initiateHandoff,
});

const handoffId = idOf('handoff').describe('The Handoff to change.');
const why = nonBlank({ bytes: 4 * KB }).describe('Why, for people: up to 4 KB, not blank.');
const errors = [NotFoundError, InvalidStateError];
const repeatable = 'Repeating it is no error and changes nothing.';

mutation('acceptHandoff', {
  access: workers,
  description: `The target of an INITIATED Handoff takes the Session over, even past the deadline as long as nobody timed it out. ${repeatable}`,
  input: z.object({ handoffId }),
  payload: payload('The target has accepted.'),
  errors,
  command: acceptHandoff,
});

mutation('completeHandoff', {
  access: workers,
  description: `The target of an ACCEPTED Handoff says that it has taken over (not that the work is done); its first Turn says so too. ${repeatable}`,
  input: z.object({ handoffId }),
  payload: payload('The target has taken over.'),
  errors,
  command: completeHandoff,
});

mutation('rejectHandoff', {
  access: workers,
  description: `The target of an INITIATED Handoff declines. The Session goes back to its source if that takes work and has a place, else to nobody. ${repeatable}`,
  input: z.object({ handoffId, reason: why }),
  payload: payload('The target has declined.'),
  errors,
  command: rejectHandoff,
});

mutation('failHandoff', {
  access: workers,
  description: `Taking over went wrong, before or after the target accepted. The Session goes back as after a rejection. ${repeatable}`,
  input: z.object({ handoffId, reason: why }),
  payload: payload('The Handoff has failed.'),
  errors,
  command: failHandoff,
});

mutation('cancelHandoff', {
  access: workers,
  description: `Whoever gave an INITIATED Handoff takes it back. The Session goes back as after a rejection. ${repeatable}`,
  input: z.object({ handoffId, reason: optional(reason).describe('Why, for people: up to 4 KB.') }),
  payload: payload('The Handoff is cancelled.'),
  errors,
  command: cancelHandoff,
});

mutation('timeOutHandoff', {
  access: operators,
  description: `An operator gives up waiting for an INITIATED Handoff, whatever its age. The Session goes back as after a rejection. ${repeatable}`,
  input: z.object({ handoffId }),
  payload: payload('The Handoff has timed out.'),
  errors,
  command: timeOutHandoff,
});

mutation('cancelPendingHandoffs', {
  access: operators,
  description: 'Cancels whatever waits to be accepted in a Session; the Session goes back to the source. When nothing waits, nothing changes.',
  input: z.object({ sessionId: idOf('session').describe('The Session.') }),
  payload: {
    description: 'Nothing waits in the Session any more.',
    fields: (t) => ({
      handoffs: t.prismaField({
        type: [modelRef('Handoff')],
        listSize: 1,
        description: 'The Handoffs that were cancelled; empty when none waited.',
        resolve: (query, { handoffIds }, _args, { prisma }) => prisma.handoff.findMany({ ...query, where: { id: { in: handoffIds } } }),
      }),
      session: sessionOf(t),
    }),
  },
  errors: [NotFoundError],
  command: cancelPendingHandoffs,
});
