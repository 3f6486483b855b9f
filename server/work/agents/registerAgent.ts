import { ConflictError } from '../../core/errors.ts';
import type { Work } from '../../core/work.ts';
import type { Agent } from '../../generated/prisma/client.ts';
import {
  collaborationsOf,
  findAndLockAgent,
  mayTakeMore,
  recordAgentChanged,
  setCollaborations,
  type Collaboration,
} from './lockAgent.ts';

export interface AgentFields {
  type: string;
  name: string;
  role: string | null;
  description: string | null;
  instructions: string | null;
  maxCapacity: number;
  /** Tokens that fit into the window of its model. */
  contextWindow?: number | null;
  metadata: unknown;
  /** Ids of agents; ignored with `collaborations`. */
  collaborators?: readonly string[] | undefined;
  collaborations?: readonly Collaboration[] | undefined;
}

export interface AgentAnswer {
  agentId: string;
}

/** Adds an AVAILABLE agent. An id is never reused, not even that of an archived agent. */
export async function registerAgent(
  work: Work,
  { id, collaborators, collaborations, metadata, contextWindow = null, ...fields }: AgentFields & { id: string },
): Promise<AgentAnswer> {
  if ((await findAndLockAgent(work, id)) !== null) {
    throw new ConflictError(
      `Agent id '${id}' is taken or was used before: choose another id, or change that agent (updateAgent)`,
    );
  }
  const agent = insertAgent(work, {
    ...fields,
    id,
    contextWindow,
    metadata: metadata ?? null,
    model: null,
    definition: null,
  });
  await setCollaborations(work, id, collaborationsOf(collaborators, collaborations) ?? []);
  recordAgentChanged(work, agent);
  return { agentId: id };
}

type NewAgent = Omit<
  Agent,
  'administrativeStatus' | 'currentLoad' | 'totalAssigned' | 'inboxSequence' | 'registeredAt' | 'archivedAt'
>;

/** Stages an AVAILABLE agent without work. */
export function insertAgent(work: Work, fields: NewAgent): Agent {
  const agent: Agent = {
    ...fields,
    administrativeStatus: 'AVAILABLE',
    currentLoad: 0,
    totalAssigned: 0,
    inboxSequence: 0,
    registeredAt: work.now,
    archivedAt: null,
  };
  mayTakeMore(work, agent);
  return work.insert('agents', agent);
}
