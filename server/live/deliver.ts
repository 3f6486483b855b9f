import { newId } from '../core/ids.ts';
import type { Item } from './hub.ts';

const delivered = Symbol('delivered');

/** The item that an Event is delivered as; undefined for one that a query reads. */
export const itemOf = (event: object): Item | undefined => Reflect.get(event, delivered) as Item | undefined;

const blank = { sessionId: null, sessionSequence: null, reason: null, summary: null, metadata: null, actorPrincipal: null, actorRole: null, session: null, handoff: null, agent: null };

/** An item with what is selected of its Session, Handoff and Agent, as they are now: read at once, or not at all when nothing of them was asked for. */
export async function deliver(item: Item, selected: readonly string[], read: (id: string) => Promise<object>): Promise<{ id: string }> {
  const { event, type, at } = item;
  if (event === null) return Object.assign({ ...blank, id: newId(), type, at }, { [delivered]: item });
  const row = selected.every((field) => field in event) ? event : await read(event.id);
  return Object.assign({ ...row, id: event.id }, { [delivered]: item });
}
