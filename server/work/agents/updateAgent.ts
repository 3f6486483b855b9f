import { InvalidStateError } from '../../core/errors.ts';
import type { Work } from '../../core/work.ts';
import { collaborationsOf, lockAgent, mayTakeMore, recordAgentChanged, setCollaborations } from './lockAgent.ts';
import type { AgentAnswer, AgentFields } from './registerAgent.ts';

/** Changes the given fields only. Existing Sessions and Handoffs keep their values. */
export async function updateAgent(
  work: Work,
  { id, collaborators, collaborations, ...fields }: Partial<AgentFields> & { id: string },
): Promise<AgentAnswer> {
  const agent = await lockAgent(work, id);
  if (agent.archivedAt !== null) {
    throw new InvalidStateError(`Agent '${id}' is archived and can no longer be changed`, 'ARCHIVED', [
      'AVAILABLE',
      'DRAINING',
      'OFFLINE',
    ]);
  }
  if (fields.maxCapacity !== undefined && fields.maxCapacity < Math.min(agent.currentLoad, agent.maxCapacity)) {
    throw new InvalidStateError(
      `Agent '${id}' holds ${agent.currentLoad} sessions: its capacity cannot become ${fields.maxCapacity} before it holds fewer`,
      `LOAD ${agent.currentLoad}`,
      [`LOAD ${fields.maxCapacity} or less`],
    );
  }
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  work.change('agents', agent, given);
  if (['type', 'role', 'maxCapacity'].some((field) => field in given)) mayTakeMore(work, agent);
  const wanted = collaborationsOf(collaborators, collaborations);
  if (wanted !== null) await setCollaborations(work, id, wanted);
  recordAgentChanged(work, agent);
  return { agentId: id };
}
