import { z } from 'zod';
import type { Prisma } from '../../generated/prisma/client.ts';
import { everybody } from '../access/roles.ts';
import { builder } from '../graphql/builder.ts';
import { connectionRef, pageArgs, rootPage } from '../graphql/connection.ts';
import { agentId, decodeArgs, inputObject, oneOf, optional, project, whereOf } from '../graphql/input/schemas.ts';
import { argsOf } from '../graphql/input/types.ts';
import { sessionsToList } from '../graphql/lists/readableLists.ts';
import type { Order } from '../graphql/page.ts';
import { ApprovalKind } from './schema.ts';

const filter = inputObject(
  'ApprovalFilter',
  'Filters what waits for a person. Every given condition must match.',
  z.object({
    kind: optional(oneOf(ApprovalKind)).describe('Handoffs, or questions.'),
    agentId: optional(agentId).describe('What this Agent asks.'),
    project: optional(project).describe('Of Sessions of this project.'),
  }),
);
const many = z.object({ where: whereOf(filter).describe('Filter. Null: no filter.') });

const order: Order = { name: 'approval', columns: { deadlineAt: 'time', id: 'uuid' }, direction: 'asc' };

builder.queryField('approvals', (t) =>
  t.field({
    access: everybody,
    type: connectionRef('Approval'),
    description: 'Lists what waits for a person and the caller may read, the oldest deadline first.',
    args: { ...argsOf(many), ...pageArgs },
    resolve: async (_root, args, context, info) => {
      const { kind, agentId: of, project: label } = decodeArgs(many, args).where;
      const where: Prisma.ApprovalWhereInput = {
        decidedAt: null,
        ...(kind !== null && { kind }),
        ...(of !== null && { agentId: of }),
        ...(label !== null && { session: { project: label } }),
      };
      const readable = await sessionsToList(context);
      return rootPage(
        'Approval',
        { args, order, oneOf: [Object.keys(readable).length === 0 ? where : { AND: [where, { session: readable }] }] },
        context,
        info,
      );
    },
  }),
);
