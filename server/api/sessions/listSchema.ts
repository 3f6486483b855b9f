import { z } from 'zod';
import { everybody } from '../access/roles.ts';
import { builder, modelRef } from '../graphql/builder.ts';
import { connectionRef, pageArgs, rootPage } from '../graphql/connection.ts';
import { decodeArgs, externalId, idOf, optional, whereOf } from '../graphql/input/schemas.ts';
import { argsOf } from '../graphql/input/types.ts';
import { orderBy } from '../graphql/lists/orderBy.ts';
import { sessionsToList } from '../graphql/lists/readableLists.ts';
import { sessionFilter, sessionsWhere } from './filterSchema.ts';

const order = orderBy(
  'Session',
  {
    CREATED_AT: { description: 'Time of creation.', columns: { createdAt: 'time', id: 'uuid' } },
    UPDATED_AT: {
      description: 'Time of the last change of status, holder, Handoff or log.',
      columns: { updatedAt: 'time', id: 'uuid' },
    },
    LAST_ACTIVITY: {
      description: 'Time of the last Event other than SESSION_CHANGED and HANDOFF_REMINDED.',
      columns: { lastActivityAt: 'time', id: 'uuid' },
    },
  },
  'CREATED_AT',
);

const one = z
  .object({
    id: optional(idOf('session')).describe('Id of a Session. Excludes `externalId`.'),
    externalId: optional(externalId).describe(
      'Id of the work in another system. Returns its newest Session that the caller may read, open or finished.',
    ),
  })
  .refine(({ id, externalId }) => (id === null) !== (externalId === null), {
    message: 'needs id or externalId: give one of them',
    path: ['id'],
  });
const many = z.object({
  where: whereOf(sessionFilter).describe('Filter. Null: no filter.'),
  orderBy: order.describe('Order of the list. Null: newest first.'),
});

builder.queryFields((t) => ({
  session: t.prismaField({
    access: everybody,
    type: modelRef('Session'),
    nullable: true,
    description:
      'Returns the Session with this id or external id; null when it does not exist or the caller may not read it. An AGENT reads the Sessions in which it has or had an AgentSession.',
    args: argsOf(one),
    resolve: (query, _root, args, { prisma }) => {
      const { id, externalId } = decodeArgs(one, args);
      if (id !== null) return prisma.session.findUnique({ ...query, where: { id } });
      return prisma.session.findFirst({
        ...query,
        where: { externalId },
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      });
    },
  }),
  sessions: t.field({
    access: everybody,
    type: connectionRef('Session'),
    description: 'Lists the Sessions that the caller may read, newest first by default.',
    args: { ...argsOf(many), ...pageArgs },
    resolve: async (_root, args, context, info) => {
      const { where, orderBy } = decodeArgs(many, args);
      const [filters, readable] = await Promise.all([sessionsWhere(context, where), sessionsToList(context)]);
      return rootPage(
        'Session',
        { args, order: orderBy, oneOf: filters.map((one) => ({ AND: [one, readable] })) },
        context,
        info,
      );
    },
  }),
}));
