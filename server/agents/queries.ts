import type { AdministrativeStatus, Prisma, PrismaClient } from '../generated/prisma/client.ts';

interface Places {
  administrativeStatus: AdministrativeStatus;
  currentLoad: number;
  maxCapacity: number;
}
export type ShownStatus = AdministrativeStatus | 'BUSY';

export const freePlaces = ({ currentLoad, maxCapacity }: Places): number => maxCapacity - currentLoad;

/** BUSY is never stored. */
export const shownStatus = (agent: Places): ShownStatus =>
  agent.administrativeStatus === 'AVAILABLE' && freePlaces(agent) <= 0 ? 'BUSY' : agent.administrativeStatus;

export interface AgentFilter {
  type: string | null;
  role: string | null;
  status: ShownStatus | null;
  hasCapacity: boolean | null;
  includeArchived: boolean | null;
}

export function agentsWhere(prisma: PrismaClient, filter: AgentFilter): Prisma.AgentWhereInput {
  const { maxCapacity } = prisma.agent.fields;
  const withPlace: Prisma.AgentWhereInput = { administrativeStatus: 'AVAILABLE', currentLoad: { lt: maxCapacity }, archivedAt: null };
  const all: Prisma.AgentWhereInput[] = [];
  if (filter.includeArchived !== true) all.push({ archivedAt: null });
  if (filter.type !== null) all.push({ type: filter.type });
  if (filter.role !== null) all.push({ role: filter.role });
  if (filter.status === 'BUSY') all.push({ administrativeStatus: 'AVAILABLE', currentLoad: { gte: maxCapacity } });
  else if (filter.status === 'AVAILABLE') all.push({ administrativeStatus: 'AVAILABLE', currentLoad: { lt: maxCapacity } });
  else if (filter.status !== null) all.push({ administrativeStatus: filter.status });
  if (filter.hasCapacity !== null) all.push(filter.hasCapacity ? withPlace : { NOT: withPlace });
  return { AND: all };
}
