import { ownAgent, readable as conditionFor } from '../core/rights.ts';
import type { Prisma } from '../generated/prisma/client.ts';
import type { GraphQLContext } from './context.ts';
import type { NodeType } from './nodeIds.ts';

interface Named {
  typename: string;
  id: string;
}

/** Tables of the records that belong to a Session. */
const belowSession: Partial<Record<string, string>> = {
  AgentSession: 'agent_sessions',
  Handoff: 'handoffs',
  Turn: 'turns',
  Message: 'messages',
  ToolCall: 'tool_calls',
  Decision: 'decisions',
  Task: 'tasks',
  ContextSnapshot: 'context_snapshots',
  Event: 'events',
} satisfies Partial<Record<NodeType, string>>;

/** Whether the caller may read each of these records, in their order. One statement for all; none for callers that read everything. */
export async function readable(
  ids: readonly Named[],
  { caller, pool }: Pick<GraphQLContext, 'caller' | 'pool'>,
): Promise<boolean[]> {
  const agentId = ownAgent(caller);
  const mayRead = ({ typename, id }: Named, found: ReadonlySet<string>): boolean => {
    if (typename === 'Key') return caller.role === 'ADMIN' || caller.role === null || caller.keyId === id;
    if (typename === 'Webhook' || typename === 'Delivery') return caller.role === 'ADMIN' || caller.role === null;
    // Tools are loaded with the reader's rights; everybody reads pipelines.
    return (
      typename === 'Agent' ||
      typename === 'HandoffTool' ||
      typename === 'Pipeline' ||
      agentId === null ||
      found.has(`${typename} ${id}`)
    );
  };
  const found = new Set(agentId === null ? [] : await find(ids, { caller, pool }));
  return ids.map((id) => mayRead(id, found));
}

async function find(
  ids: readonly Named[],
  { caller, pool }: Pick<GraphQLContext, 'caller' | 'pool'>,
): Promise<string[]> {
  const idsOf = new Map<string, string[]>();
  for (const { typename, id } of ids) {
    if (typename === 'Session' || belowSession[typename] !== undefined)
      idsOf.set(typename, [...(idsOf.get(typename) ?? []), id]);
  }
  if (idsOf.size === 0) return [];
  const parts = [...idsOf.keys()].map((typename, index) => {
    const model = typename as NodeType & Prisma.ModelName;
    const is = `SELECT '${typename} ' || t.id AS named FROM`;
    const named = `t.id = ANY ($${index + 1}::uuid[])`;
    if (typename === 'Session') return `${is} sessions t WHERE ${named} AND ${conditionFor(caller, model, 't')}`;
    return `${is} ${belowSession[typename]} t WHERE ${named} AND ${conditionFor(caller, model, 't')}`;
  });
  const values = [...idsOf.values()];
  const { rows } = await pool.query<{ named: string }>(parts.join(' UNION ALL '), values);
  return rows.map(({ named }) => named);
}
