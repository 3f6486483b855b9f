import { queryFromInfo } from '@pothos/plugin-prisma';
import type { GraphQLResolveInfo } from 'graphql';
import { batched } from './batch.ts';
import type { GraphQLContext } from './context.ts';

/** Loads an Agent once for all rows that name it. The Agent exists. */
export async function agentNamed(id: string, context: GraphQLContext, info: GraphQLResolveInfo): Promise<{ id: string }> {
  // Called for every row, though only one query is sent: the call also marks what was loaded for the fields below.
  const query = queryFromInfo({ context, info, typeName: 'Agent', select: { id: true } });
  const found = await batched(context, info, id, async (ids) => {
    const agents = await context.prisma.agent.findMany({ ...query, where: { id: { in: [...ids] } } });
    return new Map(agents.map((agent) => [agent.id, agent]));
  });
  return found ?? { id };
}
