import { queryFromInfo } from '@pothos/plugin-prisma';
import { Kind, type GraphQLResolveInfo } from 'graphql';
import { batched } from './batch.ts';
import type { GraphQLContext } from './context.ts';

/** Loads an Agent once for all rows that name it. The Agent exists. */
export function agentNamed(
  id: string,
  context: GraphQLContext,
  info: GraphQLResolveInfo,
): { id: string } | Promise<{ id: string }> {
  // For a graph of 5,000 edges, loading agents for their ids alone took half of the processor time.
  return selectsOnlyId(info) ? { id } : load(id, context, info);
}

const selectsOnlyId = ({ fieldNodes }: GraphQLResolveInfo): boolean =>
  fieldNodes.every(({ selectionSet }) =>
    selectionSet?.selections.every(
      (each) => each.kind === Kind.FIELD && (each.name.value === 'id' || each.name.value === '__typename'),
    ),
  );

async function load(id: string, context: GraphQLContext, info: GraphQLResolveInfo): Promise<{ id: string }> {
  // Called for every row, though only one query is sent: the call also marks what was loaded for the fields below.
  const query = queryFromInfo({ context, info, typeName: 'Agent', select: { id: true } });
  const found = await batched(context, info, id, async (ids) => {
    const agents = await context.prisma.agent.findMany({ ...query, where: { id: { in: [...ids] } } });
    return new Map(agents.map((agent) => [agent.id, agent]));
  });
  return found ?? { id };
}
