import { canonicalJson } from '../../core/canonicalJson.ts';
import { statement } from '../../core/changes.ts';
import { BadUserInputError, NotFoundError } from '../../core/errors.ts';
import type { Work } from '../../core/work.ts';
import type { Definition, Stage } from '../custody/pipeline.ts';
import { faultOfSchema } from './payloads.ts';
import type { NamedDefinition } from './rules.ts';

/** Defines and archives pipelines. A version never changes: Sessions under way keep theirs. */

export interface PipelineAnswer {
  pipelineId: string;
}

/** What a definition names that no Agent is yet. */
export interface DefinitionWarning {
  path: string[];
  message: string;
}

export interface DefinedAnswer extends PipelineAnswer {
  warnings: DefinitionWarning[];
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
): Promise<DefinedAnswer> {
  const fault = work.outside('schemas', () => firstFault(work.caller.principal, { stages, transitions }));
  if (fault !== null) throw fault;
  const newest = await lockNewest(work, slug);
  const agents = await work.query<KnownAgent>(readAgents, [
    stages.flatMap(({ escalateTo }) => escalateTo?.agentId ?? []),
    stages.flatMap(({ role, escalateTo }) => [role ?? [], escalateTo?.role ?? []].flat()),
    stages.flatMap(({ agentType }) => agentType ?? []),
  ]);
  demandEscalations(stages, agents);
  const warnings = warningsOf(stages, agents);
  const said = (each: Omit<NamedDefinition, 'slug'>): string =>
    canonicalJson([each.name, each.description, each.start, each.stages, each.transitions]);
  if (
    newest !== undefined &&
    newest.archived_at === null &&
    said(newest) === said({ name, description, start, stages, transitions })
  )
    return { pipelineId: newest.id, warnings };
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
  return { pipelineId: id, warnings };
}

interface KnownAgent {
  id: string;
  type: string;
  role: string | null;
  archived: boolean;
}

// One of each role and type is enough: the table of agents may be large.
const readAgents = statement(`
SELECT id, type, role, archived_at IS NOT NULL AS archived FROM agents WHERE id = ANY ($1::text[])
UNION SELECT * FROM (SELECT DISTINCT ON (role, type) id, type, role, false FROM agents WHERE archived_at IS NULL AND role = ANY ($2::text[]) ORDER BY role, type) r
UNION SELECT * FROM (SELECT DISTINCT ON (type) id, type, role, false FROM agents WHERE archived_at IS NULL AND type = ANY ($3::text[]) ORDER BY type) t`);

/** @throws BadUserInputError for an Agent that does not exist: a time-out would have nowhere to go. */
function demandEscalations(stages: readonly Stage[], agents: readonly KnownAgent[]): void {
  for (const [index, { escalateTo }] of stages.entries()) {
    const agentId = escalateTo?.agentId ?? null;
    if (agentId === null) continue;
    const path = ['input', 'stages', String(index), 'escalateTo', 'agentId'];
    const found = agents.find(({ id }) => id === agentId);
    if (found !== undefined && !found.archived) continue;
    throw new BadUserInputError(
      `${path.join('.')} is '${agentId}', which ${found === undefined ? 'does not exist: register it first (registerAgent)' : 'is archived: name another agent'}, or escalate to a role or to operators`,
      path,
    );
  }
}

/** Roles and types that no Agent has: Sessions wait in such a stage until one has. */
function warningsOf(stages: readonly Stage[], agents: readonly KnownAgent[]): DefinitionWarning[] {
  const open = agents.filter(({ archived }) => !archived);
  const none = (path: string[], role: string | null, type: string | null): DefinitionWarning[] => {
    if (role === null && type === null) return [];
    const fits = open.some((agent) => (role === null || agent.role === role) && (type === null || agent.type === type));
    const what = [role === null ? null : `role '${role}'`, type === null ? null : `type ${type}`].filter(Boolean);
    return fits
      ? []
      : [
          {
            path,
            message: `No agent has ${what.join(' and ')}: sessions wait in the queue there until one does (registerAgent)`,
          },
        ];
  };
  return stages.flatMap(({ role, agentType, escalateTo }, index) => [
    ...none(['input', 'stages', String(index), role === null ? 'agentType' : 'role'], role, agentType),
    ...none(['input', 'stages', String(index), 'escalateTo', 'role'], escalateTo?.role ?? null, null),
  ]);
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
