import type { Pool } from 'pg';
import { z } from 'zod';
import { containing } from '../../core/containing.ts';
import type { Prisma, PrismaClient } from '../../generated/prisma/client.ts';
import { pipelineIds } from '../../work/pipelines/queries.ts';
import { inSituations } from '../../work/sessions/situation.ts';
import { stuckReasons, stuckSessions } from '../../work/sessions/stuck.ts';
import { SessionPriority, SessionStatus, StuckReason } from '../graphql/enums.ts';
import {
  agentId,
  agentType,
  externalId,
  inputObject,
  instant,
  integer,
  optional,
  pipelineSlug,
  project,
  someOf,
  text,
  workspaceIdText,
} from '../graphql/input/schemas.ts';
import { SessionSituation } from './situationSchema.ts';

export const sessionFilter = inputObject(
  'SessionFilter',
  'Filters Sessions. Every given condition must match.',
  z.object({
    status: optional(someOf(SessionStatus)).describe('Records with one of these statuses.'),
    situation: optional(someOf(SessionSituation)).describe(
      'Sessions in one of these situations. Only the newest 10,000 at the limit of their Handoffs count as LIMIT_REACHED.',
    ),
    agentId: optional(agentId).describe('Sessions that this Agent holds, and finished ones that it held last.'),
    agentType: optional(agentType).describe(
      'Sessions held by an Agent of this type, such as CLAUDE; finished ones whose last holder had this type at the end.',
    ),
    unassigned: optional(z.boolean()).describe('True: open Sessions without a holder. False: all others.'),
    hasOpenHandoff: optional(z.boolean()).describe(
      'True: Sessions with an INITIATED or ACCEPTED Handoff. False: all others.',
    ),
    titleContains: optional(text({ characters: 500 })).describe(
      'Sessions whose title contains this text, ignoring case; at most 500 characters.',
    ),
    pipeline: optional(pipelineSlug).describe('Sessions in any version of this pipeline, by its slug.'),
    pipelineVersion: optional(integer(1)).describe('Sessions in this version of their pipeline.'),
    stage: optional(text({ characters: 64 })).describe('Sessions in the stage of this name.'),
    externalId: optional(externalId).describe('Sessions with this id in another system, open or finished.'),
    project: optional(project).describe('Sessions of this project.'),
    workspaceId: optional(workspaceIdText).describe(
      'Sessions whose work is done in this folder of this machine: the id of their workspace.',
    ),
    repository: optional(text({ bytes: 1_024 })).describe(
      'Sessions whose work is done in a clone of this repository, by its address without credentials.',
    ),
    stuck: optional(z.boolean()).describe(
      'True: Sessions with which no Agent can go on until a person acts (`stuckBecause`), the newest 10,000. False: all others.',
    ),
    stuckBecause: optional(someOf(StuckReason)).describe('Sessions that are stuck for one of these reasons.'),
    priority: optional(someOf(SessionPriority)).describe('Sessions with one of these priorities.'),
    createdAfter: optional(instant).describe('Sessions created after this time.'),
    createdBefore: optional(instant).describe('Sessions created before this time.'),
  }),
);

/** Returns one filter, or two for a type: finished Sessions have the type stored at their end, open ones have their agent's. */
export async function sessionsWhere(
  { prisma, pool }: { prisma: PrismaClient; pool: Pool },
  filter: z.output<typeof sessionFilter>,
): Promise<Prisma.SessionWhereInput[]> {
  const all: Prisma.SessionWhereInput[] = [];
  const unassigned: Prisma.SessionWhereInput = { agentId: null, status: { in: ['RUNNING', 'PAUSED'] } };
  const open: Prisma.SessionWhereInput = { lastHandoff: { status: { in: ['INITIATED', 'ACCEPTED'] } } };
  if (filter.status !== null) all.push({ status: { in: filter.status } });
  if (filter.situation !== null) all.push(await inSituations(pool, filter.situation));
  if (filter.agentId !== null) all.push({ agentId: filter.agentId });
  if (filter.unassigned !== null) all.push(filter.unassigned ? unassigned : { NOT: unassigned });
  if (filter.hasOpenHandoff !== null) all.push(filter.hasOpenHandoff ? open : { NOT: open });
  if (filter.titleContains !== null) all.push({ title: containing(filter.titleContains) });
  if (filter.stage !== null) all.push({ stage: filter.stage });
  if (filter.pipeline !== null || filter.pipelineVersion !== null) {
    const { pipeline: slug, pipelineVersion: version } = filter;
    const given = { ...(slug !== null && { slug }), ...(version !== null && { version }) };
    all.push({ pipelineId: { in: await pipelineIds(prisma, given) } });
  }
  if (filter.externalId !== null) all.push({ externalId: filter.externalId });
  if (filter.project !== null) all.push({ project: filter.project });
  if (filter.workspaceId !== null) all.push({ workspaceId: filter.workspaceId });
  if (filter.repository !== null) all.push({ repository: filter.repository });
  if (filter.stuck !== null) {
    const stuck = { id: { in: await stuckSessions(pool, stuckReasons) } };
    all.push(filter.stuck ? stuck : { NOT: stuck });
  }
  if (filter.stuckBecause !== null) all.push({ id: { in: await stuckSessions(pool, filter.stuckBecause) } });
  if (filter.priority !== null) all.push({ priority: { in: filter.priority } });
  if (filter.createdAfter !== null) all.push({ createdAt: { gt: filter.createdAfter } });
  if (filter.createdBefore !== null) all.push({ createdAt: { lt: filter.createdBefore } });
  if (filter.agentType === null) return [{ AND: all }];
  // Selected by id, so that PostgreSQL can estimate their Sessions: with a join, a rare type scans past all others'
  // Sessions.
  const agents = await prisma.agent.findMany({ where: { type: filter.agentType }, select: { id: true } });
  const held: Prisma.SessionWhereInput = {
    status: { in: ['RUNNING', 'PAUSED'] },
    agentId: { in: agents.map(({ id }) => id) },
  };
  return [{ AND: [{ endedAgentType: filter.agentType }, ...all] }, { AND: [held, ...all] }];
}
