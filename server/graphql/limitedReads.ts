import DataLoader from 'dataloader';
import { getNamedType, type GraphQLField, type GraphQLFieldResolver, type GraphQLSchema, isObjectType } from 'graphql';
import { statement } from '../core/changes.ts';
import { ownAgent, partialReaders } from '../core/rights.ts';
import type { GraphQLContext } from './context.ts';
import { readable } from './readableNodes.ts';

/** Records that an agent may not read although it reads their Session (rule: carry). */
const entries = ['Decision', 'Event', 'Handoff', 'Message', 'Task', 'ToolCall', 'Turn'];

type Resolve = GraphQLFieldResolver<unknown, GraphQLContext>;

/**
 * Leaves out of every field the records that the caller may not read: null instead of a record, a shorter list. It asks only
 * for agents with a tenure that began with a Carry. Subscriptions choose their events themselves.
 */
export function limitReads(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type === schema.getSubscriptionType() || type.name.endsWith('Edge')) continue;
    for (const field of Object.values(type.getFields()) as GraphQLField<unknown, GraphQLContext>[]) {
      const name = getNamedType(field.type).name;
      const isEdge = name.endsWith('Edge');
      const typename = isEdge ? name.slice(0, -4) : name;
      if (!entries.includes(typename) || field.resolve === undefined) continue;
      field.resolve = limited(
        field.resolve,
        typename,
        isEdge ? (edge) => (edge as { row: Row }).row : (row) => row as Row,
      );
    }
  }
  return schema;
}

interface Row {
  id: string;
}

function limited(resolve: Resolve, typename: string, rowOf: (found: unknown) => Row): Resolve {
  return (parent, args, context, info) => {
    const found = resolve(parent, args, context, info);
    return found == null || ownAgent(context.caller) === null ? found : readableOf(found, typename, rowOf, context);
  };
}

async function readableOf(
  found: unknown,
  typename: string,
  rowOf: (found: unknown) => Row,
  context: GraphQLContext,
): Promise<unknown> {
  const [result, isAny] = await Promise.all([found, isLimited(context)]);
  if (result == null || result instanceof Error || !isAny) return result;
  const mayRead = (each: unknown): Promise<boolean> => loaderOf(context).load(`${typename} ${rowOf(each).id}`);
  if (!Array.isArray(result)) return (await mayRead(result)) ? result : null;
  const allowed = await Promise.all(result.map(mayRead));
  return result.filter((_, index) => allowed[index]);
}

interface Known {
  isLimited: Promise<boolean>;
  readable: DataLoader<string, boolean>;
  limits: DataLoader<string, SessionLimit | null>;
}
const known = new WeakMap<object, Partial<Known>>();
function ofRequest(context: object): Partial<Known> {
  const found = known.get(context) ?? {};
  known.set(context, found);
  return found;
}

const findLimited = statement(
  'SELECT EXISTS (SELECT FROM agent_sessions WHERE agent_id = $1 AND reads_from IS NOT NULL) AS limited',
);

/** Whether the caller is an agent that may not read all of a Session. */
export function isLimited(context: Pick<GraphQLContext, 'caller' | 'pool'>): Promise<boolean> {
  const agentId = ownAgent(context.caller);
  if (agentId === null) return Promise.resolve(false);
  return (ofRequest(context).isLimited ??= context.pool
    .query<{ limited: boolean }>({ ...findLimited, values: [agentId] })
    .then(({ rows }) => rows[0]!.limited));
}

const loaderOf = (context: GraphQLContext): DataLoader<string, boolean> =>
  (ofRequest(context).readable ??= new DataLoader((keys) =>
    readable(
      keys.map((key) => {
        const [typename, id] = key.split(' ') as [string, string];
        return { typename, id };
      }),
      context,
    ),
  ));

/** What a limited caller reads of a Session: the numbers of its first Message and Event, and the variables that it was given. */
interface SessionLimit {
  from: number;
  eventsFrom: number;
  variables: string[];
}

const findLimits = statement(`
SELECT session_id, reads_from AS "from", reads_events_from AS "eventsFrom",
  ARRAY(SELECT DISTINCT v ->> 'name' FROM handoffs h, jsonb_array_elements(h.context -> 'contextVariables') v WHERE h.session_id = t.session_id AND h.target_agent_id = $1) AS variables
FROM (${partialReaders}) t WHERE agent_id = $1 AND session_id = ANY ($2::uuid[])`);

/** The limit of the caller in a Session that it may read; null when it reads everything. */
export async function limitIn(context: GraphQLContext, sessionId: string): Promise<SessionLimit | null> {
  if (!(await isLimited(context))) return null;
  const { pool, caller } = context;
  const loader = (ofRequest(context).limits ??= new DataLoader(async (ids) => {
    const { rows } = await pool.query<SessionLimit & { session_id: string }>({
      ...findLimits,
      values: [ownAgent(caller), ids],
    });
    return ids.map((id) => rows.find((row) => row.session_id === id) ?? null);
  }));
  return loader.load(sessionId);
}
