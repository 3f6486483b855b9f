/** A tool that the agent was offered. */
export interface KnownTool {
  /** The UUID of a defined tool; null for a generated one. */
  id: string | null;
  name: string;
  /** Null when an argument names the target (`enumTargets`). */
  targetAgentId: string | null;
  generated: boolean;
  /** Set for the one tool that stands for many targets: the argument that names the target, and the agents that it may name. */
  enumTargets?: { argument: string; agentIds: readonly string[] } | undefined;
}

export interface KnownAgent {
  id: string;
  archived: boolean;
  /** Read when a call names no agent by its id. */
  name?: string;
  role?: string | null;
  type?: string;
}

/** Facts about the agent whose model answered: its tools, and all agents. */
export interface Known {
  agentId: string;
  tools: readonly KnownTool[];
  agents: readonly KnownAgent[];
}
