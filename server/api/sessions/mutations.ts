import { z } from 'zod';
import {
  AgentAtCapacityError,
  AgentRoleMismatchError,
  AgentTypeMismatchError,
  AgentUnavailableError,
  ConflictError,
  IdempotencyMismatchError,
  InvalidStateError,
  NoAgentAvailableError,
  NotFoundError,
  TenureClaimedError,
} from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { ownAgent } from '../../core/rights.ts';
import {
  cancelSession,
  completeSession,
  failSession,
  pauseSession,
  resumeSession,
} from '../../work/sessions/changeSession.ts';
import { budgetUsed } from '../../work/sessions/budget.ts';
import { claimTenure } from '../../work/sessions/claimTenure.ts';
import {
  createSession,
  defaultMaxHandoffs,
  defaultMaxInPipeline,
  type SessionAnswer,
} from '../../work/sessions/createSession.ts';
import { claimSeconds } from '../../work/sessions/rules.ts';
import { updateSession } from '../../work/sessions/updateSession.ts';
import type { Beginner } from '../../work/learning/choose.ts';
import { suggestBeginners } from '../../work/learning/suggestTargets.ts';
import { operators, workers } from '../access/roles.ts';
import { modelRef } from '../graphql/builder.ts';
import type { GraphQLContext } from '../graphql/context.ts';
import { ApprovalRule, SessionPriority } from '../graphql/enums.ts';
import {
  agentId,
  agentType,
  clearable,
  contextVariables,
  externalId,
  idOf,
  integer,
  KB,
  keyField,
  kept,
  metadata,
  nonBlank,
  oneOf,
  optional,
  pipelineSlug,
  project,
  reason,
  runnerId,
  sessionWorkspace,
  summary,
  title,
  queueNeedsType,
  waitsForType,
  withDefault,
} from '../graphql/input/schemas.ts';
import { demandMutation, mutation, run, sessionOf, type Fields } from '../graphql/mutation.ts';
import { inTurn } from '../graphql/processorTime.ts';

const payload = (description: string) => ({
  description,
  fields: (t: Fields<SessionAnswer>) => ({ session: sessionOf(t) }),
});

const maxHandoffs = integer(0, 10_000);
const mostToChooseFrom = 1_000;
const tokenBudget = integer(1);
const budgetOf = `Number of tokens after which the Session pauses (reason "${budgetUsed}"): input, output and cached tokens of all its Turns, as models reported them.`;

/** An agent cannot enable what the server's setting disables. */
const enabledFor = ({ caller, settings }: GraphQLContext, given: boolean | null): boolean =>
  caller.agentId === null ? (given ?? settings.handoffsEnabled) : settings.handoffsEnabled && given !== false;

/** The agents for a request, best first, by its beginning. It is read before the locks: the command looks for free places again. */
function rankingFor(
  { pool, log, caller, processorTime }: GraphQLContext,
  { request = '', chooseFrom }: { request?: string | undefined; chooseFrom?: readonly string[] | undefined },
): Promise<Beginner[]> {
  demandMutation(caller, 'createSession');
  if (ownAgent(caller) !== null) return Promise.resolve([]);
  const text = request.slice(0, limits.fields.summary);
  return suggestBeginners({ pool, log, caller }, { text, among: chooseFrom ?? null }, (work) =>
    inTurn(processorTime, work),
  );
}

mutation('createSession', {
  access: workers,
  description:
    'Creates a Session. With an Agent (named, or the least loaded of a type) it is RUNNING and that Agent holds it; without, it is PAUSED and unassigned. An AGENT may create only a Session that it holds itself, without `pipeline`, `priority`, `tokenBudget`, `request` and limits of handoffs: anything else is FORBIDDEN.',
  input: z
    .object({
      title: title.describe('Title of the work: 1 to 500 characters.'),
      agentId: optional(agentId).describe('The Agent that gets the Session. Null: none, or one of `agentType`.'),
      agentType: optional(agentType).describe(
        'Assigns the least loaded available Agent of this type. With `agentId`, that Agent must have this type.',
      ),
      pipeline: optional(pipelineSlug).describe(
        'Slug of a pipeline: the Session runs through its newest version. Without `agentId` the start stage gets the least loaded AVAILABLE Agent of its role and type; when none has a free place, the Session waits in the queue. Not with `agentType`.',
      ),
      queue: withDefault(z.boolean(), false).describe(
        'True: when no Agent of `agentType` has a free place, the Session waits for one, PAUSED and unassigned, instead of NO_AGENT_AVAILABLE. Excludes `agentId`.',
      ),
      recording: optional(z.boolean())
        .transform((given) => given ?? undefined)
        .describe(
          'True: the Session records work that `agentId` does already. It needs no free place: the load of the Agent may exceed its capacity. Excludes `pipeline`. Null: false.',
        ),
      metadata: optional(metadata).describe('Any JSON to keep with the record, at most 64 KB.'),
      contextVariables: optional(contextVariables).describe(
        "Names and values that the Session's Agents share: an object of at most 64 KB. Names that begin with `_` are refused.",
      ),
      maxHandoffs: optional(maxHandoffs).describe(
        `Agents may hand off N times before an operator has to step in: 0 to 10,000. In a pipeline only stages that are entered again count. Null: ${defaultMaxHandoffs}; in a pipeline ${defaultMaxInPipeline}.`,
      ),
      handoffsEnabled: optional(z.boolean()).describe(
        "Whether Agents may hand the Session off. Null: the server's default (BATON_HANDOFFS_ENABLED).",
      ),
      tokenBudget: optional(tokenBudget)
        .transform((given) => given ?? undefined)
        .describe(`${budgetOf} Null: any number.`),
      handoffApproval: kept(oneOf(ApprovalRule)).describe(
        'Whether a person has to approve the Handoffs of the Session that Agents start. Null: NONE. FORBIDDEN for an AGENT.',
      ),
      externalId: optional(externalId).describe(
        'Id of the work in another system: 1 to 200 characters. CONFLICT when an open Session has it.',
      ),
      project: optional(project).describe('Label to group Sessions by: 1 to 200 characters.'),
      priority: withDefault(oneOf(SessionPriority), 'NORMAL').describe('Urgency of the work.'),
      // Undefined instead of null: the input hash of a Session without a workspace must stay the same as in older versions.
      workspace: optional(sessionWorkspace)
        .transform((given) => given ?? undefined)
        .describe('Where the work is done; null when unknown.'),
      request: optional(nonBlank({ bytes: limits.fields.content }))
        .transform((given) => given ?? undefined)
        .describe('What is asked for: recorded as the first USER Message, at most 256 KB.'),
      choose: optional(z.boolean())
        .transform((given) => given ?? undefined)
        .describe(
          'True: gives the Session to the Agent that fits the request best, which is needed then, and keeps why (`Session.choice`). It is the best of `suggestTargets` by all factors but PATH_SUCCESS; of equals the one to which the fewest others hand off. Excludes `agentId`, `agentType` and `pipeline`. Null: false.',
        ),
      chooseFrom: optional(z.array(agentId).max(mostToChooseFrom, `has more than ${mostToChooseFrom} ids: name fewer`))
        .transform((given) => given ?? undefined)
        .describe(
          'The Agents to choose from, at most 1,000, such as those that a runner works for; others are left out. Null: all. Only with `choose`.',
        ),
      ...keyField,
    })
    .refine(waitsForType, queueNeedsType)
    .refine(({ pipeline, agentType: type }) => pipeline === null || type === null, {
      path: ['pipeline'],
      message: 'chooses by the type of its start stage: leave out agentType, or the pipeline',
    })
    .refine(({ choose, chooseFrom }) => chooseFrom === undefined || choose === true, {
      path: ['chooseFrom'],
      message: 'says from whom to choose: give choose and a request, or leave it out',
    })
    .refine(
      ({ choose, request, agentId: named, agentType: type, pipeline }) =>
        choose !== true || (request !== undefined && named === null && type === null && pipeline === null),
      {
        path: ['choose'],
        message: 'chooses an agent for a request: give request, and leave out agentId, agentType and pipeline',
      },
    )
    .refine(({ recording, agentId: named, pipeline }) => recording !== true || (named !== null && pipeline === null), {
      path: ['recording'],
      message: 'records the work of one agent outside of pipelines: give agentId, and leave out pipeline',
    }),
  payload: payload('The Session was created.'),
  errors: [
    NotFoundError,
    IdempotencyMismatchError,
    ConflictError,
    InvalidStateError,
    AgentTypeMismatchError,
    AgentRoleMismatchError,
    AgentUnavailableError,
    AgentAtCapacityError,
    NoAgentAvailableError,
  ],
  resolve: async (input, context) => {
    const ranking = input.choose === true ? await rankingFor(context, input) : [];
    const enabled = { ...input, handoffsEnabled: enabledFor(context, input.handoffsEnabled) };
    return run(context, 'createSession', enabled, (work, redacted) => createSession(work, { ...redacted, ranking }));
  },
});

const change = {
  sessionId: idOf('session').describe('The Session to change.'),
  expectedVersion: optional(integer(1)).describe(
    'Fails with CONFLICT unless the Session has this version. Null: any version.',
  ),
};
const errors = [NotFoundError, ConflictError, InvalidStateError];
const repeatable = 'The same caller may repeat the call: it succeeds and changes nothing.';

mutation('updateSession', {
  access: workers,
  description: `Changes the given fields of an open Session. An AGENT may change only the title and the workspace of a Session that it holds; other fields are FORBIDDEN. ${repeatable}`,
  input: z.object({
    ...change,
    title: kept(title).describe('The new title, 1 to 500 characters.'),
    metadata: metadata.optional().describe('Replaces the metadata, at most 64 KB. Null removes it.'),
    contextVariables: kept(contextVariables).describe(
      'Names and values to set: an object of at most 64 KB. Other variables stay; null removes a variable. Names that begin with `_` are refused.',
    ),
    handoffsEnabled: kept(z.boolean()).describe('Whether Agents may hand the Session off.'),
    handoffApproval: kept(oneOf(ApprovalRule)).describe(
      'Whether a person has to approve the Handoffs of the Session that Agents start.',
    ),
    maxHandoffs: kept(maxHandoffs).describe(
      'Agents may hand off N times before an operator has to step in: 0 to 10,000.',
    ),
    tokenBudget: clearable(tokenBudget).describe(`${budgetOf} Null removes the budget.`),
    externalId: clearable(externalId).describe(
      'Id of the work in another system: 1 to 200 characters. Null removes it. CONFLICT when another open Session has it.',
    ),
    project: clearable(project).describe('Label to group Sessions by: 1 to 200 characters. Null removes it.'),
    priority: kept(oneOf(SessionPriority)).describe('Urgency of the work.'),
    workspace: clearable(sessionWorkspace).describe('Where the work is done from now on. Null removes it.'),
  }),
  payload: payload('The Session was changed.'),
  errors,
  command: updateSession,
});

mutation('pauseSession', {
  access: workers,
  description: `Pauses the Session. The holder keeps it and its place. ${repeatable}`,
  input: z.object({
    ...change,
    reason: optional(reason).describe(
      'Reason, for people: at most 4 KB. `Session.pauseReason` has it until the Session is resumed.',
    ),
  }),
  payload: payload('The Session was paused.'),
  errors,
  command: pauseSession,
});

mutation('resumeSession', {
  access: workers,
  description: `Resumes a paused Session that an Agent holds. INVALID_STATE when its token budget is used up: give it a higher one (updateSession). ${repeatable}`,
  input: z.object(change),
  payload: payload('The Session was resumed.'),
  errors,
  command: resumeSession,
});

mutation('completeSession', {
  access: workers,
  description: `Ends the Session as COMPLETED, closes the open Handoff and frees the holder's place. ${repeatable}`,
  input: z.object({
    ...change,
    result: optional(metadata).describe('Result of the work: any JSON of at most 64 KB.'),
    summary: optional(summary).describe('Closing summary, for people: at most 32 KB.'),
  }),
  payload: payload('The Session was completed.'),
  errors,
  command: completeSession,
});

mutation('failSession', {
  access: workers,
  description: `Ends the Session as FAILED, fails an accepted Handoff with it and frees the holder's place. ${repeatable}`,
  input: z.object({
    ...change,
    reason: nonBlank({ bytes: 4 * KB }).describe('Reason, for people: at most 4 KB, not blank.'),
  }),
  payload: payload('The Session failed.'),
  errors,
  command: failSession,
});

mutation('cancelSession', {
  access: operators,
  description: `Ends the Session as CANCELLED, closes the open Handoff and frees the holder's place. ${repeatable}`,
  input: z.object({
    ...change,
    reason: optional(reason).describe('Reason, for people: at most 4 KB.'),
  }),
  payload: payload('The Session was cancelled.'),
  errors,
  command: cancelSession,
});

mutation('claimTenure', {
  access: workers,
  description: `Claims an open AgentSession for one runner, so that only one works in it. The claim lapses ${claimSeconds} seconds after the call; the same runner renews it by calling again. TENURE_CLAIMED while the claim of another runner stands. INVALID_STATE when the tenure has ended. No Event is written.`,
  input: z.object({
    agentSessionId: idOf('agentsession').describe('The AgentSession to work in.'),
    runnerId: runnerId.describe('Id of the runner, chosen by itself: 1 to 200 characters.'),
    release: withDefault(z.boolean(), false).describe(
      'True: releases the claim of the runner. Succeeds also when there is none, and when the tenure has ended.',
    ),
  }),
  payload: {
    description: 'The tenure was claimed, or released.',
    fields: (t) => ({
      agentSession: t.prismaField({
        type: modelRef('AgentSession'),
        description: 'The AgentSession in its current state.',
        resolve: (query, { agentSessionId }, _args, { prisma }) =>
          prisma.agentSession.findUniqueOrThrow({ ...query, where: { id: agentSessionId } }),
      }),
      session: sessionOf(t),
    }),
  },
  errors: [NotFoundError, InvalidStateError, TenureClaimedError],
  command: claimTenure,
});
