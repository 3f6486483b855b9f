import { z } from 'zod';
import type { Prisma, PrismaClient } from '../generated/prisma/client.ts';
import { agentType, inputObject, KB, oneOf, optional, text, withDefault } from '../graphql/input/schemas.ts';
import { AgentStatus } from './schema.ts';

export const agentFilter = inputObject(
  'AgentFilter',
  'Which Agents: those that meet everything that is given.',
  z.object({
    type: optional(agentType).describe('Of this type, such as CLAUDE.'),
    role: optional(text({ bytes: KB })).describe('With exactly this role.'),
    status: optional(oneOf(AgentStatus)).describe('Shown with this status.'),
    hasCapacity: optional(z.boolean()).describe('True: AVAILABLE and with a free place. False: the others.'),
    includeArchived: withDefault(z.boolean(), false).describe('Archived ones too.'),
  }),
);

export function agentsWhere(prisma: PrismaClient, filter: z.output<typeof agentFilter>): Prisma.AgentWhereInput {
  const { maxCapacity } = prisma.agent.fields;
  const withPlace: Prisma.AgentWhereInput = { administrativeStatus: 'AVAILABLE', currentLoad: { lt: maxCapacity }, archivedAt: null };
  const all: Prisma.AgentWhereInput[] = [];
  if (!filter.includeArchived) all.push({ archivedAt: null });
  if (filter.type !== null) all.push({ type: filter.type });
  if (filter.role !== null) all.push({ role: filter.role });
  if (filter.status === 'BUSY') all.push({ administrativeStatus: 'AVAILABLE', currentLoad: { gte: maxCapacity } });
  else if (filter.status === 'AVAILABLE') all.push({ administrativeStatus: 'AVAILABLE', currentLoad: { lt: maxCapacity } });
  else if (filter.status !== null) all.push({ administrativeStatus: filter.status });
  if (filter.hasCapacity !== null) all.push(filter.hasCapacity ? withPlace : { NOT: withPlace });
  return { AND: all };
}
