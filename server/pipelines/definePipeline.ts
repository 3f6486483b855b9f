import { canonicalJson } from '../core/canonicalJson.ts';
import { statement } from '../core/changes.ts';
import { BadUserInputError, NotFoundError } from '../core/errors.ts';
import type { Work } from '../core/work.ts';
import type { Definition } from '../custody/pipeline.ts';
import { faultOfSchema } from './payloads.ts';
import type { NamedDefinition } from './rules.ts';

/** Defines and archives pipelines. A version never changes: Sessions under way keep theirs. */

export interface PipelineAnswer {
  pipelineId: string;
}

// Two definitions of one slug wait for each other, so that each sees the versions before it.
const lockSlug = statement(`SELECT pg_advisory_xact_lock(hashtextextended('pipeline ' || $1, 0))`);
const readNewest = statement(
  'SELECT id, version, name, description, start, stages, transitions, archived_at FROM pipelines WHERE slug = $1 AND replaced_at IS NULL',
);

interface Newest extends Definition {
  id: string;
  version: number;
  name: string;
  description: string | null;
  archived_at: Date | null;
}

async function lockNewest(work: Work, slug: string): Promise<Newest | undefined> {
  await work.begin();
  await work.query(lockSlug, [slug]);
  const [newest] = await work.query<Newest>(readNewest, [slug]);
  return newest;
}

/** Makes the next version; an identical definition returns the present one. */
export async function definePipeline(
  work: Work,
  { slug, name, description, start, stages, transitions }: NamedDefinition,
): Promise<PipelineAnswer> {
  const fault = work.outside('schemas', () => firstFault(work.caller.principal, { stages, transitions }));
  if (fault !== null) throw fault;
  const newest = await lockNewest(work, slug);
  const said = (each: Omit<NamedDefinition, 'slug'>): string =>
    canonicalJson([each.name, each.description, each.start, each.stages, each.transitions]);
  if (
    newest !== undefined &&
    newest.archived_at === null &&
    said(newest) === said({ name, description, start, stages, transitions })
  )
    return { pipelineId: newest.id };
  if (newest !== undefined) work.change('pipelines', { id: newest.id }, { replacedAt: work.now });
  const { id } = work.insert('pipelines', {
    id: work.newId(),
    slug,
    version: (newest?.version ?? 0) + 1,
    name,
    description,
    start,
    stages: stages as never,
    transitions: transitions as never,
    createdAt: work.now,
    replacedAt: null,
    archivedAt: null,
  });
  return { pipelineId: id };
}

async function firstFault(
  caller: string,
  parts: Pick<Definition, 'stages' | 'transitions'>,
): Promise<BadUserInputError | null> {
  for (const name of ['stages', 'transitions'] as const) {
    for (const [index, { payloadSchema }] of parts[name].entries()) {
      const message = payloadSchema === null ? null : await faultOfSchema(caller, payloadSchema);
      const path = ['input', name, String(index), 'payloadSchema'];
      if (message !== null) return new BadUserInputError(`${path.join('.')} ${message}`, path);
    }
  }
  return null;
}

/** No new Session begins in it; those under way go on. Repeatable. */
export async function archivePipeline(work: Work, { slug }: { slug: string }): Promise<PipelineAnswer> {
  const newest = await lockNewest(work, slug);
  if (newest === undefined) throw new NotFoundError('pipeline', slug);
  if (newest.archived_at === null) work.change('pipelines', { id: newest.id }, { archivedAt: work.now });
  return { pipelineId: newest.id };
}
