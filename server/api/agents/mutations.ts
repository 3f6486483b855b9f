import { z } from 'zod';
import { ConflictError, InvalidStateError, NotFoundError } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { archiveAgent } from '../../work/agents/archiveAgent.ts';
import { registerAgent, type AgentAnswer } from '../../work/agents/registerAgent.ts';
import { setAgentStatus } from '../../work/agents/setAgentStatus.ts';
import { updateAgent } from '../../work/agents/updateAgent.ts';
import { operators } from '../access/roles.ts';
import { AdministrativeStatus, ApprovalRule } from '../graphql/enums.ts';
import { carryInput } from '../graphql/input/carryInput.ts';
import {
  agentId,
  agentType,
  inputObject,
  integer,
  KB,
  kept,
  listOf,
  metadata,
  nonBlank,
  oneOf,
  optional,
  text,
  withDefault,
} from '../graphql/input/schemas.ts';
import { agentOf, mutation, type Fields } from '../graphql/mutation.ts';

const payload = (description: string) => ({ description, fields: (t: Fields<AgentAnswer>) => ({ agent: agentOf(t) }) });

const id = agentId.describe('The Agent to change.');
const maxCapacity = integer(1, 100_000);
const contextWindow = integer(1, 2 ** 31 - 1).describe(
  "Tokens that fit into the window of the Agent's model. Null: not known; then only a transcript that says it, or a compaction, proposes a handoff.",
);
const collaboration = inputObject(
  'CollaborationInput',
  'An Agent to hand off to, and when.',
  z.object({
    agentId: agentId.describe('The Agent to hand off to.'),
    when: optional(text({ bytes: limits.fields.when })).describe(
      'Situation in which the Agent should hand off, for the model that decides: at most 1 KB. Null: not stated.',
    ),
    carry: carryInput
      .nullable()
      .optional()
      .describe('What such a Handoff passes on. Omitted: unchanged. Null: everything.'),
    approval: kept(oneOf(ApprovalRule)).describe(
      'Whether a person has to approve such Handoffs. Omitted or null: unchanged, for a new Agent NONE.',
    ),
  }),
);
const fields = {
  name: nonBlank({ characters: 200 }).describe('Display name, at most 200 characters. Null: the id.'),
  role: text({ characters: 200 }).describe('Purpose of the Agent, such as "implementer": at most 200 characters.'),
  description: text({ bytes: 4 * KB }).describe('Strengths of the Agent, for callers that choose one: at most 4 KB.'),
  instructions: text({ bytes: limits.fields.instructions }).describe(
    'Instructions that every Handoff to the Agent carries: at most 32 KB.',
  ),
  collaborators: listOf(agentId, {
    what: 'collaborators',
    limit: limits.counts.collaborators,
    advice: 'the list replaces the previous one: name fewer',
  })
    .transform((ids) => [...new Set(ids)])
    .describe(
      'Agents that it may hand off to, at most 200. Each must exist. `when` of an Agent that stays is kept. Give this or `collaborations`.',
    ),
  collaborations: listOf(collaboration, {
    what: 'collaborations',
    limit: limits.counts.collaborators,
    advice: 'the list replaces the previous one: name fewer',
  })
    .check(({ value, issues }) => {
      const repeated = value.findIndex(({ agentId }, index) =>
        value.slice(0, index).some((earlier) => earlier.agentId === agentId),
      );
      if (repeated >= 0)
        issues.push({
          code: 'custom',
          message: `name agent '${value[repeated]!.agentId}' twice: leave one out`,
          path: [],
          input: value,
        });
    })
    .describe(
      'Agents that it may hand off to, and when it should: at most 200. Each must exist. Replaces the whole list.',
    ),
  metadata: metadata.describe('Any JSON to keep with the record, at most 64 KB.'),
};

interface Given {
  id: string;
  collaborators?: string[] | undefined;
  collaborations?: { agentId: string }[] | undefined;
}

function checkCollaborations({ value, issues }: { value: Given; issues: z.core.$ZodRawIssue[] }): void {
  const { id: itself, collaborators, collaborations } = value;
  const refuse = (field: string, message: string): void =>
    void issues.push({ code: 'custom', message, path: [field], input: value });
  if (collaborators?.includes(itself) === true) refuse('collaborators', 'contain the agent itself: leave it out');
  if (collaborations?.some((each) => each.agentId === itself) === true)
    refuse('collaborations', 'contain the agent itself: leave it out');
  if (collaborators !== undefined && collaborations !== undefined)
    refuse('collaborations', 'are given beside `collaborators`: give one of the two');
}

mutation('registerAgent', {
  access: operators,
  description: 'Adds an Agent to the pool as AVAILABLE. CONFLICT when the id is taken or was used before.',
  input: z
    .object({
      id: agentId.describe(
        "Slug of the Agent, permanent: 1 to 52 lower-case letters, digits, '-' and '_', with a letter or digit at both ends.",
      ),
      type: agentType.describe(
        "Kind of worker, such as CLAUDE: an upper-case letter, then at most 49 upper-case letters, digits and '_'.",
      ),
      maxCapacity: withDefault(maxCapacity, 5).describe(
        'Number of Sessions up to which the Agent is given more: 1 to 100,000. Work that is recorded may exceed it.',
      ),
      name: optional(fields.name),
      role: optional(fields.role),
      description: optional(fields.description),
      instructions: optional(fields.instructions),
      contextWindow: optional(contextWindow),
      collaborators: kept(fields.collaborators),
      collaborations: kept(fields.collaborations),
      metadata: optional(fields.metadata),
    })
    .transform((input) => ({ ...input, name: input.name ?? input.id }))
    .check(checkCollaborations),
  payload: payload('The Agent was registered.'),
  errors: [NotFoundError, ConflictError],
  command: registerAgent,
});

mutation('updateAgent', {
  access: operators,
  description:
    'Changes the given fields of an Agent. Null clears role, description, instructions, contextWindow and metadata. The capacity cannot go below the load. CONFLICT when the tool of a new collaborator would have the name of a handoff tool.',
  // Null clears a nullable field; for any other field it means "not given".
  input: z
    .object({
      id,
      type: kept(agentType).describe('New type. Existing Handoffs keep the type of their time.'),
      maxCapacity: kept(maxCapacity).describe(
        'Number of Sessions up to which the Agent is given more: 1 to 100,000. It cannot be lowered below the load.',
      ),
      name: kept(fields.name),
      role: fields.role.nullable().optional(),
      description: fields.description.nullable().optional(),
      instructions: fields.instructions.nullable().optional(),
      contextWindow: contextWindow.nullable().optional(),
      collaborators: kept(fields.collaborators),
      collaborations: kept(fields.collaborations),
      metadata: fields.metadata.optional(),
    })
    .check(checkCollaborations),
  payload: payload('The Agent was changed.'),
  errors: [NotFoundError, ConflictError, InvalidStateError],
  command: updateAgent,
});

mutation('archiveAgent', {
  access: operators,
  description:
    'Removes an Agent that holds no Session from the pool for good. Its records stay; its id is never reused. The same caller may repeat the call: it succeeds and changes nothing.',
  input: z.object({ id }),
  payload: payload('The Agent was archived.'),
  errors: [NotFoundError, InvalidStateError],
  command: archiveAgent,
});

mutation('setAgentStatus', {
  access: operators,
  description:
    'Sets the administrative status of an Agent. The Sessions that it holds stay with it. Repeating the call succeeds and changes nothing.',
  input: z.object({
    id,
    status: oneOf(AdministrativeStatus).describe('AVAILABLE, DRAINING or OFFLINE.'),
  }),
  payload: payload('The Agent has the new status.'),
  errors: [NotFoundError],
  command: setAgentStatus,
});
