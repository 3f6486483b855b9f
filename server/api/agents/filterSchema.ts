import { z } from 'zod';
import type { Prisma, PrismaClient } from '../../generated/prisma/client.ts';
import { agentType, inputObject, KB, oneOf, optional, text, withDefault } from '../graphql/input/schemas.ts';
import { AgentStatus } from './schema.ts';

export const agentFilter = inputObject(
  'AgentFilter',
  'Filters Agents. Every given condition must match.',
  z.object({
    type: optional(agentType).describe('Agents of this type, such as CLAUDE.'),
    role: optional(text({ bytes: KB })).describe('Agents with exactly this role.'),
    status: optional(oneOf(AgentStatus)).describe('Agents with this current status.'),
    hasCapacity: optional(z.boolean()).describe('True: AVAILABLE with a free place. False: all others.'),
    includeArchived: withDefault(z.boolean(), false).describe('Includes archived Agents.'),
  }),
);

export function agentsWhere(prisma: PrismaClient, filter: z.output<typeof agentFilter>): Prisma.AgentWhereInput {
  const { maxCapacity } = prisma.agent.fields;
  const withPlace: Prisma.AgentWhereInput = {
    administrativeStatus: 'AVAILABLE',
    currentLoad: { lt: maxCapacity },
    archivedAt: null,
  };
  const all: Prisma.AgentWhereInput[] = [];
  if (!filter.includeArchived) all.push({ archivedAt: null });
  if (filter.type !== null) all.push({ type: filter.type });
  if (filter.role !== null) all.push({ role: filter.role });
  if (filter.status === 'BUSY') all.push({ administrativeStatus: 'AVAILABLE', currentLoad: { gte: maxCapacity } });
  else if (filter.status === 'AVAILABLE')
    all.push({ administrativeStatus: 'AVAILABLE', currentLoad: { lt: maxCapacity } });
  else if (filter.status !== null) all.push({ administrativeStatus: filter.status });
  if (filter.hasCapacity !== null) all.push(filter.hasCapacity ? withPlace : { NOT: withPlace });
  return { AND: all };
}
