import { z } from 'zod';
import { agingMs } from '../../work/queue/rules.ts';
import {
  type Attention,
  attentionSql,
  attentionText,
  countAttention,
  failingAfterMinutes,
  pageOfAttention,
} from '../../work/sessions/attention.ts';
import { silentAfterMinutes } from '../../work/sessions/situation.ts';
import { everybody } from '../access/roles.ts';
import { agentNamed } from '../graphql/agentNamed.ts';
import { builder, modelRef } from '../graphql/builder.ts';
import { type Connection, connectionOf, pageArgs } from '../graphql/connection.ts';
import { agentId, decodeArgs, inputObject, optional, project, someOf, whereOf } from '../graphql/input/schemas.ts';
import { argsOf } from '../graphql/input/types.ts';
import { sessionsToList } from '../graphql/lists/readableLists.ts';
import { cutPage, encodeCursor, type Order, type PageOfRows, sqlPage } from '../graphql/page.ts';
import { writtenWhere } from '../graphql/writtenWhere.ts';

const AttentionKind = builder.enumType('AttentionKind', {
  description: 'Kinds of what needs a person.',
  values: {
    NOT_ACCEPTED: { description: 'A Handoff is INITIATED, and more than half of the time to accept it is over.' },
    WITHOUT_HOLDER: { description: 'No Agent holds the Session and none will get it: `Session.stuckBecause`.' },
    LIMIT_REACHED: { description: 'Its Agents have handed off the Session as often as they may.' },
    HANDOFF_LOOP: {
      description: 'A limit refused the last Handoff of the holder, and the Session has no Event since.',
    },
    WAITING_FOR_PERSON: { description: 'A Handoff waits for approval, or a question for an answer.' },
    HOLDER_AWAY: { description: 'The holder is OFFLINE or archived.' },
    SILENT: { description: `An Agent holds the Session, and nothing happened for ${silentAfterMinutes} minutes.` },
    QUEUE: {
      description: `Sessions wait in the queue for a type and role: for ${agingMs / 60_000} minutes, or while no such Agent is AVAILABLE. The Session is the one that waits longest.`,
    },
    WEBHOOK: {
      description: `A webhook was disabled because it failed, or a delivery to it has failed for ${failingAfterMinutes} minutes. For an ADMIN.`,
    },
  },
});

const AttentionItem = builder.objectRef<Attention>('AttentionItem').implement({
  access: 'inherit',
  description: 'Something that needs a person.',
  fields: (t) => ({
    kind: t.field({ type: AttentionKind, description: 'Kind of the item.', resolve: ({ kind }) => kind }),
    since: t.expose('since', {
      type: 'DateTime',
      description:
        'Time since which it lasts: of the start of the Handoff, of the question or proposal, of the queueing, of the first failed delivery; otherwise of the last activity of the Session.',
    }),
    text: t.string({ description: 'What is wrong and what to do, in one sentence.', resolve: attentionText }),
    session: t.prismaField({
      type: modelRef('Session'),
      nullable: true,
      description: 'The Session; null for WEBHOOK.',
      resolve: (query, { sessionId }, _args, { prisma }) =>
        sessionId === null ? null : prisma.session.findUnique({ ...query, where: { id: sessionId } }),
    }),
    agent: t.field({
      type: modelRef('Agent'),
      nullable: true,
      description: 'The Agent that holds the Session, or held it last; null when none did, and for QUEUE and WEBHOOK.',
      resolve: ({ agentId: id }, _args, context, info) => (id === null ? null : agentNamed(id, context, info)),
    }),
    handoff: t.prismaField({
      type: modelRef('Handoff'),
      nullable: true,
      description:
        'The Handoff that waits, or else the last one of the Session; null when there is none, or the caller may not read it, and for a question and QUEUE.',
      resolve: (query, { handoffId }, _args, { prisma }) =>
        handoffId === null ? null : prisma.handoff.findUnique({ ...query, where: { id: handoffId } }),
    }),
    webhook: t.prismaField({
      type: modelRef('Webhook'),
      nullable: true,
      description: 'The webhook; null for other kinds.',
      resolve: (query, { webhookId }, _args, { prisma }) =>
        webhookId === null ? null : prisma.webhook.findUnique({ ...query, where: { id: webhookId } }),
    }),
  }),
});

const filter = inputObject(
  'AttentionFilter',
  'Filters what needs a person. Every given condition must match.',
  z.object({
    kinds: optional(someOf(AttentionKind)).describe('Items of one of these kinds.'),
    agentId: optional(agentId).describe('Items of Sessions that this Agent holds, or held last.'),
    project: optional(project).describe('Items of Sessions of this project.'),
  }),
);
const many = z.object({ where: whereOf(filter).describe('Filter. Null: no filter.') });

const order: Order = { name: 'attention', columns: { since: 'time', id: 'uuid' }, direction: 'asc' };

builder.queryField('attention', (t) =>
  t.field({
    access: everybody,
    type: connectionOf('AttentionItem', AttentionItem),
    cost: 10,
    description:
      'Lists what needs a person and the caller may read, oldest first: what is stuck, why, and what to do. A Session is in it at most once.',
    args: { ...argsOf(many), ...pageArgs },
    resolve: async (_root, args, context): Promise<Connection> => {
      const { where } = decodeArgs(many, args);
      sqlPage(args, order, 0);
      const { pool, caller } = context;
      const written = writtenWhere(context);
      const list = await attentionSql(pool, caller, where, await sessionsToList(context), (condition) =>
        written.where('Session', 's', condition),
      );
      const { values } = written;
      let found: Promise<PageOfRows<Attention>> | undefined;
      const find = async (): Promise<PageOfRows<Attention>> =>
        cutPage(await pageOfAttention(pool, list, values, sqlPage(args, order, values.length)), args);
      return {
        cursor: (row) => encodeCursor(order, row),
        page: () => (found ??= find()),
        totalCount: () => countAttention(pool, list, values),
      };
    },
  }),
);
