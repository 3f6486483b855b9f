import { z } from 'zod';
import { operators } from '../access/roles.ts';
import { ConflictError, InvalidStateError, NotFoundError } from '../core/errors.ts';
import { AdministrativeStatus } from '../graphql/enums.ts';
import { agentId, agentType, integer, KB, kept, listOf, metadata, nonBlank, oneOf, optional, text, withDefault } from '../graphql/input/schemas.ts';
import { agentOf, mutation, type Fields } from '../graphql/mutation.ts';
import { limits } from '../limits/limits.ts';
import { archiveAgent } from './archiveAgent.ts';
import { registerAgent, type AgentAnswer } from './registerAgent.ts';
import { setAgentStatus } from './setAgentStatus.ts';
import { updateAgent } from './updateAgent.ts';

const payload = (description: string) => ({ description, fields: (t: Fields<AgentAnswer>) => ({ agent: agentOf(t) }) });

const id = agentId.describe('The Agent to change.');
const maxCapacity = integer(1, 100_000);
const fields = {
  name: nonBlank({ characters: 200 }).describe('What people call it, up to 200 characters; its id when null.'),
  role: text({ characters: 200 }).describe('What it is for, such as "implementer": up to 200 characters.'),
  description: text({ bytes: 4 * KB }).describe('What it is good at, for whoever chooses an Agent: up to 4 KB.'),
  instructions: text({ bytes: 32 * KB }).describe('What every Handoff to it says: up to 32 KB.'),
  collaborators: listOf(agentId, { what: 'collaborators', limit: limits.counts.collaborators, advice: 'the list replaces the one before, so name fewer' })
    .transform((ids) => [...new Set(ids)])
    .describe('The Agents that it may hand off to, up to 200; each must exist.'),
  metadata: metadata.describe('What you want to keep with it, up to 64 KB.'),
};
const notItself = { message: 'contain the agent itself: leave it out', path: ['collaborators'] };

mutation('registerAgent', {
  access: operators,
  description: 'Adds an Agent to the pool, AVAILABLE at once. CONFLICT when there is or ever was one with that id.',
  input: z
    .object({
      id: agentId.describe("Its slug, for good: 1 to 52 lower-case letters, digits, '-' and '_', a letter or digit at both ends."),
      type: agentType.describe("What kind it is, such as CLAUDE: an upper-case letter, then up to 49 upper-case letters, digits and '_'."),
      maxCapacity: withDefault(maxCapacity, 5).describe('How many Sessions it may hold at once: 1 to 100,000.'),
      name: optional(fields.name),
      role: optional(fields.role),
      description: optional(fields.description),
      instructions: optional(fields.instructions),
      collaborators: optional(fields.collaborators).transform((ids) => ids ?? []),
      metadata: optional(fields.metadata),
    })
    .transform((input) => ({ ...input, name: input.name ?? input.id }))
    .refine((input) => !input.collaborators.includes(input.id), notItself),
  payload: payload('The Agent is in the pool.'),
  errors: [NotFoundError, ConflictError],
  command: registerAgent,
});

mutation('updateAgent', {
  access: operators,
  description:
    'Changes what is given and leaves the rest; null clears role, description, instructions and metadata. Its capacity cannot become smaller than its load.',
  // Null clears what may be null and is otherwise as if left out.
  input: z
    .object({
      id,
      type: kept(agentType).describe('Its new type. Handoffs keep the type of their moment.'),
      maxCapacity: kept(maxCapacity).describe('How many Sessions it may hold at once: 1 to 100,000, and not fewer than it holds.'),
      name: kept(fields.name),
      role: fields.role.nullable().optional(),
      description: fields.description.nullable().optional(),
      instructions: fields.instructions.nullable().optional(),
      collaborators: kept(fields.collaborators),
      metadata: fields.metadata.optional(),
    })
    .refine((input) => input.collaborators?.includes(input.id) !== true, notItself),
  payload: payload('The Agent is changed.'),
  errors: [NotFoundError, InvalidStateError],
  command: updateAgent,
});

mutation('archiveAgent', {
  access: operators,
  description: 'Takes an Agent that holds nothing out of the pool for good. Its records stay, its id is never used again. Repeating it is no error.',
  input: z.object({ id }),
  payload: payload('The Agent is out of the pool.'),
  errors: [NotFoundError, InvalidStateError],
  command: archiveAgent,
});

mutation('setAgentStatus', {
  access: operators,
  description: 'Opens or closes an Agent for new work. What it holds stays with it. Repeating it is no error.',
  input: z.object({
    id,
    status: oneOf(AdministrativeStatus).describe('AVAILABLE, DRAINING or OFFLINE.'),
  }),
  payload: payload('The Agent has this status.'),
  errors: [NotFoundError],
  command: setAgentStatus,
});
