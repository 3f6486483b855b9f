import { Breaks } from '../../core/breaks.ts';
import { canonicalJson } from '../../core/canonicalJson.ts';
import { statement } from '../../core/changes.ts';
import { fromColumns } from '../../core/rows.ts';
import type { Work } from '../../core/work.ts';
import type { Agent, ApprovalRule } from '../../generated/prisma/client.ts';
import { mayTakeMore, recordAgentChanged } from '../agents/lockAgent.ts';
import { insertAgent } from '../agents/registerAgent.ts';
import type { LockedAgent } from '../custody/read.ts';
import type { AgentImportReport, Definition, ImportedAgent, McpServer, Problem } from './definition.ts';
import { type Collaboration, Directory, type KnownAgent, problemsOfNames, resolveCollaborations } from './resolve.ts';
import { slugOf } from './rules.ts';

export interface ImportAgentsInput {
  definitions: readonly Definition[];
  /** Problems of the files, found before. */
  problems: readonly Problem[];
  defaultType: string | null;
  dryRun: boolean;
}

/** What an agent keeps of its definition. */
export interface StoredDefinition {
  path: string;
  contentHash: string;
  importedAt: string;
  tools: readonly string[];
  /** Undefined: the agent's `model` alone, or none. */
  models?: readonly string[];
  /** Undefined: none. */
  mcpServers?: readonly McpServer[];
  /** Fields that the definition sets. A later definition without them clears them; others stay as operators set them. */
  sets: readonly Settable[];
}

const settable = ['role', 'description', 'instructions', 'collaborations', 'contextWindow'] as const;
type Settable = (typeof settable)[number];

type KnownRow = Pick<Agent, 'id' | keyof Next['fields']> &
  LockedAgent & {
    definition: StoredDefinition | null;
    collaborations: (Collaboration & { carry: unknown; approval: ApprovalRule })[];
  };

// In id order, as every statement that locks several agents.
const lockAgents = statement(`
SELECT clock_timestamp() AS now, row_to_json(a) AS agent, (
  SELECT coalesce(json_agg(json_build_object('agentId', c.collaborator_id, 'when', c."when", 'instructions', c.instructions, 'carry', c.carry, 'approval', c.approval) ORDER BY c.position), '[]')
  FROM agent_collaborators c WHERE c.agent_id = a.id) AS collaborations
FROM (
  SELECT id, type, name, role, description, instructions, model, context_window, definition, administrative_status, current_load, max_capacity, total_assigned, inbox_sequence, archived_at FROM agents
  WHERE id = ANY ($1::text[]) ORDER BY id FOR NO KEY UPDATE) a`);

const findAgents = statement(
  'SELECT id, name, archived_at IS NOT NULL AS archived FROM agents WHERE id = ANY ($1::text[])',
);
const findByName = statement(
  'SELECT id, name, false AS archived FROM agents WHERE archived_at IS NULL ORDER BY id LIMIT $1',
);

/** Greatest number of agents among which display names and nearest names are looked up. */
const maxLookedUp = 2_000;
const namesOfStatement = 5_000;
/** Greatest number of problems in a report. */
const maxProblems = 1_000;

/**
 * Registers the agents of these definitions and updates those that exist, all or none: with an ERROR nothing is written. An
 * update leaves status, capacity, load and metadata alone.
 */
export async function importAgents(
  work: Work,
  { definitions, problems: ofFiles, defaultType, dryRun }: ImportAgentsInput,
): Promise<{ report: AgentImportReport }> {
  await work.begin();
  const rows = await work.query<{ now: Date; agent: object; collaborations: KnownRow['collaborations'] }>(lockAgents, [
    definitions.map(({ slug }) => slug),
  ]);
  if (rows[0] !== undefined) work.now = rows[0].now;
  const known = new Map(
    rows.map(({ agent, collaborations }) => [
      (agent as { id: string }).id,
      { ...fromColumns<KnownRow>(agent), collaborations },
    ]),
  );

  const problems = [...ofFiles];
  const existing: KnownAgent[] = [...known.values()].map(({ id, name, archivedAt }) => ({
    id,
    name,
    archived: archivedAt !== null,
  }));
  problems.push(...problemsOfNames(definitions, new Map(existing.map((agent) => [agent.id, agent]))));
  const directory = await openDirectory(work, definitions, existing);
  const breaks = new Breaks();
  const planned: Planned[] = [];
  for (const definition of definitions) {
    const agent = known.get(definition.slug) ?? null;
    const type = definition.type ?? agent?.type ?? defaultType;
    if (type === null) {
      problems.push({
        path: definition.path,
        line: null,
        severity: 'ERROR',
        message: `Agent '${definition.slug}' has no type`,
        suggestion: "add a line such as 'type: CLAUDE' to the front matter, or give defaultType",
      });
    }
    const collaborations =
      definition.collaborations && resolveCollaborations(definition, definition.collaborations, directory, problems);
    planned.push({ definition, agent, type: type ?? '', collaborations });
    await breaks.rest();
  }
  if (problems.some(({ severity }) => severity === 'ERROR'))
    return { report: { agents: [], problems: shown(problems) } };

  const agents: ImportedAgent[] = [];
  const changes: { id: string; next: Next }[] = [];
  const flush = flusher(work);
  for (const { definition, agent, type, collaborations } of planned) {
    const { slug: id, path } = definition;
    const next = nextOf(work, definition, agent, type, collaborations);
    const action = agent === null ? 'CREATED' : next.isChanged ? 'UPDATED' : 'UNCHANGED';
    agents.push({ id, action, path });
    await breaks.rest();
    if (dryRun || action === 'UNCHANGED') continue;
    changes.push({ id, next });
    writeAgent(work, id, agent, next);
    await flush(next.fields.instructions);
  }
  // After all agents, to which they refer.
  for (const { id, next } of changes)
    if (next.collaborations !== null) await writeCollaborations(work, id, next.collaborations, flush);
  return { report: { agents, problems: shown(problems) } };
}

interface Planned {
  definition: Definition;
  agent: KnownRow | null;
  type: string;
  collaborations: readonly Collaboration[] | undefined;
}

/** Characters of one statement, unless one text has more: writing 11 MB at once held the event loop. */
const statementCharacters = 256 * 1024;

/** Sends what is staged when the texts that it is called with have many characters together. */
function flusher(work: Work): (text: string | null) => Promise<void> {
  let characters = 0;
  return async (text) => {
    characters += 1_000 + (text?.length ?? 0);
    if (characters < statementCharacters) return;
    characters = 0;
    await work.flush();
  };
}

/** Reads the agents that the definitions name; all agents only when a name is not the id of one. */
async function openDirectory(
  work: Work,
  definitions: readonly Definition[],
  existing: readonly KnownAgent[],
): Promise<Directory> {
  const breaks = new Breaks();
  const names = new Set<string>();
  const slugs = new Set<string>();
  for (const { collaborations = [] } of definitions) {
    for (const { name } of collaborations) {
      if (names.has(name)) continue;
      names.add(name);
      slugs.add(slugOf(name));
    }
    await breaks.rest();
  }
  if (slugs.size === 0) return new Directory(definitions, existing);
  const named: KnownAgent[] = [];
  const all = [...slugs];
  for (let from = 0; from < all.length; from += namesOfStatement)
    named.push(...(await work.query<KnownAgent>(findAgents, [all.slice(from, from + namesOfStatement)])));
  const directory = new Directory(definitions, [...existing, ...named]);
  if ([...slugs].every((slug) => directory.find(slug) !== null)) return directory;
  return new Directory(definitions, [
    ...existing,
    ...named,
    ...(await work.query<KnownAgent>(findByName, [maxLookedUp])),
  ]);
}

interface Next {
  fields: Pick<Agent, 'type' | 'name' | 'role' | 'description' | 'instructions' | 'model' | 'contextWindow'>;
  definition: StoredDefinition;
  /** Null: the collaborations stay. */
  collaborations: KnownRow['collaborations'] | null;
  isChanged: boolean;
}

function nextOf(
  work: Work,
  definition: Definition,
  agent: KnownRow | null,
  type: string,
  resolved: readonly Collaboration[] | undefined,
): Next {
  const before = agent?.definition ?? null;
  /** The new value; null when an earlier definition set it and this one does not; otherwise the present one. */
  const said = <Value extends string | number>(
    field: Settable,
    now: Value | undefined,
    present: Value | null | undefined,
  ): Value | null => now ?? (before?.sets.includes(field) === true ? null : (present ?? null));
  const fields = {
    type,
    name: definition.name,
    role: said('role', definition.role, agent?.role),
    description: said('description', definition.description, agent?.description),
    instructions: said('instructions', definition.instructions, agent?.instructions),
    model: definition.models[0] ?? null,
    contextWindow: said('contextWindow', definition.contextWindow, agent?.contextWindow),
  };
  const sets = settable.filter((field) => definition[field] !== undefined);
  const { path, contentHash, tools, models, mcpServers } = definition;
  const stored = {
    ...{ path, contentHash, tools, sets },
    ...(models.length > 1 && { models }),
    ...(mcpServers.length > 0 && { mcpServers }),
  };

  const present = agent?.collaborations ?? [];
  const wanted = resolved ?? (before?.sets.includes('collaborations') === true ? [] : null);
  const collaborations =
    wanted &&
    wanted.map((each) => {
      const { carry = null, approval = 'NONE' } = present.find(({ agentId }) => agentId === each.agentId) ?? {};
      return { ...each, carry, approval };
    });
  const now = (value: object): string => JSON.stringify(value);
  const { importedAt = null, ...earlier } = before ?? {};
  const isChanged =
    agent === null ||
    canonicalJson(stored) !== canonicalJson(earlier) ||
    Object.entries(fields).some(([field, value]) => value !== agent[field as keyof typeof fields]) ||
    (collaborations !== null && now(collaborations) !== now(present));
  return {
    fields,
    definition: { ...stored, importedAt: isChanged || importedAt === null ? work.now.toISOString() : importedAt },
    collaborations,
    isChanged,
  };
}

function writeAgent(work: Work, id: string, known: KnownRow | null, { fields, definition }: Next): void {
  const stored = definition as unknown as Agent['definition'];
  const agent =
    known === null
      ? insertAgent(work, { ...fields, id, maxCapacity: 5, metadata: null, definition: stored })
      : lockedPart(known);
  if (known !== null) {
    work.change('agents', agent, { ...fields, definition: stored });
    mayTakeMore(work, agent);
  }
  recordAgentChanged(work, agent);
}

async function writeCollaborations(
  work: Work,
  agentId: string,
  collaborations: KnownRow['collaborations'],
  flush: (text: string | null) => Promise<void>,
): Promise<void> {
  work.changes.clear('agent_collaborators', agentId);
  for (const [position, { agentId: collaboratorId, carry, ...rest }] of collaborations.entries()) {
    work.insert('agent_collaborators', {
      agentId,
      collaboratorId,
      position,
      ...rest,
      carry: carry as Agent['metadata'],
    });
    await flush(`${rest.when ?? ''}${rest.instructions ?? ''}`);
  }
}

/** Without what is not a column of its row. */
function lockedPart({
  id,
  type,
  role,
  instructions,
  administrativeStatus,
  archivedAt,
  currentLoad,
  maxCapacity,
  totalAssigned,
  inboxSequence,
}: KnownRow): LockedAgent {
  return {
    id,
    type,
    role,
    instructions,
    administrativeStatus,
    archivedAt,
    currentLoad,
    maxCapacity,
    totalAssigned,
    inboxSequence,
  };
}

/** Errors first; the last entry says how many were left out. */
function shown(problems: readonly Problem[]): Problem[] {
  const isError = ({ severity }: Problem): boolean => severity === 'ERROR';
  const sorted = [...problems.filter(isError), ...problems.filter((each) => !isError(each))];
  if (sorted.length <= maxProblems) return sorted;
  const rest = sorted.slice(maxProblems - 1);
  const { path, severity } = rest[0]!;
  return [
    ...sorted.slice(0, maxProblems - 1),
    {
      path,
      line: null,
      severity,
      message: `${rest.length} more problems are not listed`,
      suggestion: 'correct these first',
    },
  ];
}
