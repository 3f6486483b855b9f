import { z } from 'zod';
import { ForbiddenError } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { ownAgent } from '../../core/rights.ts';
import type {
  CallKind,
  DetectedCall,
  DetectedFormat,
  Detection,
  Problem,
  ProblemCode,
} from '../../work/tools/detect/detection.ts';
import { detectInResponse } from '../../work/tools/known.ts';
import type { HandoffTool as Tool } from '../../work/tools/tool.ts';
import { everybody } from '../access/roles.ts';
import { agentNamed } from '../graphql/agentNamed.ts';
import { builder, modelRef } from '../graphql/builder.ts';
import { partOfRecord } from '../graphql/declared.ts';
import { agentId, decodeArgs, json } from '../graphql/input/schemas.ts';
import { argsOf } from '../graphql/input/types.ts';
import { inTurn } from '../graphql/processorTime.ts';
import { HandoffTool, readerOf } from './schema.ts';

/** The values of an enum, each with its description. */
const described = <Value extends string>(descriptions: Record<Value, string>) =>
  Object.fromEntries(
    Object.entries<string>(descriptions).map(([value, description]) => [value, { description }]),
  ) as Record<Value, { description: string }>;

const Format = builder.enumType('ModelAnswerFormat', {
  description: "Formats of a model's answer. A recorded stream has the format of its whole answer.",
  values: described<DetectedFormat>({
    ANTHROPIC_MESSAGE: 'A Message of the Anthropic API, its content blocks, or its stream.',
    OPENAI_CHAT_COMPLETION: 'A chat completion of the OpenAI API, its message, or its chunks.',
    OPENAI_RESPONSE: 'A response of the OpenAI API, its output items, or its stream.',
    AGENTS_SDK:
      'Items of a run of the OpenAI Agents SDK, a model response, or a RunState, of which only the last model response is read.',
    GEMINI_RESPONSE: 'A response of the Gemini API, its content, or the responses of its stream.',
    BEDROCK_CONVERSE: 'An answer of Converse of Amazon Bedrock, its message, or the events of ConverseStream.',
    OLLAMA_CHAT: 'An answer of the chat of Ollama, or the lines of its stream.',
    AI_SDK:
      'A result of the Vercel AI SDK, of which only the last step is read, a message, or the parts of its stream.',
    LANGCHAIN_MESSAGE: 'An AIMessage of LangChain, the last one of a list or of a state, or the chunks of its stream.',
  }),
});

const Kind = builder.enumType('DetectedCallKind', {
  description: 'Kinds of calls.',
  values: described<CallKind>({
    HANDOFF: 'The call hands off to an Agent.',
    UNRESOLVED: 'The call looks like a handoff and leads to no Agent: see `problem`.',
    OTHER: 'Any other call.',
  }),
});

const Code = builder.enumType('DetectionProblemCode', {
  description: 'Problems of a call.',
  values: described<ProblemCode>({
    UNKNOWN_TARGET: 'No Agent has the name. `suggestions` lists Agents with similar ids.',
    AMBIGUOUS_TARGET: "Several Agents have the name when case, '-' and '_' are ignored. `suggestions` lists them.",
    ARCHIVED_TARGET: 'The Agent is archived.',
    SAME_AGENT: 'The call names the Agent that made it.',
    MISSING_TARGET: 'The call names no Agent.',
    UNKNOWN_TOOL:
      "The name equals a tool of the Agent only when case, '-' and '_' are ignored. `suggestions` lists the tools.",
    INVALID_ARGUMENTS: 'The arguments are not a JSON object that can be stored. `arguments` is null.',
    RESERVED_ARGUMENTS: "The call had arguments whose names begin with '_handoff_'. They were dropped.",
  }),
});

const DetectionProblem = builder.objectRef<Problem>('DetectionProblem').implement({
  access: 'inherit',
  description: 'Tells why a call is no handoff, or what to correct in it.',
  fields: (t) => ({
    code: t.expose('code', { type: Code, description: 'The code.' }),
    message: t.exposeString('message', { description: 'A message that can be given to the model.' }),
    suggestions: t.expose('suggestions', {
      type: ['String'],
      description:
        'Ids of Agents, or names of tools, that may have been meant, nearest first. Given for the first 20 different names.',
    }),
    path: t.expose('path', {
      type: ['String'],
      description: 'Path in the arguments; empty when the problem is the whole call.',
    }),
  }),
});

/** A call with the agent's tool that was called, if any. */
type CallOfTool = DetectedCall & { handoffTool: Tool | null };

const Call = builder.objectRef<CallOfTool>('DetectedCall').implement({
  access: 'inherit',
  description: "A tool call in a model's answer. Calls that the provider executes itself are not listed.",
  fields: (t) => ({
    index: t.exposeInt('index', { description: 'Position among the calls of the answer, from 0.' }),
    callId: t.exposeString('callId', {
      nullable: true,
      description: 'Id that the provider gave to the call; null when it has none.',
    }),
    toolName: t.exposeString('toolName', { description: 'Name of the tool as the model wrote it.' }),
    arguments: t.field({
      type: 'JSON',
      nullable: true,
      description:
        'Arguments of the call, an object; null when they are invalid. Names that begin with `_handoff_` are dropped unless `kind` is OTHER.',
      resolve: (call) => call.arguments,
    }),
    kind: t.expose('kind', { type: Kind, description: 'Whether the call is a handoff.' }),
    target: t.field({
      type: modelRef('Agent'),
      nullable: true,
      description: 'The Agent that the call hands off to; null unless `kind` is HANDOFF.',
      resolve: ({ targetAgentId }, _args, context, info) =>
        targetAgentId === null ? null : agentNamed(targetAgentId, context, info),
    }),
    tool: t.field({
      type: HandoffTool,
      nullable: true,
      description:
        "The Agent's own tool that was called; null when only the style of the name is known, such as `transfer_to_x`.",
      resolve: ({ handoffTool }) => handoffTool,
    }),
    problem: t.field({
      type: DetectionProblem,
      nullable: true,
      description:
        'What is wrong with the call; null when nothing is. A HANDOFF with INVALID_ARGUMENTS must be corrected by the model.',
      resolve: ({ problem }) => problem,
    }),
  }),
});

const HandoffDetection = builder
  .objectRef<Omit<Detection, 'calls' | 'chosen'> & { calls: CallOfTool[]; chosen: CallOfTool | null }>(
    'HandoffDetection',
  )
  .implement({
    access: 'inherit',
    description: "The tool calls in a model's answer.",
    fields: (t) => ({
      format: t.expose('format', {
        type: Format,
        nullable: true,
        description: 'Format of the answer; null when it has none of the known formats and `calls` is empty.',
      }),
      calls: t.field({
        type: [Call],
        listSize: partOfRecord,
        description: `All calls, at most ${limits.counts.toolCallsOfTurn}, in their order.`,
        resolve: ({ calls }) => calls,
      }),
      chosen: t.field({
        type: Call,
        nullable: true,
        description: 'The first HANDOFF, else the first UNRESOLVED, else null.',
        resolve: ({ chosen }) => chosen,
      }),
    }),
  });

const detectArgs = z.object({
  agentId: agentId.describe('Id of the Agent whose model gave the answer.'),
  response: json().describe(
    'The answer as the provider gave it, a list of the events of its stream, or the text of either (JSON or SSE). The whole request may have 1 MB, and the answer 32 levels.',
  ),
});

builder.queryField('detectHandoffs', (t) =>
  t.field({
    access: everybody,
    cost: 50,
    type: HandoffDetection,
    nullable: true,
    description: `Finds the handoffs in a model's answer, and executes nothing. A call is a HANDOFF when its name is a handoff tool of the Agent, or has a known style (\`transfer_to_x\`, \`transfer_back_to_x\`, \`handoff_to_x\`, \`transfer_to_agent\`, \`handoff_to_agent\`, \`Delegate work to coworker\`, also behind \`mcp__<server>__\`) and names exactly one Agent when case, '-' and '_' are ignored. Null when the Agent does not exist. FORBIDDEN when an AGENT names another Agent. LIMIT_EXCEEDED for more than ${limits.counts.toolCallsOfTurn} calls.`,
    args: argsOf(detectArgs),
    resolve: async (_root, args, { pool, caller, processorTime }) => {
      const { agentId: id, response } = decodeArgs(detectArgs, args);
      const own = ownAgent(caller);
      if (own !== null && own !== id)
        throw new ForbiddenError(`Your key is bound to agent '${own}': give this agentId, or ask an operator`);
      const found = await detectInResponse(readerOf({ pool }), id, response, (work) => inTurn(processorTime, work));
      if (found === null) return null;
      const { detection, handoffTools } = found;
      const calls = detection.calls.map((call) => ({ ...call, handoffTool: toolOf(call, handoffTools) }));
      return { ...detection, calls, chosen: calls.find(({ index }) => index === detection.chosen?.index) ?? null };
    },
  }),
);

/** A call of the function that stands for many tools is one of the tool of its target. */
function toolOf({ tool, targetAgentId }: DetectedCall, tools: readonly Tool[]): Tool | null {
  if (tool === null) return null;
  const targetId = tool.targetAgentId ?? targetAgentId;
  return (
    tools.find(
      (each) =>
        each.generated === tool.generated && (tool.id === null ? each.targetAgentId === targetId : each.id === tool.id),
    ) ?? null
  );
}
