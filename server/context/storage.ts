import type { Prisma } from '../generated/prisma/client.ts';
import type { Context } from './context.ts';

/** The columns of a Handoff that are its Context: its summary, which lists show, and one column for all the rest. */
export const contextColumns = { summary: true, context: true } as const satisfies Prisma.HandoffSelect;

type Row = Prisma.HandoffGetPayload<{ select: typeof contextColumns }>;

/** What a Handoff of before a field was kept has for it. */
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

export const storedContext = ({ summary, ...context }: Context): Row => ({ summary, context: context as unknown as Prisma.JsonObject });

export const readContext = ({ summary, context }: Row): Context => ({ ...absent, ...(context as object), summary });

/** Resolves a field of a Handoff that is a part of its Context. */
export const carried =
  <Name extends keyof typeof absent>(name: Name) =>
  ({ context }: Pick<Row, 'context'>): (typeof absent)[Name] =>
    (context as unknown as Partial<Context>)[name] ?? absent[name];
