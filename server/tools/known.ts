import { statement } from '../core/changes.ts';
import { mostTargets } from './define.ts';
import type { Known, KnownTool } from './detect/known.ts';
import { findTools, type Reader } from './queries.ts';
import { type HandoffTool, isEnabled, toolOfMany } from './tool.ts';

const findAgents = statement('SELECT id, archived_at IS NOT NULL AS archived FROM agents ORDER BY id');

/** Reads what detection needs to know about an Agent, and its tools; null when it does not exist. */
export async function loadKnown(reader: Reader, agentId: string): Promise<(Known & { handoffTools: HandoffTool[] }) | null> {
  const agents = await reader.query<{ id: string; archived: boolean }>(findAgents, []);
  if (!agents.some(({ id }) => id === agentId)) return null;
  const handoffTools = await findTools(reader, { agentIds: [agentId], archived: true });
  return { agentId, tools: knownTools(handoffTools), handoffTools, agents };
}

/** Tools of archived targets too: a model may have been offered them before. */
export function knownTools(tools: readonly HandoffTool[]): KnownTool[] {
  const known = tools
    .filter((tool) => tool.generated || tool.archivedAt === null)
    .map(({ id, name, targetAgentId, generated }): KnownTool => ({ id: generated ? null : id, name, targetAgentId, generated }));
  const agentIds = tools.filter((tool) => tool.generated && isEnabled(tool)).map(({ targetAgentId }) => targetAgentId);
  if (agentIds.length <= mostTargets) return known;
  return [...known, { id: null, name: toolOfMany, targetAgentId: null, generated: true, enumTargets: { argument: 'target', agentIds } }];
}
