import { z } from 'zod';
import { containing } from '../../core/containing.ts';
import type { Pool } from 'pg';
import type { Prisma, PrismaClient } from '../../generated/prisma/client.ts';
import { principalsOf } from '../../work/keys/principals.ts';
import { pipelineIds } from '../../work/pipelines/queries.ts';
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
  pipelineSlug,
  someOf,
  text,
  workspaceIdText,
} from '../graphql/input/schemas.ts';

const stageName = text({ characters: 64 });

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
    pipeline: optional(pipelineSlug).describe('Handoffs of the Sessions in any version of this pipeline, by its slug.'),
    stage: optional(stageName).describe('Handoffs whose target works in the stage of this name.'),
    fromStage: optional(stageName).describe('Handoffs by which the source left the stage of this name.'),
    outcome: optional(stageName).describe('Handoffs by which the source left its stage with this outcome.'),
    sentBack: optional(z.boolean()).describe(
      'True: work was sent back, in a pipeline to an earlier stage, otherwise to the Agent that handed it off. False: all others.',
    ),
    reasonContains: optional(text({ characters: 500 })).describe(
      'Handoffs whose reason, or reason of rejection, failure or cancellation, contains this text, ignoring case; at most 500 characters.',
    ),
    actor: optional(text({ characters: 200 })).describe(
      'Handoffs started by this caller: a `principal` of Actor, such as the id of a key, or the id of an Agent for its keys.',
    ),
    waitedAtLeastSeconds: optional(integer(0)).describe(
      'Handoffs that waited at least N seconds for the acceptance, or for the end without one; those that wait: until now.',
    ),
    waitedAtMostSeconds: optional(integer(0)).describe('Handoffs that waited at most N seconds.'),
    lastedAtLeastSeconds: optional(integer(0)).describe(
      'Handoffs that were open for at least N seconds, from start to end; open ones: until now.',
    ),
    lastedAtMostSeconds: optional(integer(0)).describe('Handoffs that were open for at most N seconds.'),
    staleForMinutes: optional(integer(0)).describe('INITIATED Handoffs started at least N minutes ago; 0 or more.'),
    initiatedAfter: optional(instant).describe('Handoffs started after this time.'),
    initiatedBefore: optional(instant).describe('Handoffs started before this time.'),
  }),
);

/** Returns one filter, or two for an agent: as source and as target, which never overlap. */
export async function handoffsWhere(
  { prisma, pool }: { prisma: PrismaClient; pool: Pool },
  { agentId, ...filter }: z.output<typeof handoffFilter>,
  now: Date,
): Promise<Prisma.HandoffWhereInput[]> {
  const all: Prisma.HandoffWhereInput[] = [];
  // PostgreSQL cannot store times far before 1970; no Handoff is that old.
  const ago = (seconds: number): Date => new Date(Math.max(0, now.getTime() - seconds * 1_000));
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
    all.push({ status: 'INITIATED', initiatedAt: { lte: ago(filter.staleForMinutes * 60) } });
  }
  if (filter.pipeline !== null)
    all.push({ session: { pipelineId: { in: await pipelineIds(prisma, { slug: filter.pipeline }) } } });
  if (filter.stage !== null) all.push({ stageEntry: { stage: filter.stage } });
  if (filter.fromStage !== null) all.push({ leftEntry: { stage: filter.fromStage } });
  if (filter.outcome !== null) all.push({ leftEntry: { outcome: filter.outcome } });
  if (filter.sentBack !== null) all.push({ sentBack: filter.sentBack });
  if (filter.reasonContains !== null) {
    const matches = containing(filter.reasonContains);
    all.push({
      OR: [{ reason: matches }, { rejectionReason: matches }, { failureReason: matches }, { cancelReason: matches }],
    });
  }
  if (filter.actor !== null) all.push({ actorPrincipal: { in: await principalsOf(pool, filter.actor) } });
  for (const [column, open, least, most] of [
    ['waitedMs', { status: 'INITIATED' }, filter.waitedAtLeastSeconds, filter.waitedAtMostSeconds],
    ['lastedMs', { closedAt: null }, filter.lastedAtLeastSeconds, filter.lastedAtMostSeconds],
  ] as const) {
    if (least !== null)
      all.push({ OR: [{ [column]: { gte: least * 1_000 } }, { ...open, initiatedAt: { lte: ago(least) } }] });
    if (most !== null)
      all.push({ OR: [{ [column]: { lte: most * 1_000 } }, { ...open, initiatedAt: { gte: ago(most) } }] });
  }
  if (filter.initiatedAfter !== null) all.push({ initiatedAt: { gt: filter.initiatedAfter } });
  if (filter.initiatedBefore !== null) all.push({ initiatedAt: { lt: filter.initiatedBefore } });
  if (agentId === null) return [{ AND: all }];
  return [{ AND: [{ sourceAgentId: agentId }, ...all] }, { AND: [{ targetAgentId: agentId }, ...all] }];
}
