import { z } from 'zod';
import { limits } from '../../../core/limits.ts';
import { carryInput } from './carryInput.ts';
import { agentMeant, contextVariables, inputObject, kept, names, reason, summary, text } from './schemas.ts';

/** What a person changes before approving. */
export const editsInput = inputObject(
  'HandoffEditsInput',
  'Changes of a proposed Handoff. Omitted fields stay as the Agent gave them.',
  z.object({
    targetAgentId: kept(agentMeant).describe(`Another Agent to hand the Session to. ${names}`),
    reason: reason.nullable().optional().describe('Reason, for people: at most 4 KB. Null: none.'),
    summary: summary
      .nullable()
      .optional()
      .describe('Summary of the work so far, at most 32 KB. Null: composed from the log.'),
    instructions: text({ bytes: limits.fields.instructions })
      .nullable()
      .optional()
      .describe('Instructions for the target in this case, at most 32 KB. Null: none.'),
    contextVariables: contextVariables
      .nullable()
      .optional()
      .describe(
        'Names and values to set in the Session instead of those of the Agent: an object of at most 64 KB. Null: none.',
      ),
    carry: carryInput.nullable().optional().describe('What the Handoff passes on. Null: everything.'),
  }),
);
