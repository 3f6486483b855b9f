import { statement } from '../../core/changes.ts';
import { NotFoundError } from '../../core/errors.ts';
import type { Work } from '../../core/work.ts';
import type { PrismaClient } from '../../generated/prisma/client.ts';
import type { SessionPipeline } from '../custody/pipeline.ts';

const newestStatement = statement(
  `SELECT id, slug, version, start, stages, transitions, archived_at AS "archivedAt" FROM pipelines WHERE slug = $1 AND replaced_at IS NULL`,
);

/** The newest version of a pipeline, as a new Session begins in it. @throws NotFoundError */
export async function newestPipeline(work: Work, slug: string): Promise<SessionPipeline & { archivedAt: Date | null }> {
  const [row] = await work.query<Omit<SessionPipeline, 'stays' | 'payloads'> & { archivedAt: Date | null }>(
    newestStatement,
    [slug],
  );
  if (row === undefined) throw new NotFoundError('pipeline', slug);
  return { ...row, stays: [], payloads: null };
}

/** The ids of the versions of pipelines. Filters select by id, so that PostgreSQL can estimate their Sessions. */
export async function pipelineIds(prisma: PrismaClient, where: { slug?: string; version?: number }): Promise<string[]> {
  return (await prisma.pipeline.findMany({ where, select: { id: true } })).map(({ id }) => id);
}
