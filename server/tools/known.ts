import type { Pool } from 'pg';
import type { Known } from './detect/known.ts';

/** The name of the tool that Baton generates for a collaborator. */
export const generatedName = (agentId: string): string => `transfer_to_${agentId}`;

/** Reads what detection needs to know about an Agent; null when it does not exist. */
export async function loadKnown(reader: Pick<Pool, 'query'>, agentId: string): Promise<Known | null> {
  const { rows: agents } = await reader.query<{ id: string; archived: boolean; isCollaborator: boolean }>({
    name: 'known_to_detection',
    text: `SELECT a.id, a.archived_at IS NOT NULL AS archived, c.position IS NOT NULL AS "isCollaborator"
           FROM agents a LEFT JOIN agent_collaborators c ON c.agent_id = $1 AND c.collaborator_id = a.id ORDER BY c.position, a.id`,
    values: [agentId],
  });
  if (!agents.some(({ id }) => id === agentId)) return null;
  // Archived collaborators too: a model may have been offered the tool before.
  const tools = agents.filter(({ isCollaborator }) => isCollaborator).map(({ id }) => ({ id: null, name: generatedName(id), targetAgentId: id, generated: true }));
  return { agentId, tools, agents };
}
