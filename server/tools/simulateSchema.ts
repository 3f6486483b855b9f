import { z } from 'zod';
import { everybody } from '../access/roles.ts';
import { readsInstructions } from '../access/rules.ts';
import { previewOf } from '../context/preview.ts';
import { ForbiddenError } from '../core/errors.ts';
import { readableSessions } from '../core/readable.ts';
import { runWork } from '../core/runWork.ts';
import { agentNamed } from '../graphql/agentNamed.ts';
import { builder, modelRef } from '../graphql/builder.ts';
import { badArgument } from '../graphql/input/badArgument.ts';
import {
  agentId,
  agentType,
  decodeArgs,
  idOf,
  json,
  nonBlank,
  optional,
  withDefault,
} from '../graphql/input/schemas.ts';
import { argsOf } from '../graphql/input/types.ts';
import { inTurn } from '../graphql/processorTime.ts';
import { limits } from '../limits/limits.ts';
import { findToolCall } from './findToolCall.ts';
import { readerOf } from './schema.ts';
import { simulate, type Simulation, type Verdict } from './simulate.ts';

const SimulatedVerdict = builder.objectRef<Verdict>('HandoffVerdict').implement({
  access: 'inherit',
  description: 'What one rule says of a simulated change of hands.',
  fields: (t) => ({
    rule: t.exposeString('rule', {
      description:
        'Name of the rule, in the order in which the act asks them: `target`, `who may hand off`, `version`, `open session`, `active only`, `tool`, `arguments`, `already assigned`, `enabled`, `collaborator`, `transition`, `limit`, `loop`, `type`, `role`, `free choice`, `availability`, `capacity`.',
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
      resolve: ({ maxCapacity, currentLoad }) => maxCapacity - currentLoad,
    }),
  }),
});

const HandoffSimulation = builder.objectRef<Simulation>('HandoffSimulation').implement({
  access: 'inherit',
  description: 'What a change of hands would give now.',
  fields: (t) => ({
    wouldSucceed: t.boolean({
      description: 'Whether every rule allows it.',
      resolve: ({ verdicts }) => verdicts.every(({ passed }) => passed === true),
    }),
    queued: t.boolean({
      description:
        'Whether reassignSession with `queue: true` would let the Session wait: no Agent of the type has a free place, and no rule before refuses.',
      resolve: ({ verdicts }) => verdicts.find(({ passed }) => passed === false)?.rule === 'free choice',
    }),
    verdicts: t.field({
      type: [SimulatedVerdict],
      listSize: 18,
      description: 'A verdict of each rule. The act gives the first refusal.',
      resolve: ({ verdicts }) => verdicts,
    }),
    target: t.field({
      type: SimulatedTarget,
      nullable: true,
      description: 'The Agent that would get the Session; null when there is none.',
      resolve: ({ target }) => target,
    }),
    context: t.field({
      type: 'ContextPreview',
      nullable: true,
      description:
        "The text that the Handoff would give the target; null when a refusal leaves nothing to carry. For an AGENT it leaves out the target's instructions.",
      resolve: ({ context, target, title, sourceAgentId, reason }, _args, { caller, processorTime }) => {
        if (context === null || target === null) return null;
        const shown = readsInstructions(caller, target.id) ? context : { ...context, instructions: null };
        return inTurn(processorTime, () =>
          previewOf(shown, { title, sourceAgentId, targetAgentId: target.id }, reason, {
            maxTokens: null,
            maxCharacters: null,
          }),
        );
      },
    }),
    variables: t.field({
      type: ['ContextVariable'],
      listSize: 10,
      nullable: true,
      description:
        'The context variables that the Handoff would carry, ordered by name; null when a refusal leaves nothing to carry.',
      resolve: ({ context }) => context?.contextVariables ?? null,
    }),
  }),
});

const args = z.object({
  sessionId: idOf('session').describe('Id of a Session.'),
  targetAgentId: optional(agentId).describe('The Agent to hand the Session to.'),
  agentType: optional(agentType).describe(
    'Simulates the choice of an Agent of this type; with `targetAgentId`, the Agent must have it. Only with `asOperator`.',
  ),
  toolName: optional(nonBlank({ characters: 200 })).describe(
    'Simulates the call of this handoff tool. Excludes the other two, and `asOperator`.',
  ),
  arguments: optional(json({ bytes: limits.fields.content })).describe(
    'Arguments of the call: an object, or its JSON as a text; at most 256 KB.',
  ),
  asOperator: withDefault(z.boolean(), false).describe(
    'True simulates reassignSession; else initiateHandoff or executeHandoffTool by the holder.',
  ),
});

builder.queryField('simulateHandoff', (t) =>
  t.field({
    access: everybody,
    cost: 400,
    type: HandoffSimulation,
    nullable: true,
    description:
      'Says whether a change of hands would succeed now, by the rules of the act itself, and writes nothing. Null when the Session does not exist or the caller may not read it. FORBIDDEN when an AGENT asks with `asOperator`.',
    args: argsOf(args),
    resolve: async (_root, given, context): Promise<Simulation | null> => {
      const {
        sessionId,
        targetAgentId,
        agentType: type,
        toolName,
        arguments: toolArguments,
        asOperator,
      } = decodeArgs(args, given);
      if (toolName === null && targetAgentId === null && (type === null || !asOperator))
        throw badArgument('targetAgentId and toolName are missing: give one of them, or agentType with asOperator', [
          'targetAgentId',
        ]);
      if (toolName !== null && (targetAgentId !== null || type !== null || asOperator))
        throw badArgument('toolName excludes targetAgentId, agentType and asOperator: leave out one or the others', [
          'toolName',
        ]);
      if (type !== null && !asOperator)
        throw badArgument('agentType is for operators: set asOperator, or leave it out', ['agentType']);
      const { caller, pool, log, prisma } = context;
      if (asOperator && caller.role === 'AGENT')
        throw new ForbiddenError('Only operators reassign sessions: leave out asOperator');
      const session = await prisma.session.findUnique({
        where: { id: sessionId, AND: readableSessions(caller) },
        select: { agentId: true },
      });
      if (session === null) return null;
      const call =
        toolName === null
          ? null
          : await findToolCall(readerOf(context), session.agentId, {
              toolName,
              arguments: toolArguments,
              callId: null,
            });
      const input = { sessionId, targetAgentId, agentType: type, call, asOperator };
      return runWork({ pool, log, caller, mutation: 'simulateHandoff', input: {} }, (work) => simulate(work, input));
    },
  }),
);
