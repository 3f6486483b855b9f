import { queryFromInfo } from '@pothos/plugin-prisma';
import { GraphQLError } from 'graphql';
import { z } from 'zod';
import { statement } from '../../core/changes.ts';
import { historyWentBack } from '../../delivery/live/stream.ts';
import { cursorsOf, markOf, placeOf } from '../../work/events/cursors.ts';
import { everybody } from '../access/roles.ts';
import { builder } from '../graphql/builder.ts';
import { connectionRef } from '../graphql/connection.ts';
import type { GraphQLContext } from '../graphql/context.ts';
import { decodeArgs, idOf, optional } from '../graphql/input/schemas.ts';
import { argsOf } from '../graphql/input/types.ts';
import { cutPage, pageOf, type Order } from '../graphql/page.ts';
import { nodePaths } from '../graphql/plannedReader.ts';
import { limitIn } from '../graphql/sessionLimit.ts';

const order: Order = { name: 'session events', columns: { sessionSequence: 'integer' }, direction: 'asc' };
const needed = { id: true, sessionId: true, sessionSequence: true } as const;

const eventsArgs = z.object({
  sessionId: idOf('session').describe('Id of a Session.'),
  after: optional(z.string()).describe(
    'Returns the Events after this cursor of this stream. Null: from the start. CURSOR_EXPIRED for a cursor of another stream, ahead of this one, or of an Event that the database no longer has since it went back to an earlier moment (`extensions.reason` is HISTORY_WENT_BACK).',
  ),
  first: optional(z.number()).describe('Returns the first N items (0 to 100). Default: 50.'),
});

builder.queryField('sessionEvents', (t) =>
  t.field({
    access: everybody,
    type: connectionRef('Event'),
    nullable: true,
    description:
      'Lists the Events of a Session, oldest first; null when the Session does not exist or the caller may not read it. For an AGENT that got the Session with a Carry they begin with that Handoff.',
    args: argsOf(eventsArgs),
    resolve: async (_root, args, context, info) => {
      const { sessionId, first, after: cursor } = decodeArgs(eventsArgs, args);
      const size = { first };
      const { orderBy, take } = pageOf<object, { sessionSequence: 'asc' }>(size, order);
      const cursors = await cursorsOf(context.pool);
      const place = cursor === null ? null : cursors.decode(cursor);
      const isFromHere = cursor === null || (place?.stream === 'session' && place.of === sessionId);
      const after = place?.number ?? 0;
      const limit = await limitIn(context, sessionId);
      const before = limit === null ? 0 : limit.eventsFrom - 1;
      const found = await context.prisma.session.findUnique({
        where: { id: sessionId },
        select: {
          eventCount: true,
          events: {
            ...queryFromInfo({ context, info, typeName: 'Event', paths: nodePaths, select: needed }),
            where: { sessionSequence: { gt: Math.max(after, before) } },
            orderBy,
            take,
          },
        },
      });
      if (found === null) return null;
      if (!isFromHere) throw expired();
      if (after > found.eventCount || !(await has(context, sessionId, after, place?.mark))) {
        context.streams?.lostCursor();
        throw lost();
      }
      return {
        cursor: (row) => {
          const event = row as (typeof found.events)[number];
          return cursors.encode(placeOf(event), event.id);
        },
        page: () => cutPage(found.events, { ...size, after: cursor }),
        totalCount: () => found.eventCount - before,
      };
    },
  }),
);

const findEvent = statement('SELECT id FROM events WHERE session_id = $1 AND session_sequence = $2');

/** Whether the Event of this mark has the number. */
async function has(
  { pool }: GraphQLContext,
  sessionId: string,
  sessionSequence: number,
  mark: string | undefined,
): Promise<boolean> {
  if (mark === undefined) return true;
  const { rows } = await pool.query<{ id: string }>({ ...findEvent, values: [sessionId, sessionSequence] });
  return rows[0] !== undefined && markOf(rows[0].id) === mark;
}

const expired = (): GraphQLError =>
  new GraphQLError('after is not a valid cursor of this stream: read it from the start', {
    extensions: { code: 'CURSOR_EXPIRED' },
  });

const lost = (): GraphQLError =>
  new GraphQLError(
    'The database went back to an earlier moment and does not have the event of after: read the stream from the start',
    { extensions: { code: 'CURSOR_EXPIRED', ...historyWentBack } },
  );
