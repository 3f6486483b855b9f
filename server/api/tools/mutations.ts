import { z } from 'zod';
import { ConflictError, IdempotencyMismatchError, InvalidStateError, NotFoundError } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import {
  archiveHandoffTool,
  createHandoffTool,
  updateHandoffTool,
  type ToolAnswer,
} from '../../work/tools/changeTool.ts';
import { findTools } from '../../work/tools/queries.ts';
import { commonArguments, isToolName, toolOfMany } from '../../work/tools/tool.ts';
import { faultOfVariable } from '../../work/tools/variables.ts';
import { operators } from '../access/roles.ts';
import { ApprovalRule } from '../graphql/enums.ts';
import { carryInput } from '../graphql/input/carryInput.ts';
import {
  agentId,
  idOf,
  inputObject,
  json,
  KB,
  keyField,
  kept,
  listOf,
  nonBlank,
  oneOf,
  optional,
  text,
  withDefault,
} from '../graphql/input/schemas.ts';
import { mutation, type Fields } from '../graphql/mutation.ts';
import { HandoffTool, readerOf, VariableType } from './schema.ts';

const payload = (description: string) => ({
  description,
  fields: (t: Fields<ToolAnswer>) => ({
    handoffTool: t.field({
      type: HandoffTool,
      description: 'The tool in its current state.',
      resolve: async ({ toolId }, _args, context) =>
        (await findTools(readerOf(context), { ids: [toolId], generated: false, archived: true }))[0]!,
    }),
  }),
});

const { counts, fields: sizes } = limits;

const toolName = z
  .string()
  .refine(isToolName, { message: "is no name of a function: give 1 to 64 letters, digits, '_' and '-'" })
  .refine((name) => name.toLowerCase() !== toolOfMany, {
    message: `is '${toolOfMany}', which stands for all tools of an agent with many targets: choose another name`,
  });

const variableName = z
  .string()
  .regex(/^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/, {
    message:
      "is no name of a variable: give 1 to 64 letters, digits, '_' and '-', a letter first. Names that begin with '_' belong to Baton",
  })
  .refine((name) => !commonArguments.includes(name.toLowerCase()), {
    message: `is an argument of every tool (${commonArguments.join(', ')}): choose another name`,
  });

const variable = inputObject(
  'HandoffToolVariableInput',
  'A typed argument of a handoff tool.',
  z
    .object({
      name: variableName.describe(
        'Name of the argument and of the context variable: a letter, then at most 63 letters, digits, `_` and `-`.',
      ),
      type: oneOf(VariableType).describe('Type of the value.'),
      required: withDefault(z.boolean(), false).describe('Whether a call has to give a value.'),
      description: optional(text({ characters: sizes.toolDescriptionCharacters })).describe(
        'Meaning of the variable, for the model: at most 1,024 characters.',
      ),
      enum: optional(
        listOf(json({ bytes: KB }), { what: 'values', limit: 100, advice: 'allow fewer, or any' }),
      ).describe('Values that are allowed, all of the type: 1 to 100. Null: any value of the type.'),
      default: optional(json({ bytes: KB })).describe(
        'Value of the variable when the call gives none: of the type, and among `enum`. Not with `required`.',
      ),
    })
    .check(({ value, issues }) => {
      const fault = faultOfVariable(value);
      if (fault !== null) issues.push({ code: 'custom', message: fault.message, path: fault.path, input: value });
    }),
);

const toolVariables = listOf(variable, {
  what: 'variables',
  limit: counts.variablesOfTool,
  advice: 'name fewer, or one of type OBJECT',
}).check(({ value, issues }) => {
  const names = value.map(({ name }) => name.toLowerCase());
  const twice = names.findIndex((name, index) => names.indexOf(name) !== index);
  if (twice >= 0)
    issues.push({
      code: 'custom',
      message: 'is the name of two variables: rename one',
      path: [String(twice), 'name'],
      input: value,
    });
  const bytes = Buffer.byteLength(JSON.stringify(value));
  if (bytes > sizes.toolVariables)
    issues.push({
      code: 'custom',
      message: `have ${bytes} bytes; the limit is ${sizes.toolVariables}: shorten them`,
      input: value,
    });
});

const fields = {
  name: toolName.describe(
    'Name of the function: 1 to 64 letters, digits, `_` and `-`. CONFLICT when one of the Agents has a tool of this name, defined or generated. `handoff` is taken.',
  ),
  targetAgentId: agentId.describe('The Agent that gets the Session.'),
  agentIds: listOf(agentId, { what: 'agents', limit: counts.agentsOfTool, advice: 'create several tools' })
    .transform((ids) => [...new Set(ids)])
    .check(({ value, issues }) => {
      if (value.length === 0)
        issues.push({ code: 'custom', message: 'is empty: name at least one agent', input: value });
    })
    .describe('The Agents to which the tool is offered: 1 to 200, without the target.'),
  description: nonBlank({ characters: sizes.toolDescriptionCharacters }).describe(
    'Says to the model when to call it: 1 to 1,024 characters, not blank.',
  ),
  variables: toolVariables.describe(
    'Typed arguments, at most 50 in 16 KB. The Handoff sets them as context variables.',
  ),
  instructions: text({ bytes: sizes.reason }).describe('Instructions for the target in this case: at most 4 KB.'),
  approval: oneOf(ApprovalRule).describe('Whether a person has to approve its Handoffs.'),
  carry: carryInput.describe(
    'What its Handoffs pass on. Null: what the collaboration with the target says, else everything.',
  ),
};

mutation('createHandoffTool', {
  access: operators,
  description:
    'Defines a function that these Agents may call to hand off to one target. The offer permits this Handoff, through this tool only.',
  input: z.object({
    name: fields.name,
    targetAgentId: fields.targetAgentId,
    agentIds: fields.agentIds,
    description: fields.description,
    variables: optional(fields.variables).transform((variables) => variables ?? []),
    instructions: optional(fields.instructions),
    carry: optional(fields.carry),
    approval: kept(fields.approval),
    ...keyField,
  }),
  payload: payload('The tool is offered.'),
  errors: [NotFoundError, IdempotencyMismatchError, ConflictError],
  command: createHandoffTool,
});

const toolId = idOf('tool').describe('The tool, one that a person defined.');

mutation('updateHandoffTool', {
  access: operators,
  description:
    'Changes the given fields of a tool that a person defined. Null clears `instructions` and `carry`. Lists replace the previous ones.',
  input: z.object({
    toolId,
    name: kept(fields.name),
    targetAgentId: kept(fields.targetAgentId),
    agentIds: kept(fields.agentIds),
    description: kept(fields.description),
    variables: kept(fields.variables),
    instructions: fields.instructions.nullable().optional(),
    carry: fields.carry.nullable().optional(),
    approval: kept(fields.approval),
  }),
  payload: payload('The tool was changed.'),
  errors: [NotFoundError, ConflictError, InvalidStateError],
  command: updateHandoffTool,
});

mutation('archiveHandoffTool', {
  access: operators,
  description:
    'Ends the offer of a tool for good; its name becomes free. Repeating the call succeeds and changes nothing.',
  input: z.object({ toolId }),
  payload: payload('The tool is archived.'),
  errors: [NotFoundError, InvalidStateError],
  command: archiveHandoffTool,
});
