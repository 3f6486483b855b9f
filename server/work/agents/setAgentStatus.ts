import { BadUserInputError } from '../../core/errors.ts';
import type { Work } from '../../core/work.ts';
import type { AdministrativeStatus } from '../../generated/prisma/client.ts';
import { lockAgent, mayTakeMore, recordAgentChanged } from './lockAgent.ts';
import type { AgentAnswer } from './registerAgent.ts';

/** Opens or closes an agent for new work. Its current Sessions stay with it. */
export async function setAgentStatus(
  work: Work,
  { id, status }: { id: string; status: AdministrativeStatus },
): Promise<AgentAnswer> {
  const agent = await lockAgent(work, id);
  if (agent.archivedAt !== null) {
    throw new BadUserInputError(`Agent '${id}' is archived and has no status: register another agent`, ['input', 'id']);
  }
  if (agent.administrativeStatus === status) return { agentId: id };
  work.change('agents', agent, { administrativeStatus: status });
  mayTakeMore(work, agent);
  recordAgentChanged(work, agent);
  return { agentId: id };
}
