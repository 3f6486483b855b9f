import { ownAgent } from '../../core/rights.ts';
import { asCarry } from '../../work/context/carry.ts';
import { findTools } from '../../work/tools/queries.ts';
import { type HandoffTool as Tool, isEnabled, type ToolVariable } from '../../work/tools/tool.ts';
import { agentNamed } from '../graphql/agentNamed.ts';
import { builder, modelRef } from '../graphql/builder.ts';
import { partOfRecord } from '../graphql/declared.ts';
import { ApprovalRule } from '../graphql/enums.ts';

export const VariableType = builder.enumType('HandoffToolVariableType', {
  description: 'JSON types of the variables of a HandoffTool.',
  values: {
    STRING: { description: 'Any text.' },
    NUMBER: { description: 'A number.' },
    INTEGER: { description: 'A number without a fraction.' },
    BOOLEAN: { description: 'True or false.' },
    ARRAY: { description: 'A list of any values.' },
    OBJECT: { description: 'An object with any names and values.' },
  },
});

const Variable = builder.objectRef<ToolVariable>('HandoffToolVariable').implement({
  access: 'inherit',
  description: 'A typed argument of a HandoffTool. The Handoff sets it as a context variable.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the argument and of the context variable.' }),
    type: t.expose('type', { type: VariableType, description: 'Type of the value.' }),
    required: t.exposeBoolean('required', { description: 'Whether a call has to give a value.' }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'Meaning of the variable, for the model; null when not set.',
    }),
    enum: t.field({
      type: ['JSON'],
      nullable: true,
      description: 'Values that are allowed; null for any value of the type.',
      resolve: (variable) => variable.enum,
    }),
    default: t.field({
      type: 'JSON',
      nullable: true,
      description: 'Value of the variable when the call gives none. Null: it has no default.',
      resolve: (variable) => variable.default,
    }),
  }),
});

/** Reads tools by statements of the pool. */
export const readerOf = ({ pool }: { pool: { query: (statement: object) => Promise<{ rows: unknown[] }> } }) => ({
  query: async <Row extends object>(prepared: object, values: unknown[]): Promise<Row[]> =>
    (await pool.query({ ...prepared, values })).rows as Row[],
});

export const HandoffTool = builder.objectRef<Tool>('HandoffTool');
builder.node(HandoffTool, {
  access: 'inherit',
  id: { resolve: ({ id }) => id },
  description:
    'A function that an Agent may call to hand off: generated from a collaboration, or defined by a person. An AGENT reads the tools that are offered to its own Agent.',
  loadManyWithoutCache: async (ids, context) => {
    const agentId = ownAgent(context.caller);
    const tools = await findTools(readerOf(context), {
      ids,
      agentIds: agentId === null ? null : [agentId],
      archived: true,
    });
    return ids.map((id) => tools.find((tool) => tool.id === id) ?? null);
  },
  fields: (t) => ({
    name: t.exposeString('name', {
      description:
        'Name of the function: unique among the tools of each Agent to which it is offered. A generated tool is `transfer_to_` and the id of its target.',
    }),
    description: t.exposeString('description', { description: 'Description of the function, for the model.' }),
    targetAgent: t.field({
      type: modelRef('Agent'),
      description: 'The Agent that gets the Session.',
      resolve: ({ targetAgentId }, _args, context, info) => agentNamed(targetAgentId, context, info),
    }),
    agents: t.field({
      type: [modelRef('Agent')],
      listSize: 20,
      description:
        'The Agents to which the tool is offered, by id. The offer permits this Handoff, through this tool only. An AGENT reads only its own Agent here.',
      resolve: ({ agentIds }, _args, context, info) => {
        const own = ownAgent(context.caller);
        return Promise.all(
          agentIds.filter((id) => own === null || id === own).map(async (id) => agentNamed(id, context, info)),
        );
      },
    }),
    variables: t.field({
      type: [Variable],
      listSize: partOfRecord,
      description: 'Its typed arguments, in the order they were given; empty for a generated tool.',
      resolve: ({ variables }) => variables,
    }),
    instructions: t.exposeString('instructions', {
      nullable: true,
      description:
        'Instructions for the target in this case, which it reads as `_handoff_instructions`; null when there are none.',
    }),
    carry: t.field({
      type: 'Carry',
      nullable: true,
      description:
        'What of the Context its Handoffs pass on; null for what the collaboration with the target says, else everything.',
      resolve: ({ carry }) => (carry === null ? null : asCarry(carry)),
    }),
    approval: t.expose('approval', {
      type: ApprovalRule,
      description: 'Whether a person has to approve its Handoffs; for a generated tool as its collaboration says.',
    }),
    generated: t.exposeBoolean('generated', {
      description: 'Whether it follows from a collaboration. Such a tool is changed with `updateAgent`.',
    }),
    enabled: t.boolean({
      description: 'Whether it can be called: false when it or its target is archived.',
      resolve: isEnabled,
    }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time of creation; null for a generated tool.',
    }),
    archivedAt: t.expose('archivedAt', {
      type: 'DateTime',
      nullable: true,
      description:
        'Time at which the tool was archived, for a generated tool one of its two Agents; null while it is offered.',
    }),
  }),
});
