import type { Prisma, PrismaClient } from '../generated/prisma/client.ts';
import { newId } from '../core/ids.ts';
import type { Item } from './hub.ts';

const delivered = Symbol('delivered');

/** The item that an Event is delivered as; undefined for one that a query reads. */
export const itemOf = (event: object): Item | undefined => Reflect.get(event, delivered) as Item | undefined;

const blank = { sessionId: null, sessionSequence: null, reason: null, actorPrincipal: null, actorRole: null, session: null, handoff: null, agent: null };

/** An item with what was asked for of its Session, Handoff and Agent, as they are now: one statement, or none when none was asked for. */
export async function deliver(prisma: PrismaClient, item: Item, query: { select?: object }): Promise<{ id: string }> {
  const { event, type, at } = item;
  if (event === null) return Object.assign({ ...blank, id: newId(), type, at }, { [delivered]: item });
  const asked = Object.keys(query.select ?? {});
  const row = asked.every((field) => field in event)
    ? event
    : await prisma.event.findUniqueOrThrow({ ...(query as Prisma.EventDefaultArgs), relationLoadStrategy: 'join', where: { id: event.id } });
  return Object.assign({ ...row }, { [delivered]: item });
}
