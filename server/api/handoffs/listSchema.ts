import { z } from 'zod';
import { everybody } from '../access/roles.ts';
import { builder, modelRef } from '../graphql/builder.ts';
import { connectionRef, pageArgs, rootPage } from '../graphql/connection.ts';
import { decodeArgs, idOf, whereOf } from '../graphql/input/schemas.ts';
import { argsOf } from '../graphql/input/types.ts';
import { orderBy } from '../graphql/lists/orderBy.ts';
import { handoffsToList } from '../graphql/lists/readableLists.ts';
import { handoffFilter, handoffsWhere } from './filterSchema.ts';

const order = orderBy(
  'Handoff',
  {
    INITIATED_AT: {
      description: 'Time at which the Handoff was started.',
      columns: { initiatedAt: 'time', id: 'uuid' },
    },
  },
  'INITIATED_AT',
);

const one = z.object({ id: idOf('handoff').describe('Id of a Handoff.') });
const many = z.object({
  where: whereOf(handoffFilter).describe('Filter. Null: no filter.'),
  orderBy: order.describe('Order of the list. Null: newest first.'),
});

builder.queryFields((t) => ({
  handoff: t.prismaField({
    access: everybody,
    type: modelRef('Handoff'),
    nullable: true,
    description:
      'Returns the Handoff with this id; null when it does not exist or the caller may not read it. An AGENT reads the Handoffs of its Sessions.',
    args: argsOf(one),
    resolve: (query, _root, args, { prisma }) => prisma.handoff.findUnique({ ...query, where: decodeArgs(one, args) }),
  }),
  handoffs: t.field({
    access: everybody,
    type: connectionRef('Handoff'),
    description: 'Lists the Handoffs that the caller may read, newest first by default.',
    args: { ...argsOf(many), ...pageArgs },
    resolve: async (_root, args, context, info) => {
      const { where, orderBy } = decodeArgs(many, args);
      const [readable, given] = await Promise.all([handoffsToList(context), handoffsWhere(context, where, new Date())]);
      return rootPage(
        'Handoff',
        {
          args,
          order: orderBy,
          oneOf: given.map((one) => ({ AND: [one, readable] })),
        },
        context,
        info,
      );
    },
  }),
}));
