import { z } from 'zod';
import type { Prisma } from '../../generated/prisma/client.ts';
import { principalsOf } from '../../work/keys/principals.ts';
import { people } from '../access/roles.ts';
import { builder } from '../graphql/builder.ts';
import { connectionRef, pageArgs, rootPage } from '../graphql/connection.ts';
import { storedEventType } from '../graphql/input/eventType.ts';
import {
  agentId,
  decodeArgs,
  idOf,
  inputObject,
  instant,
  listOf,
  optional,
  project,
  text,
  whereOf,
} from '../graphql/input/schemas.ts';
import { argsOf } from '../graphql/input/types.ts';
import { orderBy } from '../graphql/lists/orderBy.ts';

const order = orderBy(
  'Event',
  { AT: { description: 'Time of the change.', columns: { at: 'time', id: 'uuid' } } },
  'AT',
);

const eventFilter = inputObject(
  'EventFilter',
  'Filters Events. Every given condition must match.',
  z.object({
    type: optional(listOf(storedEventType, { what: 'types', limit: 100, advice: 'name each once' })).describe(
      'Events of one of these types.',
    ),
    sessionId: optional(idOf('session')).describe('Events of this Session.'),
    agentId: optional(agentId).describe('Events whose `agent` is this one, and those in its inbox.'),
    actor: optional(text({ characters: 200 })).describe(
      'Events caused by this caller: a `principal` of Actor, such as the id of a key, or the id of an Agent for its keys.',
    ),
    project: optional(project).describe('Events of the Sessions of this project.'),
    after: optional(instant).describe('Events after this time.'),
    before: optional(instant).describe('Events before this time.'),
  }),
);
const many = z.object({
  where: whereOf(eventFilter).describe('Filter. Null: no filter.'),
  orderBy: order.describe('Order of the list. Null: newest first.'),
});

builder.queryField('events', (t) =>
  t.field({
    access: people,
    type: connectionRef('Event'),
    description:
      'Lists the Events of all Sessions, Agents and webhooks, newest first by default. FORBIDDEN to an AGENT: sessionEvents lists those of its Sessions.',
    args: { ...argsOf(many), ...pageArgs },
    resolve: async (_root, args, context, info) => {
      const { where, orderBy } = decodeArgs(many, args);
      const all: Prisma.EventWhereInput[] = [];
      if (where.type !== null) all.push({ type: { in: where.type } });
      if (where.sessionId !== null) all.push({ sessionId: where.sessionId });
      if (where.actor !== null) all.push({ actorPrincipal: { in: await principalsOf(context.pool, where.actor) } });
      if (where.project !== null) all.push({ session: { project: where.project } });
      if (where.after !== null) all.push({ at: { gt: where.after } });
      if (where.before !== null) all.push({ at: { lt: where.before } });
      const { agentId: id } = where;
      const either: Prisma.EventWhereInput[] =
        id === null
          ? [{}]
          : [
              { agentId: id },
              { inboxes: { some: { agentId: id } }, OR: [{ agentId: null }, { agentId: { not: id } }] },
            ];
      return rootPage(
        'Event',
        { args, order: orderBy, oneOf: either.map((one) => ({ AND: [one, ...all] })) },
        context,
        info,
      );
    },
  }),
);
