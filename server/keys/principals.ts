import { encodeId } from '../core/ids.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';

/** The principals that a filter by actor means: the given one, and those of the keys of the Agent with this id. */
export async function principalsOf(prisma: PrismaClient, actor: string): Promise<string[]> {
  const keys = await prisma.key.findMany({ where: { agentId: actor }, select: { id: true } });
  return [actor, ...keys.map(({ id }) => encodeId('key', id))];
}

/** The Agents that keys are bound to, by the ids of the keys. */
export async function agentsOfKeys(prisma: PrismaClient, ids: readonly string[]): Promise<Map<string, string>> {
  const keys = await prisma.key.findMany({
    where: { id: { in: [...ids] }, agentId: { not: null } },
    select: { id: true, agentId: true },
  });
  return new Map(keys.map(({ id, agentId }) => [id, agentId!]));
}
