import type { GraphQLResolveInfo } from 'graphql';
import { z } from 'zod';
import { encodeId } from '../../core/ids.ts';
import { readsInstructions } from '../../core/rights.ts';
import type { Caller } from '../../core/work.ts';
import type { Prisma } from '../../generated/prisma/client.ts';
import { buildContext } from '../../work/context/build.ts';
import type { Context, StoredVariables } from '../../work/context/context.ts';
import { itemsOf, wholeContent } from '../../work/context/items.ts';
import { type HandoffFacts, renderMarkdown } from '../../work/context/markdown.ts';
import { pack, smallestBudget } from '../../work/context/pack.ts';
import { moveOf, previewOf } from '../../work/context/preview.ts';
import { readVisibleSources } from '../../work/context/received.ts';
import type { Reader } from '../../work/context/sources.ts';
import { payloadsFor, readStagePayloads, type StageGuide } from '../../work/context/stage.ts';
import { contextColumns, readContext } from '../../work/context/storage.ts';
import { guideOf, type Definition } from '../../work/custody/pipeline.ts';
import { everybody } from '../access/roles.ts';
import { batched } from '../graphql/batch.ts';
import { builder, modelRef } from '../graphql/builder.ts';
import type { GraphQLContext } from '../graphql/context.ts';
import { decodeArgs, idOf, integer, optional, showAs, text } from '../graphql/input/schemas.ts';
import { argsOf } from '../graphql/input/types.ts';
import { keyName } from '../graphql/keyNames.ts';
import { once } from '../graphql/once.ts';
import { inTurn } from '../graphql/processorTime.ts';
import { limitIn } from '../graphql/sessionLimit.ts';
import { ContextItem, ContextPrompt, withContext } from './schema.ts';

const moveColumns = {
  reason: true,
  metadata: true,
  sourceAgentId: true,
  targetAgentId: true,
  session: {
    select: { title: true, pipeline: { select: { slug: true, start: true, stages: true, transitions: true } } },
  },
  stageEntry: { select: { id: true, stage: true } },
  leftEntryId: true,
} as const satisfies Prisma.HandoffSelect;

type Carrying = Prisma.HandoffGetPayload<{ select: typeof contextColumns & { targetAgentId: true } }>;

type InStage = Prisma.HandoffGetPayload<{
  select: { session: (typeof moveColumns)['session']; stageEntry: (typeof moveColumns)['stageEntry'] };
}>;

/** Null outside of pipelines, and when the Session has left it. */
const guideFor = ({ session: { pipeline }, stageEntry }: InStage): StageGuide | null =>
  pipeline === null || stageEntry === null
    ? null
    : guideOf(pipeline as unknown as Definition & { slug: string }, stageEntry.stage);

const readerOf = ({ pool }: GraphQLContext): Reader => ({
  query: async (prepared, values) => (await pool.query<object>({ ...prepared, values })).rows,
});

/** Without the instructions when the caller may not read them. */
const contextFor = (caller: Caller, handoff: Carrying): Context => {
  const context = readContext(handoff);
  return readsInstructions(caller, handoff.targetAgentId) ? context : { ...context, instructions: null };
};

const budget = {
  maxTokens: optional(integer(smallestBudget.maxTokens)).describe(
    `Greatest number of estimated tokens, at least ${smallestBudget.maxTokens}. Null: no limit.`,
  ),
  maxCharacters: optional(integer(smallestBudget.maxCharacters)).describe(
    `Greatest number of characters (UTF-16 units), at least ${smallestBudget.maxCharacters}. Null: no limit.`,
  ),
};
const promptArgs = z.object(budget);
const previewArgs = z.object({ sessionId: idOf('session').describe('Id of a Session.'), ...budget });
const itemArgs = z.object({
  handoffId: idOf('handoff').describe('Id of a Handoff.'),
  itemId: showAs(text({ characters: 100 }), { type: 'ID' }).describe(
    'Id of an item, from `kept` or `dropped` of a `contextPrompt`.',
  ),
});

const nameOfPrincipal = async (principal: string, request: GraphQLContext, info: GraphQLResolveInfo): Promise<string> =>
  (await keyName(principal, request, info)) ?? principal;

type Decided = Pick<Prisma.ApprovalGetPayload<object>, 'decision' | 'decidedAt' | 'decidedPrincipal' | 'note'>;

/** Null when no person decided. */
async function decidedOf(
  { decision, decidedAt: at, decidedPrincipal, note }: Decided,
  request: GraphQLContext,
  info: GraphQLResolveInfo,
): Promise<HandoffFacts['decided']> {
  if (at === null || decidedPrincipal === null || (decision !== 'APPROVED' && decision !== 'DECLINED')) return null;
  const what = decision === 'APPROVED' ? 'Approved' : 'Declined';
  return { what, at, by: await nameOfPrincipal(decidedPrincipal, request, info), note };
}

builder.prismaObjectFields(modelRef('Handoff'), (t) => ({
  contextPrompt: t.field({
    type: ContextPrompt,
    cost: 88,
    description:
      'The Context as a text for the next Agent, within the budget: most important items first, the others counted. Recorded text stands in code fences and is marked as untrusted.',
    args: argsOf(promptArgs),
    select: { ...contextColumns, ...moveColumns },
    resolve: async (handoff, args, request, info) => {
      const within = decodeArgs(promptArgs, args);
      const { sourceAgentId, targetAgentId, session, stageEntry, leftEntryId } = handoff;
      const stored = await withContext(handoff, args, request, info);
      const told = payloadsFor(stageEntry?.id ?? null, leftEntryId);
      const payloads =
        told === null ? [] : await batched(request, info, told, (names) => readStagePayloads(readerOf(request), names));
      return once(request, `contextPrompt ${handoff.id} ${within.maxTokens} ${within.maxCharacters}`, () =>
        inTurn(request.processorTime, () => {
          const context = contextFor(request.caller, stored);
          return pack(
            itemsOf(context, { ...handoff, guide: guideFor(handoff), payloads: payloads ?? [] }),
            moveOf(context, { title: session.title, sourceAgentId, targetAgentId }),
            within,
          );
        }),
      );
    },
  }),
  markdown: t.string({
    cost: 60,
    description: 'The whole record as Markdown, for people.',
    select: {
      ...contextColumns,
      ...moveColumns,
      status: true,
      depth: true,
      initiatedAt: true,
      acceptedAt: true,
      completedAt: true,
      closedAt: true,
      deadlineAt: true,
      rejectionReason: true,
      failureReason: true,
      cancelReason: true,
      actorPrincipal: true,
      approval: { select: { decision: true, decidedAt: true, decidedPrincipal: true, note: true } },
      sourceAgentType: true,
      targetAgentType: true,
    },
    resolve: async (handoff, args, request, info) => {
      const stored = await withContext(handoff, args, request, info);
      const { id, session, rejectionReason, failureReason, cancelReason, actorPrincipal, approval } = handoff;
      const closedBecause = rejectionReason ?? failureReason ?? cancelReason;
      const facts = {
        ...handoff,
        id: encodeId('handoff', id),
        title: session.title,
        closedBecause,
        actor: await nameOfPrincipal(actorPrincipal, request, info),
        decided: approval && (await decidedOf(approval, request, info)),
      };
      return once(request, `markdown ${handoff.id}`, () =>
        inTurn(request.processorTime, () => renderMarkdown(facts, contextFor(request.caller, stored))),
      );
    },
  }),
}));

builder.queryFields((t) => ({
  contextPreview: t.field({
    access: everybody,
    cost: 400,
    type: 'ContextPreview',
    nullable: true,
    description:
      'Returns the text that a Handoff of this Session would give the next Agent now, and writes nothing; null when the Session does not exist or the caller may not read it.',
    args: argsOf(previewArgs),
    resolve: async (_root, args, context) => {
      const { prisma, caller, processorTime } = context;
      const { sessionId, ...within } = decodeArgs(previewArgs, args);
      const reader = readerOf(context);
      const session = await prisma.session.findUnique({
        where: { id: sessionId },
        select: { contextVariables: true, stageEntries: { where: { leftAt: null }, select: { id: true } } },
      });
      const limit = session && (await limitIn(context, sessionId));
      const read =
        session &&
        (await readVisibleSources(reader, sessionId, limit && { agentId: caller.agentId!, from: limit.from }));
      if (session === null || read === null) return null;
      const { sources } = read;
      const variables = read.variablesOf(session.contextVariables as unknown as StoredVariables);
      const { title, sourceAgentId } = sources;
      const told = payloadsFor(session.stageEntries[0]?.id ?? null, null);
      const payloads = told === null ? [] : (await readStagePayloads(reader, [told])).get(told);
      const built = await inTurn(processorTime, () =>
        buildContext(sources, { summary: null, variables, instructions: null }),
      );
      return inTurn(processorTime, () =>
        previewOf(
          built,
          { title, sourceAgentId, targetAgentId: null },
          { reason: null, payloads: payloads ?? [] },
          within,
        ),
      );
    },
  }),
  contextItem: t.field({
    access: everybody,
    cost: 60,
    type: ContextItem,
    nullable: true,
    description:
      "Returns one item of a Handoff's Context whole, as it was recorded; null when the Handoff or the item does not exist, or the caller may not read it.",
    args: argsOf(itemArgs),
    resolve: async (_root, args, context, info) => {
      const { prisma, caller } = context;
      const { handoffId, itemId } = decodeArgs(itemArgs, args);
      const select = { id: true, ...contextColumns, ...moveColumns, sessionId: true };
      const found = await prisma.handoff.findUnique({ where: { id: handoffId }, select });
      if (found === null) return null;
      const handoff = await withContext(found, args, context, info);
      const told = payloadsFor(handoff.stageEntry?.id ?? null, handoff.leftEntryId);
      const payloads = told === null ? [] : (await readStagePayloads(readerOf(context), [told])).get(told);
      const given = { ...handoff, guide: guideFor(handoff), payloads: payloads ?? [] };
      const item = itemsOf(contextFor(caller, handoff), given).find(({ id }) => id === itemId);
      if (item === undefined) return null;
      const { sessionId } = handoff;
      const content = await wholeContent(item, {
        message: async (sequence) =>
          (
            await prisma.message.findUnique({
              where: { sessionId_sequence: { sessionId, sequence } },
              select: { content: true },
            })
          )?.content,
        call: async (id) =>
          (await prisma.toolCall.findFirst({
            where: { id, sessionId },
            select: { name: true, arguments: true, result: true, error: true },
          })) ?? undefined,
      });
      return { ...item, content };
    },
  }),
}));
