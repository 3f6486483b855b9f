import { type HandoffTool, isEnabled, toolOfMany, type ToolVariable, type VariableType } from './tool.ts';

/** The definitions of an agent's tools as its model gets them. Pure: the dashboard shows them for tools that are not saved yet. */

export type ToolFormat = 'ANTHROPIC' | 'OPENAI_CHAT' | 'OPENAI_RESPONSES' | 'MCP';

/** A type, not an interface: SDKs take objects with an index signature. */
export type JsonSchema = {
  type: 'object';
  properties: Record<string, object>;
  required: string[];
  additionalProperties: false;
};

/** A function of a model: a tool, or one that stands for many. */
export interface ToolFunction {
  name: string;
  description: string;
  schema: JsonSchema;
}

/** Over this many generated tools, one function with an enum stands for all of them. */
export const mostTargets = 20;
/** OpenAI refuses longer descriptions of functions. */
const longestDescription = 1_024;
/** For the descriptions of all targets of the function that stands for many. */
const charactersOfTargets = 8_000;

const reason = { type: 'string', description: 'Why you hand off, for people and for the next agent: at most 4 KB.' };
const common = {
  reason,
  summary: {
    type: 'string',
    description: 'Summary of the work so far, at most 32 KB. Leave it out to have it composed from the log.',
  },
};
const variables = {
  type: 'object',
  description: "Names and values for the next agent, at most 64 KB. Names do not begin with '_'.",
  additionalProperties: true,
};

const types: Record<VariableType, object> = {
  STRING: { type: 'string' },
  NUMBER: { type: 'number' },
  INTEGER: { type: 'integer' },
  BOOLEAN: { type: 'boolean' },
  // OpenAI refuses an array without `items`.
  ARRAY: { type: 'array', items: {} },
  OBJECT: { type: 'object', additionalProperties: true },
};

const propertyOf = ({ type, description, enum: allowed, default: preset }: ToolVariable): object => ({
  ...types[type],
  ...(description !== null && description !== '' && { description }),
  ...(allowed !== null && { enum: allowed }),
  ...(preset !== null && { default: preset }),
});

const schema = (properties: Record<string, object>, required: string[]): JsonSchema => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

const schemaOfGenerated = schema({ ...common, variables }, ['reason']);

/** The schema of a tool's arguments; with `targets`, of the function that stands for the generated tools of these agents. */
export function schemaOf(tool: Pick<HandoffTool, 'generated' | 'variables'>, targets?: readonly string[]): JsonSchema {
  if (targets !== undefined) return schemaOfMany({ type: 'string', enum: targets });
  if (tool.generated) return schemaOfGenerated;
  const own = Object.fromEntries(tool.variables.map((variable) => [variable.name, propertyOf(variable)]));
  return schema(
    { ...own, ...common },
    tool.variables.filter(({ required }) => required).map(({ name }) => name),
  );
}

const schemaOfMany = (target: object): JsonSchema => schema({ target, ...common, variables }, ['target', 'reason']);

/** A description of at most `characters`, with what the model has to know of an approval. */
function described(
  { description, approval }: Pick<HandoffTool, 'description' | 'approval'>,
  characters: number,
): string {
  if (approval !== 'REQUIRED') return cut(description, characters);
  const more = ' A person has to approve it first.';
  const said = cut(description, characters - more.length - 1);
  return `${said}${/[.!?…。]$/.test(said) ? '' : '.'}${more}`;
}

/** The target of the function that stands for many tools. */
function targetAmong(tools: readonly HandoffTool[]): object {
  const characters = Math.max(40, Math.floor(charactersOfTargets / tools.length));
  return {
    type: 'string',
    enum: tools.map(({ targetAgentId }) => targetAgentId),
    description: [
      'The agent that gets the session:',
      ...tools.map((tool) => `- ${tool.targetAgentId}: ${described(tool, characters)}`),
    ].join('\n'),
  };
}

/** The function of one tool. */
export const functionOf = (
  tool: Pick<HandoffTool, 'name' | 'description' | 'approval' | 'generated' | 'variables'>,
): ToolFunction => ({
  name: tool.name,
  description: described(tool, longestDescription),
  schema: schemaOf(tool),
});

/** The functions that an agent's model gets: those of its enabled tools. */
export function functionsOf(tools: readonly HandoffTool[], onlyAvailable = false): ToolFunction[] {
  const offered = tools.filter((tool) => isEnabled(tool) && (!onlyAvailable || tool.target.available));
  const generated = offered.filter((tool) => tool.generated);
  const asOne = generated.length > mostTargets;
  const single = (asOne ? offered.filter((tool) => !tool.generated) : offered).map(functionOf);
  if (!asOne) return single;
  return [
    {
      name: toolOfMany,
      description: 'Hands this session off to another agent, which goes on with the work. You stop working on it.',
      schema: schemaOfMany(targetAmong(generated)),
    },
    ...single,
  ];
}

/** A function in each format. */
export const formats = {
  ANTHROPIC: ({ name, description, schema: input_schema }: ToolFunction) => ({ name, description, input_schema }),
  // `strict` would require every argument, and forbid objects with any names.
  OPENAI_CHAT: ({ name, description, schema: parameters }: ToolFunction) => ({
    type: 'function' as const,
    function: { name, description, parameters, strict: false },
  }),
  OPENAI_RESPONSES: ({ name, description, schema: parameters }: ToolFunction) => ({
    type: 'function' as const,
    name,
    description,
    parameters,
    strict: false,
  }),
  MCP: ({ name, description, schema: inputSchema }: ToolFunction) => ({ name, description, inputSchema }),
} satisfies Record<ToolFormat, (each: ToolFunction) => object>;

export const define = (functions: readonly ToolFunction[], format: ToolFormat): object[] =>
  functions.map((each) => formats[format](each));

/** Shortens a text to this many UTF-16 units. No character is cut in half. */
function cut(text: string, characters: number): string {
  if (text.length <= characters) return text;
  return `${text.slice(0, characters - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
