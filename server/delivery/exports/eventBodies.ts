import { execute, parse, type GraphQLSchema } from 'graphql';
import { encodeId } from '../../core/ids.ts';

/** What webhooks and the event log say of an Event: a selection of the API, as a subscription delivers it. */
export const eventDocument = parse(`query EventBodies($ids: [ID!]!) {
  nodes(ids: $ids) {
    ... on Event {
      id type cursor at sessionSequence reason summary metadata traceparent
      actor { principal role }
      agent { id }
      session { id title status version project externalId agent { id } }
      handoff { id status via reason rejectionReason failureReason cancelReason sourceAgent { id } targetAgent { id } deadlineAt }
    }
  }
}`);

/** Events of one statement. */
const batch = 50;

export interface EventBodiesOptions {
  schema: GraphQLSchema;
  /** Reads as a caller that may see everything. */
  createContext: () => object;
  /** The cursor of a position in the one order over all events, and the Event that has it. */
  cursorOf: (position: number, eventId: string) => Promise<string>;
  /** Called for an Event that cannot be read. What it throws ends the reading. */
  failed: (error: unknown, eventId: string) => void;
}

/** Returns the JSON of events, in their order; null for one that cannot be read. Rejects when the database does not answer. */
export function createEventBodies({ schema, createContext, cursorOf, failed }: EventBodiesOptions) {
  const read = async (ids: readonly string[]): Promise<(object | null)[]> => {
    const { data, errors } = await execute({
      schema,
      document: eventDocument,
      variableValues: { ids },
      contextValue: createContext(),
    });
    if (errors?.[0] !== undefined) throw errors[0];
    return (data as unknown as { nodes: (object | null)[] }).nodes;
  };
  const readOne = async (id: string): Promise<object | null> =>
    read([id]).then(
      ([event]) => event ?? null,
      (error: unknown) => {
        failed(error, id);
        return null;
      },
    );
  return async (events: readonly { eventId: string; position: number }[]): Promise<(string | null)[]> => {
    const texts: (string | null)[] = [];
    for (let start = 0; start < events.length; start += batch) {
      const part = events.slice(start, start + batch);
      const ids = part.map(({ eventId }) => encodeId('event', eventId));
      // One that cannot be read must not hold the others up.
      const found = await read(ids).catch(() => Promise.all(ids.map(readOne)));
      for (const [index, event] of found.entries()) {
        const { position, eventId } = part[index]!;
        texts.push(event && JSON.stringify({ ...event, cursor: await cursorOf(position, eventId) }));
      }
    }
    return texts;
  };
}
