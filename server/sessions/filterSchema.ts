import { z } from 'zod';
import type { Prisma, PrismaClient } from '../generated/prisma/client.ts';
import { SessionStatus } from '../graphql/enums.ts';
import { agentId, agentType, inputObject, instant, optional, someOf, text } from '../graphql/input/schemas.ts';

export const sessionFilter = inputObject(
  'SessionFilter',
  'Which Sessions: those that meet everything that is given.',
  z.object({
    status: optional(someOf(SessionStatus)).describe('In one of these statuses.'),
    agentId: optional(agentId).describe('Held by this Agent, or finished and held by it last.'),
    agentType: optional(agentType).describe('Held by an Agent of this type, such as CLAUDE; of finished ones, held last by an Agent that had this type when they ended.'),
    unassigned: optional(z.boolean()).describe('True: open and held by nobody. False: the others.'),
    hasOpenHandoff: optional(z.boolean()).describe('True: with a Handoff that is INITIATED or ACCEPTED. False: the others.'),
    titleContains: optional(text({ characters: 500 })).describe('With this text somewhere in the title, in upper or lower case; 500 characters at most.'),
    createdAfter: optional(instant).describe('Created later than this.'),
    createdBefore: optional(instant).describe('Created earlier than this.'),
  }),
);

/** One filter, or two for a type: of finished Sessions, which keep the type of their end, and of open ones, which have that of their agent. */
export async function sessionsWhere(prisma: PrismaClient, filter: z.output<typeof sessionFilter>): Promise<Prisma.SessionWhereInput[]> {
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
