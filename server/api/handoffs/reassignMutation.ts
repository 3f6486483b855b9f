import { z } from 'zod';
import {
  AgentAtCapacityError,
  AgentRoleMismatchError,
  AgentTypeMismatchError,
  AgentUnavailableError,
  AlreadyAssignedError,
  ConflictError,
  IdempotencyMismatchError,
  InvalidStateError,
  NoAgentAvailableError,
  NotFoundError,
} from '../../core/errors.ts';
import { reassignSession } from '../../work/handoffs/reassignSession.ts';
import { operators } from '../access/roles.ts';
import { modelRef } from '../graphql/builder.ts';
import { moveFields } from '../graphql/input/moveFields.ts';
import {
  agentMeant,
  agentType,
  idOf,
  integer,
  names,
  optional,
  queueNeedsType,
  waitsForType,
  withDefault,
} from '../graphql/input/schemas.ts';
import { handoffIfMade, mutation, sessionOf } from '../graphql/mutation.ts';

mutation('reassignSession', {
  access: operators,
  description:
    'Gives a Session to another Agent, as an operator. Custody and load move at once. Unless `skipHandoff` is true, a Handoff keeps the Context and waits for the Agent to accept. An open Handoff is closed first: INITIATED is superseded, ACCEPTED is completed. Naming the source of an INITIATED Handoff takes the Session back.',
  input: z
    .object({
      sessionId: idOf('session').describe('The Session to move.'),
      agentId: optional(agentMeant).describe(
        `The Agent to give the Session to. ${names} Required unless \`agentType\` is given; with both, the Agent must have this type.`,
      ),
      agentType: optional(agentType).describe(
        'Chooses the AVAILABLE Agent of this type, such as CLAUDE, with the lowest ratio of load to capacity. Never the holder; the source of an INITIATED Handoff only when no other Agent has a free place.',
      ),
      skipHandoff: withDefault(z.boolean(), false).describe(
        'True moves the Session without a Handoff and without a Context; the Agent is ACTIVE at once, or PAUSED in a paused Session.',
      ),
      leavePipeline: withDefault(z.boolean(), false).describe(
        'True takes the Session out of its pipeline for good. False: it keeps its stage, and the Agent must have the role and type of that stage.',
      ),
      queue: withDefault(z.boolean(), false).describe(
        'True: when no Agent of `agentType` has a free place, the Session leaves its holder and waits for one, PAUSED and unassigned, instead of NO_AGENT_AVAILABLE. Its Handoff is created when its turn comes. Excludes `agentId`.',
      ),
      ...moveFields,
      expectedVersion: optional(integer(1)).describe(
        'Fails with CONFLICT unless the Session has this version. Null: any version.',
      ),
    })
    .refine((input) => input.agentId !== null || input.agentType !== null, {
      message: 'names neither agentId nor agentType: give one of them, or both',
    })
    .refine(waitsForType, queueNeedsType),
  payload: {
    description: 'The Session changed hands, or waits in the queue: `assignedAgent` is then null.',
    fields: (t) => ({
      session: sessionOf(t),
      handoff: handoffIfMade(t, 'The Handoff that was created; null when none was: `message` says why.'),
      handoffCreated: t.exposeBoolean('handoffCreated', { description: 'Whether a Handoff was created.' }),
      previousAgent: t.prismaField({
        type: modelRef('Agent'),
        nullable: true,
        description: 'The previous holder; null when the Session was unassigned.',
        resolve: (query, { previousAgentId }, _args, { prisma }) =>
          previousAgentId === null
            ? null
            : prisma.agent.findUniqueOrThrow({ ...query, where: { id: previousAgentId } }),
      }),
      previousAgentType: t.exposeString('previousAgentType', {
        nullable: true,
        description: 'Type of `previousAgent` when the Session moved; null when the Session was unassigned.',
      }),
      assignedAgent: t.prismaField({
        type: modelRef('Agent'),
        nullable: true,
        description: 'The Agent that was given the Session; null when the Session waits in the queue.',
        resolve: (query, { assignedAgentId }, _args, { prisma }) =>
          assignedAgentId === null
            ? null
            : prisma.agent.findUniqueOrThrow({ ...query, where: { id: assignedAgentId } }),
      }),
      message: t.exposeString('message', {
        description: 'States the holder, whether a Handoff was created, and if not, why. For people.',
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
    AgentRoleMismatchError,
    AgentUnavailableError,
    AgentAtCapacityError,
    NoAgentAvailableError,
  ],
  command: reassignSession,
});
