import { statement } from '../../core/changes.ts';
import { NotFoundError } from '../../core/errors.ts';
import { fromColumns } from '../../core/rows.ts';
import type { Work } from '../../core/work.ts';
import type { Agent, AgentCollaborator, ApprovalRule } from '../../generated/prisma/client.ts';
import type { Carry } from '../context/carry.ts';
import type { LockedAgent } from '../custody/read.ts';
import { record } from '../events/record.ts';
import { demandNoToolShadowed } from '../tools/names.ts';

const lockAgentStatement = statement(`
SELECT (SELECT row_to_json(a) FROM (SELECT * FROM agents WHERE id = $1 FOR NO KEY UPDATE) a) AS agent, clock_timestamp() AS now,
  NOT EXISTS (SELECT FROM queue_entries WHERE NOT suspended AND NOT escalated) AS "nobodyWaits"`);

/** Begins the transaction and locks an agent; null when it does not exist. */
export async function findAndLockAgent(work: Work, id: string): Promise<Agent | null> {
  await work.begin();
  const [row] = await work.query<{ now: Date; agent: object | null; nobodyWaits: boolean }>(lockAgentStatement, [id]);
  work.now = row!.now;
  work.nobodyWaits = row!.nobodyWaits;
  return row!.agent && fromColumns<Agent>(row!.agent);
}

export async function lockAgent(work: Work, id: string): Promise<Agent> {
  const agent = await findAndLockAgent(work, id);
  if (agent === null) throw new NotFoundError('agent', id);
  return agent;
}

export function recordAgentChanged(work: Work, agent: Pick<Agent, 'id' | 'inboxSequence'>): void {
  record(work, { type: 'AGENT_CHANGED', session: null, parts: { agent } });
}

/** Call it when a change may let the agent take queued Sessions (rule: queue). */
export function mayTakeMore(work: Work, agent: LockedAgent): void {
  work.freed.set(agent.id, agent);
}

/** An agent that another may hand off to. Undefined parts stay as they are. */
export interface Collaboration {
  agentId: string;
  when?: string | null;
  instructions?: string | null;
  carry?: Carry | null | undefined;
  approval?: ApprovalRule | undefined;
}

const findAgentsStatement = statement(`
SELECT a.id, c."when", c.instructions, c.carry, c.approval FROM agents a LEFT JOIN agent_collaborators c ON c.agent_id = $1 AND c.collaborator_id = a.id
WHERE a.id = ANY ($2::text[])`);

type Found = Pick<AgentCollaborator, 'when' | 'instructions' | 'carry'> & { id: string; approval: ApprovalRule | null };

/** Replaces the agents that an agent may hand off to. */
export async function setCollaborations(
  work: Work,
  agentId: string,
  collaborations: readonly Collaboration[],
): Promise<void> {
  const ids = collaborations.map((collaboration) => collaboration.agentId);
  const found = new Map((await work.query<Found>(findAgentsStatement, [agentId, ids])).map((row) => [row.id, row]));
  const missing = ids.find((id) => !found.has(id));
  if (missing !== undefined) throw new NotFoundError('agent', missing);
  await demandNoToolShadowed(work, agentId, ids);
  work.changes.clear('agent_collaborators', agentId);
  for (const [position, { agentId: collaboratorId, ...given }] of collaborations.entries()) {
    const known = found.get(collaboratorId)!;
    const {
      when = known.when,
      instructions = known.instructions,
      carry = known.carry,
      approval = known.approval,
    } = given;
    work.insert('agent_collaborators', {
      agentId,
      collaboratorId,
      position,
      when,
      instructions,
      carry: carry as never,
      approval: approval ?? 'NONE',
    });
  }
}

/** The two forms of input in one; null when neither was given. */
export const collaborationsOf = (
  collaborators: readonly string[] | undefined,
  collaborations: readonly Collaboration[] | undefined,
): readonly Collaboration[] | null => collaborations ?? collaborators?.map((agentId) => ({ agentId })) ?? null;
