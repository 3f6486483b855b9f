import type { Prisma } from '../../generated/prisma/client.ts';
import type { Context } from './context.ts';

/** The columns of a Handoff that store its Context. The summary has its own, because lists show it. */
export const contextColumns = { summary: true, context: true } as const satisfies Prisma.HandoffSelect;

type Row = Prisma.HandoffGetPayload<{ select: typeof contextColumns }>;
/** What a field of the Context needs of a Handoff. */
export type Stored = Pick<Prisma.HandoffGetPayload<object>, 'id' | 'context'>;

/** Values for Handoffs older than a field. */
const absent: Omit<Context, 'summary'> = {
  summaryComposed: null,
  originalRequest: null,
  latestRequest: null,
  compactionSummary: null,
  lastMessage: null,
  toolSummaries: [],
  lastToolCalls: null,
  filesModified: [],
  pendingTasks: [],
  decisions: [],
  recentMessages: [],
  contextVariables: [],
  workspace: null,
  checks: [],
  failedAttempts: [],
  openQuestions: [],
  instructions: null,
  leftOut: null,
};

export const storedContext = ({ summary, ...context }: Context): Row => ({
  summary,
  context: context as unknown as Prisma.JsonObject,
});

export const readContext = ({ summary, context }: Row): Context => ({ ...absent, ...(context as object), summary });

export type Part = keyof typeof absent;
export type PartOf<Name extends Part> = (typeof absent)[Name];

export const partOf = <Name extends Part>({ context }: Stored, name: Name): PartOf<Name> =>
  (context as unknown as Partial<Context>)[name] ?? absent[name];
