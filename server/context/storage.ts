import type { Prisma } from '../generated/prisma/client.ts';
import type { Context } from './context.ts';

/** The columns of a Handoff that store its Context. The summary has its own, because lists show it. */
export const contextColumns = { summary: true, context: true } as const satisfies Prisma.HandoffSelect;

type Row = Prisma.HandoffGetPayload<{ select: typeof contextColumns }>;

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

/** Returns a resolver for one field of the Context. */
export const carried =
  <Name extends keyof typeof absent>(name: Name) =>
  ({ context }: Pick<Row, 'context'>): (typeof absent)[Name] =>
    (context as unknown as Partial<Context>)[name] ?? absent[name];
