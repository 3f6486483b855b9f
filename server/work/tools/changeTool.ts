import { statement } from '../../core/changes.ts';
import { BadUserInputError, ConflictError, InvalidStateError, NotFoundError } from '../../core/errors.ts';
import { encodeId } from '../../core/ids.ts';
import { limits } from '../../core/limits.ts';
import { fromColumns } from '../../core/rows.ts';
import type { Work } from '../../core/work.ts';
import type { Agent, ApprovalRule, HandoffTool } from '../../generated/prisma/client.ts';
import { recordAgentChanged } from '../agents/lockAgent.ts';
import type { Carry } from '../context/carry.ts';
import { demandNameFree } from './names.ts';
import { findTools } from './queries.ts';
import { isToolName, type ToolVariable } from './tool.ts';

/** Creates, changes and archives the tools that people define. Each agent concerned gets AGENT_CHANGED: its tools are others now. */

export interface ToolFields {
  name: string;
  targetAgentId: string;
  agentIds: readonly string[];
  description: string;
  variables: readonly ToolVariable[];
  instructions: string | null;
  carry?: Carry | null;
  approval?: ApprovalRule | undefined;
}

export interface ToolAnswer {
  toolId: string;
}

export async function createHandoffTool(
  work: Work,
  { name, targetAgentId, agentIds, description, variables, instructions, carry = null, approval = 'NONE' }: ToolFields,
): Promise<ToolAnswer> {
  await work.begin();
  const agents = await lockAgents(work, [...agentIds, targetAgentId]);
  const earlier = await work.earlierAnswer<ToolAnswer>();
  if (earlier !== null) return earlier;
  const toolId = work.newId();
  await demandTool(work, { name, targetAgentId, agentIds, variables, toolId: null }, agents, []);
  work.insert('handoff_tools', {
    id: toolId,
    name,
    targetAgentId,
    description,
    variables: variables as never,
    instructions,
    carry: carry as never,
    approval,
    createdAt: work.now,
    archivedAt: null,
  });
  for (const agentId of agentIds) work.insert('handoff_tool_offers', { toolId, agentId });
  for (const agentId of agentIds) recordAgentChanged(work, agents.get(agentId)!);
  return { toolId };
}

/** Changes the given fields only. Handoffs made through the tool stay as they are. */
export async function updateHandoffTool(
  work: Work,
  { toolId, agentIds, ...given }: Partial<ToolFields> & { toolId: string },
): Promise<ToolAnswer> {
  const { tool, offeredTo } = await lockTool(work, toolId);
  const changes = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const next = { ...tool, ...changes, agentIds: agentIds ?? offeredTo, toolId } as unknown as ToolFields & {
    toolId: string;
  };
  const agents = await lockAgents(work, [...offeredTo, ...next.agentIds, next.targetAgentId]);
  if (tool.archivedAt !== null)
    throw new InvalidStateError(`Handoff tool '${tool.name}' is archived: create another one`, 'ARCHIVED', []);
  await demandTool(work, next, agents, [...offeredTo, tool.targetAgentId]);
  if (Object.keys(changes).length > 0) work.change('handoff_tools', tool, changes);
  if (agentIds !== undefined) {
    work.changes.clear('handoff_tool_offers', toolId);
    for (const agentId of agentIds) work.insert('handoff_tool_offers', { toolId, agentId });
  }
  for (const agentId of new Set([...offeredTo, ...next.agentIds])) recordAgentChanged(work, agents.get(agentId)!);
  return { toolId };
}

/** Ends the offer for good. Repeatable. */
export async function archiveHandoffTool(work: Work, { toolId }: { toolId: string }): Promise<ToolAnswer> {
  const { tool, offeredTo } = await lockTool(work, toolId);
  if (tool.archivedAt !== null) return { toolId };
  const agents = await lockAgents(work, offeredTo);
  work.change('handoff_tools', tool, { archivedAt: work.now });
  for (const agent of agents.values()) recordAgentChanged(work, agent);
  return { toolId };
}

type ToolAgent = Pick<Agent, 'id' | 'archivedAt' | 'inboxSequence'>;

const lockAgentsStatement = statement(`
SELECT clock_timestamp() AS now, row_to_json(a) AS agent
FROM (SELECT id, archived_at, inbox_sequence FROM agents WHERE id = ANY ($1::text[]) ORDER BY id FOR NO KEY UPDATE) a`);

/** Locks agents in the order of their ids. @throws NotFoundError for one that does not exist. */
async function lockAgents(work: Work, ids: readonly string[]): Promise<Map<string, ToolAgent>> {
  const rows = await work.query<{ now: Date; agent: object }>(lockAgentsStatement, [ids]);
  const agents = new Map(rows.map(({ agent }) => fromColumns<ToolAgent>(agent)).map((agent) => [agent.id, agent]));
  const missing = ids.find((id) => !agents.has(id));
  if (missing !== undefined) throw new NotFoundError('agent', missing);
  work.now = rows.at(-1)!.now;
  return agents;
}

const lockToolStatement = statement(`
SELECT clock_timestamp() AS now, row_to_json(t) AS tool, ARRAY(SELECT agent_id FROM handoff_tool_offers WHERE tool_id = $1 ORDER BY agent_id) AS offered_to
FROM (SELECT * FROM handoff_tools WHERE id = $1 FOR UPDATE) t`);

/** A tool is locked before its agents, so `offeredTo` stays as it is. */
async function lockTool(work: Work, toolId: string): Promise<{ tool: HandoffTool; offeredTo: string[] }> {
  await work.begin();
  const [row] = await work.query<{ now: Date; tool: object; offered_to: string[] }>(lockToolStatement, [toolId]);
  if (row !== undefined) {
    work.now = row.now;
    return { tool: fromColumns<HandoffTool>(row.tool), offeredTo: row.offered_to };
  }
  const [generated] = await findTools(work, { ids: [toolId], generated: true, archived: true });
  if (generated === undefined) throw new NotFoundError('handoff tool', encodeId('tool', toolId));
  throw new InvalidStateError(
    `Tool '${generated.name}' is generated because '${generated.agentIds.join()}' may hand off to '${generated.targetAgentId}': change the collaborators (updateAgent), or define another tool`,
    'GENERATED',
    [],
  );
}

const countTools = statement(`
SELECT o.agent_id, count(*)::int AS count FROM handoff_tool_offers o JOIN handoff_tools t ON t.id = o.tool_id
WHERE o.agent_id = ANY ($1::text[]) AND t.archived_at IS NULL AND t.id IS DISTINCT FROM $2::uuid GROUP BY o.agent_id ORDER BY count(*) DESC LIMIT 1`);

/** Whether the tool may be offered to these locked agents. Agents that it concerns already may have been archived since. */
async function demandTool(
  work: Work,
  tool: Pick<ToolFields, 'name' | 'agentIds' | 'targetAgentId' | 'variables'> & { toolId: string | null },
  agents: ReadonlyMap<string, ToolAgent>,
  already: readonly string[],
): Promise<void> {
  const archived = (id: string): boolean => agents.get(id)!.archivedAt !== null && !already.includes(id);
  // Secrets were redacted from names that had the right form.
  if (!isToolName(tool.name))
    throw new BadUserInputError('input.name looks like a secret: choose another name', ['input', 'name']);
  if (!tool.variables.every(({ name }) => isToolName(name)))
    throw new BadUserInputError('input.variables have a name that looks like a secret: choose another name', [
      'input',
      'variables',
    ]);
  if (archived(tool.targetAgentId))
    throw new BadUserInputError(`Agent '${tool.targetAgentId}' is archived: name another target`, [
      'input',
      'targetAgentId',
    ]);
  if (tool.agentIds.includes(tool.targetAgentId)) {
    throw new BadUserInputError(`input.agentIds contain the target '${tool.targetAgentId}' itself: leave it out`, [
      'input',
      'agentIds',
    ]);
  }
  const gone = tool.agentIds.find(archived);
  if (gone !== undefined)
    throw new BadUserInputError(`Agent '${gone}' is archived: offer the tool to others`, ['input', 'agentIds']);
  await demandNameFree(work, tool.name, { agentIds: tool.agentIds, exceptId: tool.toolId });
  const [most] = await work.query<{ agent_id: string; count: number }>(countTools, [tool.agentIds, tool.toolId]);
  if (most !== undefined && most.count >= limits.counts.toolsOfAgent) {
    throw new ConflictError(
      `Agent '${most.agent_id}' has ${most.count} handoff tools, the most that an agent may have: archive one first (archiveHandoffTool)`,
    );
  }
}
