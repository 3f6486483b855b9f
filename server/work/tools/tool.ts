import type { ApprovalRule } from '../../generated/prisma/client.ts';

/** A function that an agent may call to hand off: defined by a person, or generated from a collaboration. */
export interface HandoffTool {
  id: string;
  name: string;
  description: string;
  targetAgentId: string;
  /** The agents to which it is offered, by id. */
  agentIds: string[];
  variables: ToolVariable[];
  /** For the target; null when there are none. */
  instructions: string | null;
  /** What its Handoffs pass on; null for what the collaboration with the target says, else everything. */
  carry: unknown;
  /** Whether a person has to approve its Handoffs. */
  approval: ApprovalRule;
  generated: boolean;
  /** Null for a generated tool. */
  createdAt: Date | null;
  /** For a generated tool the time at which one of its two agents was archived. */
  archivedAt: Date | null;
  target: ToolTarget;
}

export interface ToolTarget {
  name: string;
  role: string | null;
  archived: boolean;
  /** AVAILABLE with a free place. */
  available: boolean;
}

export const variableTypes = ['STRING', 'NUMBER', 'INTEGER', 'BOOLEAN', 'ARRAY', 'OBJECT'] as const;
export type VariableType = (typeof variableTypes)[number];

/** A typed argument of a defined tool, which becomes a context variable. */
export interface ToolVariable {
  name: string;
  type: VariableType;
  required: boolean;
  description: string | null;
  /** The values that are allowed; null for any of the type. */
  enum: unknown[] | null;
  /** The value when the call gives none; null when there is none. */
  default: unknown;
}

/** What every provider takes as the name of a function. */
export const isToolName = (name: string): boolean => /^[a-zA-Z0-9_-]{1,64}$/.test(name);

export const generatedPrefix = 'transfer_to_';
export const generatedName = (targetAgentId: string): string => generatedPrefix + targetAgentId;

/** Stands for all generated tools of an agent with many targets, so no defined tool may have this name. */
export const toolOfMany = 'handoff';

/** Arguments of every tool. A variable may not have these names. */
export const commonArguments = ['reason', 'summary', 'variables', 'target'];

export const isEnabled = ({ archivedAt, target }: Pick<HandoffTool, 'archivedAt' | 'target'>): boolean =>
  archivedAt === null && !target.archived;
