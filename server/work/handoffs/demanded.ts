import type { ApprovalRule } from '../../generated/prisma/client.ts';

/** What may demand that a person approves a Handoff; the first that does is named. */
export const demands = ['SESSION', 'TRANSITION', 'TOOL', 'COLLABORATION'] as const;
export type Demand = (typeof demands)[number];

/** What demands the approval of a Handoff that an agent starts (rule: approval): the strictest of its rules wins. Null: nothing. */
export const demandedBy = (rules: Partial<Record<Demand, ApprovalRule | null | undefined>>): Demand | null =>
  demands.find((demand) => rules[demand] === 'REQUIRED') ?? null;
