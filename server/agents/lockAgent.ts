import type { Agent } from '../generated/prisma/client.ts';
import { statement } from '../core/changes.ts';
import { NotFoundError } from '../core/errors.ts';
import { fromColumns } from '../core/rows.ts';
import type { Work } from '../core/work.ts';
import { record } from '../events/record.ts';
import { demandNoToolShadowed } from '../tools/names.ts';

const lockAgentStatement = statement('SELECT clock_timestamp() AS now, row_to_json(a) AS agent FROM (SELECT * FROM agents WHERE id = $1 FOR NO KEY UPDATE) a');

/** Begins the transaction and locks an agent; null when it does not exist. */
export async function findAndLockAgent(work: Work, id: string): Promise<Agent | null> {
  await work.begin();
  const [row] = await work.query<{ now: Date; agent: object }>(lockAgentStatement, [id]);
  if (row === undefined) return null;
  work.now = row.now;
  return fromColumns<Agent>(row.agent);
}

export async function lockAgent(work: Work, id: string): Promise<Agent> {
  const agent = await findAndLockAgent(work, id);
  if (agent === null) throw new NotFoundError('agent', id);
  return agent;
}

export function recordAgentChanged(work: Work, agent: Pick<Agent, 'id' | 'inboxSequence'>): void {
  record(work, { type: 'AGENT_CHANGED', session: null, parts: { agent } });
}

const findAgentsStatement = statement('SELECT id FROM agents WHERE id = ANY ($1::text[])');

/** Replaces the agents that an agent may hand off to. */
export async function setCollaborators(work: Work, agentId: string, collaborators: readonly string[]): Promise<void> {
  const found = new Set((await work.query<{ id: string }>(findAgentsStatement, [collaborators])).map(({ id }) => id));
  const missing = collaborators.find((id) => !found.has(id));
  if (missing !== undefined) throw new NotFoundError('agent', missing);
  await demandNoToolShadowed(work, agentId, collaborators);
  work.changes.clear('agent_collaborators', agentId);
  for (const [position, collaboratorId] of collaborators.entries()) {
    work.insert('agent_collaborators', { agentId, collaboratorId, position });
  }
}
