import { statement } from '../../core/changes.ts';
import { ConflictError } from '../../core/errors.ts';
import type { Work } from '../../core/work.ts';
import { generatedName } from './tool.ts';

// Models are careless with case, so names that differ by it alone count as equal. The callers hold the locks of the agents.

const findTaken = statement(`
SELECT o.agent_id, false AS generated FROM handoff_tool_offers o JOIN handoff_tools t ON t.id = o.tool_id
WHERE o.agent_id = ANY ($1::text[]) AND lower(t.name) = lower($2) AND t.archived_at IS NULL AND t.id IS DISTINCT FROM $3::uuid
UNION ALL SELECT agent_id, true FROM agent_collaborators WHERE agent_id = ANY ($1::text[]) AND '${generatedName('')}' || collaborator_id = lower($2)
LIMIT 1`);

/** @throws ConflictError when one of these locked agents has another tool of this name. */
export async function demandNameFree(
  work: Work,
  name: string,
  { agentIds, exceptId }: { agentIds: readonly string[]; exceptId: string | null },
): Promise<void> {
  const [taken] = await work.query<{ agent_id: string; generated: boolean }>(findTaken, [agentIds, name, exceptId]);
  if (taken === undefined) return;
  throw new ConflictError(
    taken.generated
      ? `Agent '${taken.agent_id}' has a generated tool '${name}' for its collaborator: choose another name, or remove the collaborator (updateAgent)`
      : `Agent '${taken.agent_id}' has a tool '${name}': choose another name, or archive that tool (archiveHandoffTool)`,
  );
}

const findShadowed = statement(`
SELECT t.name FROM handoff_tool_offers o JOIN handoff_tools t ON t.id = o.tool_id
WHERE o.agent_id = $1 AND t.archived_at IS NULL AND lower(t.name) = ANY ($2::text[]) ORDER BY t.name LIMIT 1`);

/** @throws ConflictError when a generated tool of these collaborators would have the name of a tool of this locked agent. */
export async function demandNoToolShadowed(
  work: Work,
  agentId: string,
  collaborators: readonly string[],
): Promise<void> {
  if (collaborators.length === 0) return;
  const [tool] = await work.query<{ name: string }>(findShadowed, [agentId, collaborators.map(generatedName)]);
  if (tool === undefined) return;
  throw new ConflictError(
    `Agent '${agentId}' has a handoff tool '${tool.name}', the name of the collaborator's generated tool: archive the tool or rename it first`,
  );
}
