import { z } from 'zod';
import { operators } from '../access/roles.ts';
import {
  AgentAtCapacityError,
  AgentTypeMismatchError,
  AgentUnavailableError,
  AlreadyAssignedError,
  ConflictError,
  IdempotencyMismatchError,
  InvalidStateError,
  NoAgentAvailableError,
  NotFoundError,
} from '../core/errors.ts';
import { modelRef } from '../graphql/builder.ts';
import { agentId, agentType, idOf, integer, optional, withDefault } from '../graphql/input/schemas.ts';
import { mutation, sessionOf } from '../graphql/mutation.ts';
import { moveFields } from './inputSchema.ts';
import { reassignSession } from './reassignSession.ts';

mutation('reassignSession', {
  access: operators,
  description:
    'The operator gives a Session to another Agent: custody and load move at once, and unless `skipHandoff` a Handoff keeps what that Agent needs and waits for it to accept. An open Handoff is closed first: a waiting one is superseded, an accepted one counts as taken over. Naming the source of a waiting Handoff takes the Session back to it.',
  input: z
    .object({
      sessionId: idOf('session').describe('The Session to move.'),
      agentId: optional(agentId).describe('The Agent to give it to. This or `agentType`, or both, which must then agree.'),
      agentType: optional(agentType).describe(
        'Give it to the AVAILABLE Agent of this type with the lowest load for its capacity, such as CLAUDE; never the holder, and the source of a waiting Handoff only when no other has a free place.',
      ),
      skipHandoff: withDefault(z.boolean(), false).describe('Quick reassign: move the Session with no Handoff and no captured Context; the Agent is active at once.'),
      ...moveFields,
      expectedVersion: optional(integer(1)).describe('Refuse with CONFLICT unless the Session is at this version; null to move it whatever its version.'),
    })
    .refine((input) => input.agentId !== null || input.agentType !== null, {
      message: 'names neither agentId nor agentType: give one of them, or both',
    }),
  payload: {
    description: 'The Session has changed hands.',
    fields: (t) => ({
      session: sessionOf(t),
      handoff: t.prismaField({
        type: modelRef('Handoff'),
        nullable: true,
        description: 'The Handoff that was made; null when none was: see `message`.',
        resolve: (query, { handoffId }, _args, { prisma }) =>
          handoffId === null ? null : prisma.handoff.findUniqueOrThrow({ ...query, relationLoadStrategy: 'join', where: { id: handoffId } }),
      }),
      handoffCreated: t.exposeBoolean('handoffCreated', { description: 'Whether a Handoff was made.' }),
      previousAgent: t.prismaField({
        type: modelRef('Agent'),
        nullable: true,
        description: 'Who held the Session before; null when nobody did.',
        resolve: (query, { previousAgentId }, _args, { prisma }) =>
          previousAgentId === null ? null : prisma.agent.findUniqueOrThrow({ ...query, where: { id: previousAgentId } }),
      }),
      previousAgentType: t.exposeString('previousAgentType', {
        nullable: true,
        description: 'The type of `previousAgent` when the Session moved; null when nobody held it.',
      }),
      assignedAgent: t.prismaField({
        type: modelRef('Agent'),
        description: 'Who was given the Session.',
        resolve: (query, { assignedAgentId }, _args, { prisma }) =>
          prisma.agent.findUniqueOrThrow({ ...query, where: { id: assignedAgentId } }),
      }),
      message: t.exposeString('message', {
        description: 'For people: who holds the Session now, whether a Handoff was made, and if not, why.',
      }),
    }),
  },
  errors: [
    NotFoundError,
    IdempotencyMismatchError,
    ConflictError,
    InvalidStateError,
    AlreadyAssignedError,
    AgentTypeMismatchError,
    AgentUnavailableError,
    AgentAtCapacityError,
    NoAgentAvailableError,
  ],
  command: reassignSession,
});
