import { z } from 'zod';
import { ForbiddenError } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { ownAgent } from '../../core/rights.ts';
import type { Factor, Scored } from '../../work/learning/score.ts';
import { suggestTargets } from '../../work/learning/suggestTargets.ts';
import { everybody } from '../access/roles.ts';
import { agentNamed } from '../graphql/agentNamed.ts';
import { builder, modelRef } from '../graphql/builder.ts';
import { badArgument } from '../graphql/input/badArgument.ts';
import { decodeArgs, idOf, integer, nonBlank, optional, withDefault } from '../graphql/input/schemas.ts';
import { argsOf } from '../graphql/input/types.ts';
import { inTurn } from '../graphql/processorTime.ts';

const FactorName = builder.enumType('TargetFactorName', {
  description: 'A reason for or against a target.',
  values: {
    PATH_SUCCESS: {
      description:
        '(completed + 1) / (completed, rejected, timed out and failed + 2) of the Handoffs from the source to this Agent, or from all Agents without a source: 0.5 when it was not tried. 0, with a weight above 0.9, when none of three or more completed: such an Agent ranks behind Agents that were not tried.',
    },
    SHARED_WORDS: {
      description:
        'Words that the role, description and `when` of the Agent share with the text, else with the pending tasks, else with the title: n / (n + 2). Absent when these have no words.',
    },
    LOAD: { description: 'Share of its places that are free.' },
    COST_TIER: {
      description:
        '`costTier` in its metadata: low (or 1) is 1, medium (2) is 0.5, high (3) is 0; 0.5 when it is missing or another value. Absent for an AGENT, who may not read metadata of others.',
    },
  },
});

const TargetFactor = builder.objectRef<Factor>('TargetFactor').implement({
  access: 'inherit',
  description: 'One part of the score of a suggested target.',
  fields: (t) => ({
    name: t.expose('name', { type: FactorName, description: 'The factor.' }),
    value: t.exposeFloat('value', { description: '0 to 1; 1 is best.' }),
    weight: t.exposeFloat('weight', { description: '0 to 1. The weights of all factors add up to 1.' }),
    explanation: t.exposeString('explanation', { description: 'What the value is made of, for people and models.' }),
  }),
});

const TargetSuggestion = builder.objectRef<Scored>('TargetSuggestion').implement({
  access: 'inherit',
  description: 'An Agent that could get the Session now, with the reasons for its place in the list.',
  fields: (t) => ({
    agent: t.field({
      type: modelRef('Agent'),
      description: 'The Agent.',
      resolve: ({ agentId }, _args, context, info) => agentNamed(agentId, context, info),
    }),
    score: t.exposeFloat('score', { description: 'Sum of value times weight of the factors: 0 to 1.' }),
    factors: t.field({
      type: [TargetFactor],
      listSize: 4,
      description: 'The parts of the score.',
      resolve: ({ factors }) => factors,
    }),
  }),
});

const args = z.object({
  sessionId: optional(idOf('session')).describe(
    'The Session. Without it: suggestions for a new Session, which need `text`.',
  ),
  text: optional(nonBlank({ bytes: limits.fields.summary })).describe(
    'What the work is about: at most 32 KB. Null: the pending tasks of the Session, else its title.',
  ),
  first: withDefault(integer(0, 100), 5).describe('Returns the best N targets (0 to 100).'),
});

builder.queryField('suggestTargets', (t) =>
  t.field({
    access: everybody,
    cost: 20,
    type: [TargetSuggestion],
    nullable: true,
    description:
      'Suggests Agents to give a Session to, best first: only `AVAILABLE` Agents with a free place to which no rule refuses the move now. For an AGENT: targets of initiateHandoff, so none unless it holds the Session as `ACTIVE`; for others: targets of reassignSession. Equal data give equal answers. Of more than 1,000 such Agents it considers those with the lowest load ratio. Null when the Session does not exist or the caller may not read it. FORBIDDEN when an AGENT gives no `sessionId`.',
    args: argsOf(args),
    resolve: async (_root, given, { caller, pool, log, prisma, processorTime }): Promise<Scored[] | null> => {
      const { sessionId, text, first } = decodeArgs(args, given);
      if (sessionId === null && text === null)
        throw badArgument('sessionId and text are missing: give one of them, or both', ['sessionId']);
      if (sessionId === null && ownAgent(caller) !== null)
        throw new ForbiddenError('Only operators choose the agent of a new session: give sessionId');
      if (
        sessionId !== null &&
        (await prisma.session.findUnique({
          where: { id: sessionId },
          select: { id: true },
        })) === null
      )
        return null;
      const found = await suggestTargets({ pool, log, caller }, { sessionId, text }, (work) =>
        inTurn(processorTime, work),
      );
      return found.slice(0, first);
    },
  }),
);
