import { z } from 'zod';
import type { Prisma } from '../generated/prisma/client.ts';
import { HandoffStatus, HandoffVia } from '../graphql/enums.ts';
import {
  agentId,
  externalId,
  idOf,
  inputObject,
  instant,
  integer,
  optional,
  project,
  someOf,
  workspaceIdText,
} from '../graphql/input/schemas.ts';

export const handoffFilter = inputObject(
  'HandoffFilter',
  'Filters Handoffs. Every given condition must match.',
  z.object({
    sessionId: optional(idOf('session')).describe('Handoffs of this Session.'),
    agentId: optional(agentId).describe('Handoffs from or to this Agent.'),
    sourceAgentId: optional(agentId).describe('Handoffs from this Agent.'),
    targetAgentId: optional(agentId).describe('Handoffs to this Agent.'),
    externalId: optional(externalId).describe('Handoffs of the Sessions with this id in another system.'),
    project: optional(project).describe('Handoffs of the Sessions of this project.'),
    workspaceId: optional(workspaceIdText).describe(
      'Handoffs of the Sessions whose work is done in this folder of this machine: the id of their workspace.',
    ),
    status: optional(someOf(HandoffStatus)).describe('Records with one of these statuses.'),
    via: optional(someOf(HandoffVia)).describe('Handoffs started in one of these ways.'),
    circular: optional(z.boolean()).describe(
      'True: the target had been active in the Session before. False: all others.',
    ),
    staleForMinutes: optional(integer(0)).describe('INITIATED Handoffs started at least N minutes ago; 0 or more.'),
    initiatedAfter: optional(instant).describe('Handoffs started after this time.'),
    initiatedBefore: optional(instant).describe('Handoffs started before this time.'),
  }),
);

/** Returns one filter, or two for an agent: as source and as target, which never overlap. */
export function handoffsWhere(
  { agentId, ...filter }: z.output<typeof handoffFilter>,
  now: Date,
): Prisma.HandoffWhereInput[] {
  const all: Prisma.HandoffWhereInput[] = [];
  if (filter.sessionId !== null) all.push({ sessionId: filter.sessionId });
  if (filter.externalId !== null) all.push({ session: { externalId: filter.externalId } });
  if (filter.project !== null) all.push({ session: { project: filter.project } });
  if (filter.workspaceId !== null) all.push({ session: { workspaceId: filter.workspaceId } });
  if (filter.sourceAgentId !== null) all.push({ sourceAgentId: filter.sourceAgentId });
  if (filter.targetAgentId !== null) all.push({ targetAgentId: filter.targetAgentId });
  if (filter.status !== null) all.push({ status: { in: filter.status } });
  if (filter.via !== null) all.push({ via: { in: filter.via } });
  if (filter.circular !== null) all.push({ circular: filter.circular });
  if (filter.staleForMinutes !== null) {
    // PostgreSQL cannot store times far before 1970; no Handoff is that old.
    all.push({
      status: 'INITIATED',
      initiatedAt: { lte: new Date(Math.max(0, now.getTime() - filter.staleForMinutes * 60_000)) },
    });
  }
  if (filter.initiatedAfter !== null) all.push({ initiatedAt: { gt: filter.initiatedAfter } });
  if (filter.initiatedBefore !== null) all.push({ initiatedAt: { lt: filter.initiatedBefore } });
  if (agentId === null) return [{ AND: all }];
  return [{ AND: [{ sourceAgentId: agentId }, ...all] }, { AND: [{ targetAgentId: agentId }, ...all] }];
}
