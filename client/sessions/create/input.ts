import type { CreateSessionInput, SessionPriority } from '../../gql/graphql.ts';

/** Who gets a new session. */
export type Taker = 'nobody' | 'agent' | 'type' | 'pipeline';

/** What stands in the form. */
export interface NewSession {
  title: string;
  project: string;
  taker: Taker;
  agentId: string;
  agentType: string;
  queue: boolean;
  pipeline: string;
  priority: SessionPriority;
  /** Whether a person approves each handoff. */
  isApproved: boolean;
}

/** The input of the form. An agent, `ownId`, creates sessions that it holds itself. */
export function inputOf(
  { title, project, taker, agentId, agentType, queue, pipeline, priority, isApproved }: NewSession,
  ownId: string | null,
): CreateSessionInput {
  const chosen = { nobody: {}, agent: { agentId }, type: { agentType, queue }, pipeline: { pipeline } }[taker];
  return {
    title: title.trim(),
    ...(project.trim() && { project: project.trim() }),
    ...(ownId === null
      ? { priority, ...(isApproved && { handoffApproval: 'REQUIRED' }), ...chosen }
      : { agentId: ownId }),
  };
}
