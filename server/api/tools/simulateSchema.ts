import { z } from 'zod';
import { ForbiddenError } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { readsInstructions } from '../../core/rights.ts';
import { takeBack } from '../../core/runWork.ts';
import type { Work } from '../../core/work.ts';
import { freePlaces } from '../../work/agents/queries.ts';
import { previewOf } from '../../work/context/preview.ts';
import type { Verdict } from '../../work/custody/dryRun.ts';
import { initiateHandoff } from '../../work/handoffs/initiateHandoff.ts';
import { reassignSession } from '../../work/handoffs/reassignSession.ts';
import { advancePipeline } from '../../work/pipelines/advancePipeline.ts';
import { simulate, type Simulation } from '../../work/tools/simulate.ts';
import type { Demand } from '../../work/handoffs/demanded.ts';
import { everybody } from '../access/roles.ts';
import { agentNamed } from '../graphql/agentNamed.ts';
import { builder, modelRef } from '../graphql/builder.ts';
import type { GraphQLContext } from '../graphql/context.ts';
import { ApprovalDemand, SessionStatus } from '../graphql/enums.ts';
import { badArgument } from '../graphql/input/badArgument.ts';
import { moveFields } from '../graphql/input/moveFields.ts';
import {
  agentMeant,
  agentType,
  decodeArgs,
  idOf,
  integer,
  json,
  names,
  nonBlank,
  optional,
  withDefault,
} from '../graphql/input/schemas.ts';
import { argsOf } from '../graphql/input/types.ts';
import { withoutSecrets } from '../graphql/mutation.ts';
import { inTurn } from '../graphql/processorTime.ts';
import { executeFound, findTool } from './executeMutations.ts';

const SimulatedVerdict = builder.objectRef<Verdict>('HandoffVerdict').implement({
  access: 'inherit',
  description: 'What one rule says of a simulated change of hands.',
  fields: (t) => ({
    rule: t.exposeString('rule', {
      description:
        'Name of the rule, in the order in which the act asks them: `target`, `who may hand off`, `version`, `open session`, `active only`, `proposal`, `tool`, `arguments`, `already assigned`, `enabled`, `collaborator`, `transition`, `payload`, `limit`, `loop`, `type`, `role`, `free choice`, `availability`, `capacity`.',
    }),
    passed: t.exposeBoolean('passed', {
      nullable: true,
      description:
        'Whether the rule allows it, also when the rule does not concern it; null when an earlier refusal makes the rule meaningless.',
    }),
    code: t.exposeString('code', {
      nullable: true,
      description:
        'Code of the error that the act would give: an ErrorCode, or FORBIDDEN. Null unless the rule refuses.',
    }),
    message: t.exposeString('message', {
      nullable: true,
      description: 'Message of that error; null unless the rule refuses.',
    }),
  }),
});

const SimulatedTarget = builder.objectRef<NonNullable<Simulation['target']>>('HandoffSimulationTarget').implement({
  access: 'inherit',
  description: 'The Agent that would get the Session.',
  fields: (t) => ({
    agent: t.field({
      type: modelRef('Agent'),
      description: 'The Agent.',
      resolve: ({ id }, _args, context, info) => agentNamed(id, context, info),
    }),
    freePlaces: t.int({
      description: 'Number of further Sessions that it has room for now.',
      resolve: freePlaces,
    }),
  }),
});

export const HandoffSimulation = builder.objectRef<Simulation>('HandoffSimulation').implement({
  access: 'inherit',
  description: 'What a change of hands would give now.',
  fields: (t) => ({
    wouldSucceed: t.boolean({
      description: 'Whether every rule allows it.',
      resolve: ({ verdicts }) => verdicts.every(({ passed }) => passed === true),
    }),
    queued: t.boolean({
      description:
        'Whether the Session would wait for an Agent; without `queue`, whether it would with `queue: true`: no Agent of the type has a free place, and no rule before refuses.',
      resolve: ({ verdicts, after }) =>
        after?.queued ?? verdicts.find(({ passed }) => passed === false)?.rule === 'free choice',
    }),
    verdicts: t.field({
      type: [SimulatedVerdict],
      listSize: 20,
      description: 'A verdict of each rule. The act gives the first refusal.',
      resolve: ({ verdicts }) => verdicts,
    }),
    approval: t.field({
      type: ApprovalDemand,
      nullable: true,
      description:
        'What demands that a person approves the Handoff when its holder starts it: it would be PROPOSED and move nothing. Null: it would move at once.',
      resolve: ({ demandedBy }) => demandedBy as Demand | null,
    }),
    contentHash: t.string({
      nullable: true,
      description:
        'Hash of what the target would read before changes, with the title of the Session, to send as `expectedContentHash`; null unless an approval is simulated.',
      resolve: ({ contentHash }) => contentHash,
    }),
    target: t.field({
      type: SimulatedTarget,
      nullable: true,
      description: 'The Agent that would get the Session. Null: no Agent would.',
      resolve: ({ target }) => target,
    }),
    status: t.field({
      type: SessionStatus,
      nullable: true,
      description: 'Status that the Session would have; null when a rule refuses.',
      resolve: ({ after }) => after?.status ?? null,
    }),
    stage: t.string({
      nullable: true,
      description:
        'Name of the stage of the pipeline that the Session would be in; null outside of pipelines, at the end of one, and when a rule refuses.',
      resolve: ({ after }) => after?.stage ?? null,
    }),
    outcome: t.string({
      nullable: true,
      description:
        'Outcome by which the source would leave its stage of the pipeline; null when it would leave none, and when a rule refuses.',
      resolve: ({ after }) => after?.outcome ?? null,
    }),
    context: t.field({
      type: 'ContextPreview',
      nullable: true,
      description:
        "The text that the Handoff would give the target, as its `contextPrompt`; null when no Handoff would be made, or a refusal leaves nothing to carry. For an AGENT it leaves out the target's instructions.",
      resolve: ({ carried }, _args, { caller, processorTime }) => {
        if (carried === null) return null;
        const { context, targetAgentId, ...given } = carried;
        const shown =
          targetAgentId === null || readsInstructions(caller, targetAgentId)
            ? context
            : { ...context, instructions: null };
        return inTurn(processorTime, () =>
          previewOf(shown, { ...given, targetAgentId }, given, { maxTokens: null, maxCharacters: null }),
        );
      },
    }),
    variables: t.field({
      type: ['ContextVariable'],
      listSize: 10,
      nullable: true,
      description:
        'The context variables that the Handoff would carry, ordered by name; null when no Handoff would be made, or a refusal leaves nothing to carry.',
      resolve: ({ carried }) => carried?.context.contextVariables ?? null,
    }),
  }),
});

const { idempotencyKey: _, ...given } = moveFields;
const args = z.object({
  sessionId: idOf('session').describe('Id of a Session.'),
  targetAgentId: optional(agentMeant).describe(`The Agent to hand the Session to. ${names}`),
  agentType: optional(agentType).describe(
    'Simulates the choice of an Agent of this type; with `targetAgentId`, the Agent must have it. Only with `asOperator`.',
  ),
  toolName: optional(nonBlank({ characters: 200 })).describe(
    'Simulates the call of this handoff tool. Excludes all others but `arguments`.',
  ),
  arguments: optional(json({ bytes: limits.fields.content })).describe(
    'Arguments of the call: an object, or its JSON as a text; at most 256 KB.',
  ),
  outcome: optional(nonBlank({ characters: 200 })).describe(
    'Simulates advancePipeline with this outcome. Excludes `targetAgentId`, `agentType` and `toolName`.',
  ),
  payload: optional(json({ bytes: limits.fields.json })).describe(
    'Payload of the outcome: any JSON of at most 64 KB. Only with `outcome`.',
  ),
  asOperator: withDefault(z.boolean(), false).describe(
    'True simulates what an operator would do: reassignSession, or advancePipeline with `outcome`. Else initiateHandoff, executeHandoffTool or advancePipeline by the holder.',
  ),
  queue: withDefault(z.boolean(), false).describe(
    'True: the Session may wait, as with initiateHandoff for the target, or as with reassignSession for an Agent of `agentType`.',
  ),
  skipHandoff: withDefault(z.boolean(), false).describe('As with reassignSession. Only with `asOperator`.'),
  leavePipeline: withDefault(z.boolean(), false).describe('As with reassignSession. Only with `asOperator`.'),
  expectedVersion: optional(integer(1)).describe('As with reassignSession. Only with `asOperator`.'),
  ...given,
});
type Asked = z.output<typeof args>;

/** Faults that only several arguments together have. Null: none. */
function faultOfArguments(asked: Asked): { message: string; path: string } | null {
  const { targetAgentId, agentType: type, toolName, outcome, asOperator } = asked;
  const named = [targetAgentId ?? type, toolName, outcome].filter((each) => each !== null);
  if (named.length === 0 || (named.length === 1 && named[0] === type && !asOperator && targetAgentId === null))
    return {
      message: 'targetAgentId, toolName and outcome are missing: give one of them, or agentType with asOperator',
      path: 'targetAgentId',
    };
  if (named.length > 1 || (asOperator && toolName !== null))
    return toolName === null
      ? {
          message: 'outcome excludes targetAgentId and agentType: leave out one or the others',
          path: 'outcome',
        }
      : {
          message: 'toolName excludes targetAgentId, agentType, outcome and asOperator: leave out one or the others',
          path: 'toolName',
        };
  const ofOperators = (['agentType', 'skipHandoff', 'leavePipeline', 'expectedVersion'] as const).find(
    (name) => asked[name] !== null && asked[name] !== false,
  );
  if (ofOperators !== undefined && outcome !== null)
    return { message: `${ofOperators} does not go with an outcome: leave out one of them`, path: ofOperators };
  if (ofOperators !== undefined && !asOperator)
    return { message: `${ofOperators} is for operators: set asOperator, or leave it out`, path: ofOperators };
  if (asked.payload !== null && outcome === null)
    return { message: 'payload is given without an outcome: give both, or leave it out', path: 'payload' };
  if (asked.queue && !asOperator && targetAgentId === null)
    return { message: 'queue goes with targetAgentId, or with agentType and asOperator: leave it out', path: 'queue' };
  if (asked.queue && asOperator && (targetAgentId !== null || type === null))
    return {
      message: 'queue waits for any agent of a type: give agentType and leave out targetAgentId',
      path: 'queue',
    };
  const inArguments = (['reason', 'summary', 'contextVariables', 'metadata'] as const).find(
    (name) => asked[name] !== null,
  );
  if (inArguments !== undefined && toolName !== null)
    return { message: `${inArguments} belongs to the arguments of the tool: put it there`, path: inArguments };
  return null;
}

/** The act that is asked for, with its input. */
async function actOf(
  asked: Asked,
  { outcome, targetAgentId, asOperator, ...input }: Asked,
  context: GraphQLContext,
): Promise<(simulated: (act: Act) => Promise<Simulation>) => Promise<Simulation>> {
  const { settings, caller, prisma } = context;
  const { toolName, sessionId } = asked;
  if (toolName !== null) {
    const call = { toolName, arguments: asked.arguments, callId: null };
    const redacted = { ...call, sessionId, agentId: null, toolName: input.toolName!, arguments: input.arguments };
    const found = await findTool(
      call,
      context,
      async () =>
        caller.agentId ??
        (await prisma.session.findUnique({ where: { id: sessionId }, select: { agentId: true } }))?.agentId ??
        null,
    );
    return (simulated) =>
      executeFound<typeof redacted, Simulation>(found, (command) =>
        simulated((work) => command(work, redacted, settings)),
      );
  }
  if (outcome !== null)
    return (simulated) => simulated((work) => advancePipeline(work, { ...input, outcome }, settings, !asOperator));
  if (asOperator)
    return (simulated) => simulated((work) => reassignSession(work, { ...input, agentId: targetAgentId }, settings));
  const move = { ...input, targetAgentId: targetAgentId!, priorTurnId: null, triggeringToolCallIds: null };
  return (simulated) => simulated((work) => initiateHandoff(work, move, settings));
}
type Act = Parameters<typeof simulate>[1];

builder.queryField('simulateHandoff', (t) =>
  t.field({
    access: everybody,
    cost: 400,
    type: HandoffSimulation,
    nullable: true,
    description:
      'Says what a change of hands would give now: runs the act itself and takes it back, so that nothing is written. Null when the Session does not exist or the caller may not read it. FORBIDDEN when an AGENT asks with `asOperator`.',
    args: argsOf(args),
    resolve: async (_root, values, context): Promise<Simulation | null> => {
      const asked = decodeArgs(args, values);
      const fault = faultOfArguments(asked);
      if (fault !== null) throw badArgument(fault.message, [fault.path]);
      const { caller, pool, log, prisma } = context;
      if (asked.asOperator && caller.role === 'AGENT')
        throw new ForbiddenError('Only operators reassign sessions: leave out asOperator');
      const found = await prisma.session.findUnique({ where: { id: asked.sessionId }, select: { id: true } });
      if (found === null) return null;
      // The act stores no secret either.
      const redacted = await withoutSecrets(asked);
      const act = await actOf(asked, redacted, context);
      return act((one) =>
        takeBack({ pool, log, caller, mutation: 'simulateHandoff', input: {} }, (work: Work) => simulate(work, one)),
      );
    },
  }),
);
