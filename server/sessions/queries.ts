import type { AgentSessionState, Prisma, PrismaClient, SessionStatus } from '../generated/prisma/client.ts';

export const isOpenTenure = ({ state }: { state: AgentSessionState }): boolean =>
  state === 'PENDING' || state === 'ACTIVE' || state === 'PAUSED';

export interface SessionFilter {
  status: SessionStatus[] | null;
  agentId: string | null;
  agentType: string | null;
  unassigned: boolean | null;
  hasOpenHandoff: boolean | null;
  titleContains: string | null;
  createdAfter: Date | null;
  createdBefore: Date | null;
}

/** One filter, or two for a type: of finished Sessions, which keep the type of their end, and of open ones, which have that of their agent. */
export async function sessionsWhere(prisma: PrismaClient, filter: SessionFilter): Promise<Prisma.SessionWhereInput[]> {
  const all: Prisma.SessionWhereInput[] = [];
  const unassigned: Prisma.SessionWhereInput = { agentId: null, status: { in: ['RUNNING', 'PAUSED'] } };
  const open: Prisma.SessionWhereInput = { lastHandoff: { status: { in: ['INITIATED', 'ACCEPTED'] } } };
  if (filter.status !== null) all.push({ status: { in: filter.status } });
  if (filter.agentId !== null) all.push({ agentId: filter.agentId });
  if (filter.unassigned !== null) all.push(filter.unassigned ? unassigned : { NOT: unassigned });
  if (filter.hasOpenHandoff !== null) all.push(filter.hasOpenHandoff ? open : { NOT: open });
  if (filter.titleContains !== null) all.push({ title: { contains: literally(filter.titleContains), mode: 'insensitive' } });
  if (filter.createdAfter !== null) all.push({ createdAt: { gt: filter.createdAfter } });
  if (filter.createdBefore !== null) all.push({ createdAt: { lt: filter.createdBefore } });
  if (filter.agentType === null) return [{ AND: all }];
  // By name, so that PostgreSQL knows how many Sessions they hold: of a rare type a join reads past all others'.
  const agents = await prisma.agent.findMany({ where: { type: filter.agentType }, select: { id: true } });
  const held: Prisma.SessionWhereInput = { status: { in: ['RUNNING', 'PAUSED'] }, agentId: { in: agents.map(({ id }) => id) } };
  return [{ AND: [{ endedAgentType: filter.agentType }, ...all] }, { AND: [held, ...all] }];
}

/** Prisma leaves LIKE's wildcards in what it is given. */
const literally = (text: string): string => text.replace(/[\\%_]/g, '\\$&');
