import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { unwrapped } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import type { Desk } from './ask.ts';
import { handOff, transfer } from './handOff.ts';
import { accept, inbox, reject } from './handoffs.ts';
import { note } from './note.ts';
import { ask } from './person.ts';
import { read } from './read.ts';
import { Refused } from './result.ts';
import { stagesText } from './stages.ts';

interface OwnTool<Input> {
  description: string;
  input: z.ZodType<Input>;
  reads: boolean;
  run(desk: Desk, input: Input, callId: string | null): Promise<CallToolResult>;
}

const own = <Input>(tool: OwnTool<Input>): OwnTool<unknown> => tool;

const session = z.string().optional().describe('Session id. Default: your only active one of this folder.');
const handoff = z.string().optional().describe('Handoff id. Default: the only one that waits for work in this folder.');
const maxTokens = z.int().min(200).max(20_000).optional().describe('Size of the answer.');
const place = z
  .int()
  .min(0)
  .max(2 ** 31 - 1)
  .optional();

/** The tools of every agent. Every request of a model contains their names, descriptions and schemas: keep them short. */
const ownTools: Record<string, OwnTool<unknown>> = {
  baton_inbox: own({
    description:
      'Lists the handoffs that wait for you, with what the agents before you left, and the sessions that you hold.',
    input: z.strictObject({ maxTokens }),
    reads: true,
    run: inbox,
  }),
  baton_accept: own({
    description: 'Accepts a handoff: you hold its session from then on. Returns what the agent before you left.',
    input: z.strictObject({ handoff, maxTokens }),
    reads: false,
    run: accept,
  }),
  baton_reject: own({
    description:
      'Declines a handoff: the session goes back. Or takes back your own, by its id, before it is approved or accepted.',
    input: z.strictObject({
      handoff,
      reason: z.string().describe('What is missing or wrong, for people and the other agent.'),
    }),
    reads: false,
    run: reject,
  }),
  baton_read: own({
    description:
      "Reads a session's log (messages and tool calls), the context of a handoff, or an item that its prompt left out.",
    input: z.strictObject({
      session,
      from: place.describe('First message, or first character of the item. Default: the newest messages.'),
      to: place.describe('Last message.'),
      handoff: z.string().optional().describe('Handoff id.'),
      item: z.string().optional().describe('Name of a left-out item of the handoff.'),
    }),
    reads: true,
    run: read,
  }),
  baton_note: own({
    description: 'Records what you did or found, decisions, and the list of tasks. The next agent gets them.',
    input: z.strictObject({
      text: z.string().min(1).optional().describe('Your words.'),
      decisions: z.array(z.string().min(1)).max(10).optional(),
      tasks: z
        .array(z.strictObject({ content: z.string(), status: z.enum(['PENDING', 'IN_PROGRESS', 'DONE']) }))
        .optional()
        .describe('The whole list: replaces the one before.'),
      session,
    }),
    reads: false,
    run: note,
  }),
  baton_ask: own({
    description: 'Asks a person, and pauses your session until the answer comes: end your turn.',
    input: z.strictObject({
      question: z.string().min(1),
      options: z.array(z.string()).optional().describe('Answers to choose from.'),
      session,
    }),
    reads: false,
    run: ask,
  }),
  baton_handoff: own({
    description:
      'Passes your session on: to target, or in a pipeline by the outcome of its stage. Elsewhere outcome COMPLETED or FAILED ends it. Stop working on it afterwards.',
    input: z.strictObject({
      target: z.string().optional().describe('Agent: id, name, role or type.'),
      outcome: z
        .string()
        .optional()
        .describe('In a pipeline such as DONE: baton_inbox lists them. Elsewhere COMPLETED or FAILED.'),
      reason: z.string().describe('Why, for people and the next agent.'),
      summary: z.string().optional().describe('Of the work so far. Default: composed from the log.'),
      variables: z
        .preprocess(unwrapped, z.record(z.string(), z.unknown()).optional())
        .describe('Values for the target.'),
      payload: z.unknown().optional().describe('JSON that goes with the outcome.'),
      session,
    }),
    reads: false,
    run: handOff,
  }),
};

const definitions = Object.entries(ownTools).map(
  ([name, { description, input, reads }]): Tool & { reads: boolean } => ({
    reads,
    name,
    description,
    inputSchema: schemaOf(input),
    annotations: annotationsOf(reads),
  }),
);

/** Codex asks a person before it calls a tool that may destroy something or reach beyond its server, which is the default. */
function annotationsOf(readOnlyHint: boolean): Tool['annotations'] {
  return { readOnlyHint, destructiveHint: false, openWorldHint: false };
}

/** Without bounds: the refusal of a wrong value names them. */
function schemaOf(input: z.ZodType): Tool['inputSchema'] {
  const bounds = ['minimum', 'maximum', 'minLength', 'maxItems', 'propertyNames'] as const;
  const { $schema: _, ...schema } = z.toJSONSchema(input, {
    io: 'input',
    override: ({ jsonSchema }) => void bounds.forEach((name) => delete jsonSchema[name]),
  });
  return schema as Tool['inputSchema'];
}

/** The argument of a handoff tool that names the Session: this, unless the tool has a variable of that name. */
const lastSessionArgument = '_handoff_session';
const sessionArguments = ['session', lastSessionArgument] as const;
const sessionProperty = { type: 'string', description: 'Session id. Default: your only active one of this folder.' };
const sessionArgumentOf = ({ inputSchema }: Pick<Tool, 'inputSchema'>): string =>
  sessionArguments.find((name) => !Object.hasOwn(inputSchema.properties ?? {}, name))!;

/** Descriptions of agents can be long, and every request of a model contains them. */
const descriptionBytes = 260;

function shortened(description: string): string {
  const bytes = Buffer.from(description);
  if (bytes.length <= descriptionBytes) return description;
  // `stream` leaves out half a character at the end.
  return `${new TextDecoder().decode(bytes.subarray(0, descriptionBytes - 3), { stream: true })}…`;
}

const toolsDocument = 'query ($id: ID!) { agent(id: $id) { handoffToolDefinitions(format: MCP) } }';

/** The agent does not exist. */
export class NoAgent extends Error {}

/** @throws NoAgent, Refused */
async function handoffTools({ agentId, query, works }: Desk): Promise<Tool[]> {
  if (agentId === null) return [];
  const { agent } = await query<{ agent: { handoffToolDefinitions: Tool[] } | null }>(toolsDocument, { id: agentId });
  if (agent === null) throw new NoAgent(`There is no agent '${agentId}': check the address`);
  return works ? agent.handoffToolDefinitions.filter(({ name }) => !Object.hasOwn(ownTools, name)) : [];
}

/** The tools that a caller may use. @throws NoAgent, Refused */
export async function toolsOf(desk: Desk): Promise<Tool[]> {
  const [offered, stages] = [await handoffTools(desk), await stagesText(desk)];
  return [
    ...definitions
      .filter(({ reads }) => desk.works || reads)
      .map(({ reads: _, ...tool }) =>
        tool.name === 'baton_handoff' ? { ...tool, description: `${tool.description}${stages}` } : tool,
      ),
    ...offered.map((tool) => ({
      name: tool.name,
      description: shortened(tool.description ?? ''),
      inputSchema: {
        ...tool.inputSchema,
        properties: { ...tool.inputSchema.properties, [sessionArgumentOf(tool)]: sessionProperty },
      },
      annotations: annotationsOf(false),
    })),
  ];
}

const mostProblems = 20;

/** Runs a call. @throws Refused */
export async function callTool(
  desk: Desk,
  name: string,
  given: Record<string, unknown>,
  callId: string | null,
): Promise<CallToolResult> {
  if (!Object.hasOwn(ownTools, name)) return callHandoffTool(desk, name, given, callId);
  const tool = ownTools[name]!;
  if (!desk.works && !tool.reads)
    throw new Refused(`Your key may only read: ${name} needs a key of an agent, an operator or an admin.`, 'FORBIDDEN');
  for (const [argument, value] of Object.entries(given))
    if (Array.isArray(value) && value.length > limits.inputs.list)
      throw new Refused(
        `${argument} has ${value.length} items; the limit is ${limits.inputs.list}: send fewer at once.`,
        'LIMIT_EXCEEDED',
      );
  const parsed = tool.input.safeParse(given);
  if (parsed.success) return tool.run(desk, parsed.data, callId);
  const problems = parsed.error.issues
    .slice(0, mostProblems)
    .map(({ path, message }) => `${path.length === 0 ? '' : `${path.join('.')}: `}${shortened(message)}`);
  throw new Refused(
    `Wrong arguments for ${name}. ${problems.join('. ')}. It takes: ${JSON.stringify(schemaOf(tool.input))}`,
    'BAD_USER_INPUT',
  );
}

async function callHandoffTool(
  desk: Desk,
  name: string,
  given: Record<string, unknown>,
  callId: string | null,
): Promise<CallToolResult> {
  if (!desk.works) throw new Refused(`There is no tool '${name}' for your key.`, 'FORBIDDEN');
  // Without a definition the API says what the name may have meant.
  const tool = (await handoffTools(desk)).find((each) => each.name === name);
  const argument = tool === undefined ? 'session' : sessionArgumentOf(tool);
  // Hooks name it so, whatever variables the tool has.
  const { [argument]: meant, [lastSessionArgument]: also, ...rest } = given;
  const named = meant ?? also;
  if (named !== undefined && typeof named !== 'string')
    throw new Refused(`${argument} is not a string: give the id of a session.`, 'BAD_USER_INPUT');
  return transfer(desk, { toolName: name, arguments: rest, session: named, callId });
}
