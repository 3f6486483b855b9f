import { statement } from '../../core/changes.ts';
import { InvalidStateError } from '../../core/errors.ts';
import type { Work } from '../../core/work.ts';
import { stageRevocation } from '../keys/revokeKey.ts';
import { lockAgent, recordAgentChanged } from './lockAgent.ts';
import type { AgentAnswer } from './registerAgent.ts';

const readArchiver = statement(`
SELECT e.actor_principal FROM inbox_entries i JOIN events e ON e.id = i.event_id
WHERE i.agent_id = $1 AND e.type = 'AGENT_CHANGED' ORDER BY i.sequence DESC LIMIT 1`);

// Key creation needs the agent's lock, so this finds all of its keys.
const findKeys = statement('SELECT id FROM keys WHERE agent_id = $1 AND revoked_at IS NULL FOR UPDATE');

/** Archives an agent and revokes its keys; its records stay (rule: agents). */
export async function archiveAgent(
  work: Work,
  { id }: { id: string },
  { keyRevoked }: { keyRevoked: (keyId: string) => void },
): Promise<AgentAnswer> {
  const agent = await lockAgent(work, id);
  if (agent.archivedAt !== null) {
    const [last] = await work.query<{ actor_principal: string }>(readArchiver, [id]);
    if (last?.actor_principal === work.caller.principal) return { agentId: id };
    throw new InvalidStateError(`Agent '${id}' is archived, which is final`, 'ARCHIVED', [
      'AVAILABLE',
      'DRAINING',
      'OFFLINE',
    ]);
  }
  if (agent.currentLoad > 0) {
    throw new InvalidStateError(
      `Agent '${id}' still holds ${agent.currentLoad} ${agent.currentLoad === 1 ? 'session' : 'sessions'}: reassign or end them first`,
      `LOAD ${agent.currentLoad}`,
      ['LOAD 0'],
    );
  }
  work.change('agents', agent, { archivedAt: work.now, administrativeStatus: 'OFFLINE' });
  recordAgentChanged(work, agent);
  for (const key of await work.query<{ id: string }>(findKeys, [id])) stageRevocation(work, key, keyRevoked);
  return { agentId: id };
}
