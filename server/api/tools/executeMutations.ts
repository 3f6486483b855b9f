import { z } from 'zod';
import {
  AgentAtCapacityError,
  AgentUnavailableError,
  AlreadyAssignedError,
  DomainError,
  HandoffLoopError,
  HandoffsDisabledError,
  IdempotencyMismatchError,
  InvalidStateError,
  InvalidToolArgumentsError,
  MaxHandoffsReachedError,
  NoHandoffFoundError,
  NotACollaboratorError,
  NotFoundError,
  type ToolResult as Result,
  TransitionNotAllowedError,
  UnknownHandoffTargetError,
} from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import type { Work } from '../../core/work.ts';
import {
  AssumedWrongly,
  type Call,
  executeCall,
  type ExecuteAnswer,
  type ExecuteInput,
  resultOfRefusal,
} from '../../work/tools/executeCall.ts';
import { assumedCall, callOf, findToolCall, isGeneratedName } from '../../work/tools/findToolCall.ts';
import { detectInResponse } from '../../work/tools/known.ts';
import { workers } from '../access/roles.ts';
import type { GraphQLContext, Settings } from '../graphql/context.ts';
import { ToolResult } from '../graphql/errors/types.ts';
import { agentId, idOf, json, keyField, nonBlank, optional } from '../graphql/input/schemas.ts';
import { demandMutation, handoffOf, mutation, run, sessionOf, type Fields } from '../graphql/mutation.ts';
import { inTurn } from '../graphql/processorTime.ts';
import { readerOf } from './schema.ts';

interface Answer extends ExecuteAnswer {
  /** As the model gave it. */
  callId: string | null;
  others: Result[];
}

const payload = {
  description: 'The Session was handed off and waits for the target to accept.',
  fields: (t: Fields<Answer>) => ({
    toolResult: t.field({
      type: ToolResult,
      nullable: true,
      description:
        'What to give back to the model for the call. Never null here: nullable, so that one selection serves the payload and the errors.',
      resolve: ({ callId, content }) => ({ callId, content, isError: false }),
    }),
    handoff: handoffOf(t),
    session: sessionOf(t),
    others: t.field({
      type: [ToolResult],
      listSize: 5,
      description:
        'What to give back to the model for its other handoff calls, which did not run; empty when there was one call.',
      resolve: ({ others }) => others,
    }),
  }),
};

const errors = [
  NotFoundError,
  IdempotencyMismatchError,
  UnknownHandoffTargetError,
  InvalidToolArgumentsError,
  InvalidStateError,
  AlreadyAssignedError,
  HandoffsDisabledError,
  NotACollaboratorError,
  TransitionNotAllowedError,
  MaxHandoffsReachedError,
  HandoffLoopError,
  AgentUnavailableError,
  AgentAtCapacityError,
];

const common = {
  sessionId: idOf('session').describe('The Session to hand off.'),
  agentId: optional(agentId).describe(
    "The Agent whose model made the call: it must hold the Session. Null: the caller's Agent, for an operator the holder.",
  ),
};
const repeated = 'The same `callId` of the same Agent in the same Session gives the first answer again.';
const recorded =
  "The call becomes the Handoff's triggering tool call; it is recorded in the log when it is not there. Each error has a `toolResult` for the model.";

mutation('executeHandoffTool', {
  access: workers,
  description: `Executes a model's call of a handoff tool, with the rules of initiateHandoff. ${recorded} ${repeated}`,
  input: z.object({
    ...common,
    toolName: nonBlank({ characters: 200 }).describe(
      'Name of the tool as the model called it, at most 200 characters.',
    ),
    arguments: optional(json({ bytes: limits.fields.content })).describe(
      'Arguments of the call: an object, or its JSON as a text; at most 256 KB. Names that begin with `_handoff_` are dropped.',
    ),
    callId: optional(nonBlank({ characters: 200 })).describe(
      `Id that the provider gave to the call, at most 200 characters. ${repeated}`,
    ),
    ...keyField,
  }),
  payload,
  errors,
  resolve: (input, context) =>
    execute('executeHandoffTool', input, context, async (holder) => ({
      ...(await findTool(input, context, holder)),
      callId: input.callId,
      others: [],
    })),
});

mutation('executeHandoffs', {
  access: workers,
  description: `Finds the handoffs in a model's answer, as \`detectHandoffs\` does, and executes the first one. NO_HANDOFF_FOUND when it has none. ${recorded} ${repeated}`,
  input: z.object({
    ...common,
    response: json().describe(
      'The answer as the provider gave it, a list of the events of its stream, or the text of either (JSON or SSE). The whole request may have 1 MB, and the answer 32 levels.',
    ),
    ...keyField,
  }),
  payload,
  errors: [...errors, NoHandoffFoundError],
  resolve: (input, context) =>
    execute('executeHandoffs', input, context, async (holder) => {
      const holderId = await holder();
      const found =
        holderId === null
          ? null
          : await detectInResponse(readerOf(context), holderId, input.response, (work) =>
              inTurn(context.processorTime, work),
            );
      const detection = found?.detection ?? { format: null, calls: [], chosen: null };
      const { chosen } = detection;
      if (chosen === null)
        return {
          callFor: () => ({
            callId: null,
            detected: null,
            refusal: new NoHandoffFoundError(detection.format !== null),
          }),
          callId: null,
          others: [],
        };
      const others = detection.calls
        .filter((call) => call !== chosen && call.kind !== 'OTHER')
        .map(({ callId }) => ({ callId, content: 'ignored: only the first handoff runs', isError: false }));
      const call = callOf(chosen);
      return { callFor: () => call, callId: chosen.callId, others };
    }),
});

interface FoundCall<Input> {
  /** Gets the input without secrets. Null when the name of the tool was one. */
  callFor: (redacted: Input) => Call | null;
  /** Reads what an assumed call took for granted. */
  find?: () => Promise<Call>;
}

interface Found<Input> extends FoundCall<Input> {
  callId: string | null;
  others: Result[];
}

type ToolInput = Parameters<typeof assumedCall>[0];

export async function findTool(
  input: ToolInput,
  context: GraphQLContext,
  holder: () => Promise<string | null>,
): Promise<FoundCall<ToolInput>> {
  const find = async (): Promise<Call> => findToolCall(readerOf(context), await holder(), input);
  const call = isGeneratedName(input.toolName) ? null : await find();
  return { callFor: (redacted) => call ?? assumedCall(redacted), find };
}

/** Executes a found call. When it was assumed wrongly, it is read and executed again. */
export async function executeFound<Input extends ExecuteInput, A>(
  { callFor, find }: FoundCall<Input>,
  perform: (command: (work: Work, redacted: Input, settings: Settings) => Promise<ExecuteAnswer>) => Promise<A>,
): Promise<A> {
  const executed = (call: FoundCall<Input>['callFor']): Promise<A> =>
    perform(async (work, redacted, settings) => {
      const found = call(redacted);
      if (found === null) throw new AssumedWrongly();
      return executeCall(work, redacted, found, settings);
    });
  try {
    return await executed(callFor);
  } catch (error) {
    if (!(error instanceof AssumedWrongly) || find === undefined) throw error;
    const call = await find();
    return executed(() => call);
  }
}

/** Finds the call with what the holder knows, executes it, and gives each error its answer to the model. */
async function execute<Input extends ExecuteInput & { idempotencyKey?: string | null }>(
  name: string,
  input: Input,
  context: GraphQLContext,
  find: (holder: () => Promise<string | null>) => Promise<Found<Input>>,
): Promise<Answer> {
  demandMutation(context.caller, name);
  const found = await find(
    async () => input.agentId ?? context.caller.agentId ?? (await holderOf(context, input.sessionId)),
  );
  try {
    const answer = await executeFound<Input, ExecuteAnswer>(found, (command) => run(context, name, input, command));
    return { ...answer, callId: found.callId, others: found.others };
  } catch (error) {
    if (error instanceof DomainError) error.toolResult = resultOfRefusal(error, found.callId);
    throw error;
  }
}

/** The Session's holder; null when it has none. Whether the caller may read the Session is asked under its lock. */
async function holderOf({ prisma }: GraphQLContext, sessionId: string): Promise<string | null> {
  return (await prisma.session.findUnique({ where: { id: sessionId }, select: { agentId: true } }))?.agentId ?? null;
}
