import { z } from 'zod';
import { ConflictError, InvalidStateError, NotFoundError } from '../core/errors.ts';
import { builder } from '../graphql/builder.ts';
import { AdministrativeStatus } from '../graphql/enums.ts';
import { agentId, agentType, decodeInput, integer, KB, listOf, metadata, nonBlank, optional, text } from '../graphql/input.ts';
import { agentOf, run } from '../graphql/mutation.ts';
import { limits } from '../limits/limits.ts';
import { archiveAgent } from './archiveAgent.ts';
import { registerAgent, type AgentAnswer } from './registerAgent.ts';
import { setAgentStatus } from './setAgentStatus.ts';
import { updateAgent } from './updateAgent.ts';

const payload = (name: string, description: string) =>
  builder.objectRef<AgentAnswer>(name).implement({ description, fields: (t) => ({ agent: agentOf(t) }) });

const shape = {
  type: agentType,
  name: nonBlank({ characters: 200 }),
  role: text({ characters: 200 }),
  description: text({ bytes: 4 * KB }),
  instructions: text({ bytes: 32 * KB }),
  maxCapacity: integer(1, 100_000),
  collaborators: listOf(agentId, { what: 'collaborators', limit: limits.counts.collaborators, advice: 'the list replaces the one before, so name fewer' }).transform((ids) => [...new Set(ids)]),
  metadata,
};

const notItself = { message: 'contain the agent itself: leave it out', path: ['collaborators'] };

const registerInput = z
  .object({
    id: agentId,
    type: shape.type,
    name: optional(shape.name),
    role: optional(shape.role),
    description: optional(shape.description),
    instructions: optional(shape.instructions),
    maxCapacity: optional(shape.maxCapacity).transform((max) => max ?? 5),
    collaborators: optional(shape.collaborators).transform((ids) => ids ?? []),
    metadata: optional(metadata),
  })
  .transform((input) => ({ ...input, name: input.name ?? input.id }))
  .refine((input) => !input.collaborators.includes(input.id), notItself);

// Left out means unchanged; null clears what may be null and is otherwise as if left out.
const kept = <S extends z.ZodType>(schema: S) => schema.nullish().transform((value) => value ?? undefined);
const updateInput = z
  .object({
    id: agentId,
    type: kept(shape.type),
    name: kept(shape.name),
    role: shape.role.nullable().optional(),
    description: shape.description.nullable().optional(),
    instructions: shape.instructions.nullable().optional(),
    maxCapacity: kept(shape.maxCapacity),
    collaborators: kept(shape.collaborators),
    metadata: metadata.optional(),
  })
  .refine((input) => input.collaborators?.includes(input.id) !== true, notItself);

builder.mutationFields((t) => {
  const id = t.input.id({ required: true, description: 'The Agent to change.' });
  const fields = {
    name: t.input.string({ description: 'What people call it, up to 200 characters; its id when null.' }),
    role: t.input.string({ description: 'What it is for, such as "implementer": up to 200 characters.' }),
    description: t.input.string({ description: 'What it is good at, for whoever chooses an Agent: up to 4 KB.' }),
    instructions: t.input.string({ description: 'What every Handoff to it says: up to 32 KB.' }),
    collaborators: t.input.idList({ description: 'The Agents that it may hand off to, up to 200; each must exist.' }),
    metadata: t.input.field({ type: 'JSON', description: 'What you want to keep with it, up to 64 KB.' }),
  };
  return {
    registerAgent: t.fieldWithInput({
      type: payload('RegisterAgentPayload', 'The Agent is in the pool.'),
      description: 'Adds an Agent to the pool, AVAILABLE at once. CONFLICT when there is or ever was one with that id.',
      errors: { types: [NotFoundError, ConflictError] },
      input: {
        id: t.input.id({
          required: true,
          description: "Its slug, for good: 1 to 52 lower-case letters, digits, '-' and '_', a letter or digit at both ends.",
        }),
        type: t.input.string({ required: true, description: "What kind it is, such as CLAUDE: an upper-case letter, then up to 49 upper-case letters, digits and '_'." }),
        maxCapacity: t.input.int({ defaultValue: 5, description: 'How many Sessions it may hold at once: 1 to 100,000.' }),
        ...fields,
      },
      resolve: (_root, { input }, context) => run(context, 'registerAgent', decodeInput(registerInput, input), registerAgent),
    }),
    updateAgent: t.fieldWithInput({
      type: payload('UpdateAgentPayload', 'The Agent is changed.'),
      description:
        'Changes what is given and leaves the rest; null clears role, description, instructions and metadata. Its capacity cannot become smaller than its load.',
      errors: { types: [NotFoundError, InvalidStateError] },
      input: {
        id,
        type: t.input.string({ description: 'Its new type. Handoffs keep the type of their moment.' }),
        maxCapacity: t.input.int({ description: 'How many Sessions it may hold at once: 1 to 100,000, and not fewer than it holds.' }),
        ...fields,
      },
      resolve: (_root, { input }, context) => run(context, 'updateAgent', decodeInput(updateInput, input), updateAgent),
    }),
    archiveAgent: t.fieldWithInput({
      type: payload('ArchiveAgentPayload', 'The Agent is out of the pool.'),
      description: 'Takes an Agent that holds nothing out of the pool for good. Its records stay, its id is never used again. Repeating it is no error.',
      errors: { types: [NotFoundError, InvalidStateError] },
      input: { id },
      resolve: (_root, { input }, context) => run(context, 'archiveAgent', decodeInput(z.object({ id: agentId }), input), archiveAgent),
    }),
    setAgentStatus: t.fieldWithInput({
      type: payload('SetAgentStatusPayload', 'The Agent has this status.'),
      description: 'Opens or closes an Agent for new work. What it holds stays with it. Repeating it is no error.',
      errors: { types: [NotFoundError] },
      input: { id, status: t.input.field({ type: AdministrativeStatus, required: true, description: 'AVAILABLE, DRAINING or OFFLINE.' }) },
      resolve: (_root, { input }, context) =>
        run(context, 'setAgentStatus', decodeInput(z.object({ id: agentId, status: z.enum(['AVAILABLE', 'DRAINING', 'OFFLINE']) }), input), setAgentStatus),
    }),
  };
});
