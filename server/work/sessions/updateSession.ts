import { canonicalJson } from '../../core/canonicalJson.ts';
import { statement } from '../../core/changes.ts';
import { ForbiddenError } from '../../core/errors.ts';
import type { Work } from '../../core/work.ts';
import type { SessionWorkspace } from '../../core/workspace.ts';
import type { ApprovalRule, SessionPriority } from '../../generated/prisma/client.ts';
import type { StoredVariables } from '../context/context.ts';
import { Custody } from '../custody/custody.ts';
import { demandAct, demandOpen, demandVersion, lockSession } from '../custody/demand.ts';
import { changePriority } from '../queue/entry.ts';
import { followBudget, useOf } from './budget.ts';
import { type SessionAnswer, workspaceColumns } from './createSession.ts';
import { demandFreeExternalId } from './externalId.ts';

/** Undefined fields stay unchanged. */
export interface UpdateSessionInput {
  sessionId: string;
  title?: string | undefined;
  metadata?: unknown;
  /** Merged into the Session's variables; null removes one. */
  contextVariables?: Record<string, unknown> | undefined;
  handoffsEnabled?: boolean | undefined;
  handoffApproval?: ApprovalRule | undefined;
  maxHandoffs?: number | undefined;
  priority?: SessionPriority | undefined;
  /** Null removes it. */
  tokenBudget?: number | null | undefined;
  /** Null removes it. */
  externalId?: string | null | undefined;
  /** Null removes it. */
  project?: string | null | undefined;
  /** Null removes it. */
  workspace?: SessionWorkspace | null | undefined;
  expectedVersion: number | null;
}

const readFields = statement(
  'SELECT title, metadata, project, external_id AS "externalId", workspace, workspace_id AS "workspaceId", repository FROM sessions WHERE id = $1',
);

/** Changes fields of an open Session. An update without a difference writes nothing and keeps the version. */
export async function updateSession(
  work: Work,
  { sessionId, expectedVersion, contextVariables, workspace, ...given }: UpdateSessionInput,
): Promise<SessionAnswer> {
  await lockSession(work, sessionId);
  const custody = await Custody.of(work, sessionId);
  const { session } = custody;
  demandAct(custody, 'steer');
  const operators = Object.entries({ ...given, contextVariables }).flatMap(([name, value]) =>
    value === undefined || name === 'title' ? [] : [name],
  );
  if (work.caller.agentId !== null && operators.length > 0) {
    throw new ForbiddenError(
      `An agent may change only the title and the workspace of the session that it holds: leave out ${operators.join(', ')}, or ask an operator`,
    );
  }
  demandVersion(custody, expectedVersion);
  demandOpen(custody);

  const [fields] = await work.query<{
    title: string;
    metadata: unknown;
    project: string | null;
    externalId: string | null;
    workspace: SessionWorkspace | null;
    workspaceId: string | null;
    repository: string | null;
  }>(readFields, [sessionId]);
  if (given.externalId != null && given.externalId !== fields?.externalId)
    await demandFreeExternalId(work, given.externalId);
  const now: Record<string, unknown> = { ...session, ...fields };
  const wanted = {
    ...given,
    ...(workspace !== undefined && workspaceColumns(workspace)),
    ...(contextVariables !== undefined && { contextVariables: withVariables(custody, contextVariables) }),
  };
  const changes = Object.entries(wanted).filter(
    ([name, value]) => value !== undefined && canonicalJson(value) !== canonicalJson(now[name] ?? null),
  );
  if (changes.length > 0) {
    if (custody.queued !== null && given.priority !== undefined) changePriority(work, custody.queued, given.priority);
    const use = given.tokenBudget === undefined ? null : await useOf(custody, given.tokenBudget);
    const before = use && { ...use, budget: session.tokenBudget };
    custody.changed(Object.fromEntries(changes));
    custody.recordCustody('SESSION_CHANGED');
    if (use !== null) await followBudget(custody, before!, use);
  }
  return { sessionId };
}

/** A variable with an unchanged value keeps its setter. */
function withVariables(custody: Custody, given: Record<string, unknown>): StoredVariables {
  const stored = custody.session.contextVariables as StoredVariables;
  const fresh = Object.entries(given).filter(
    ([name, value]) => !Object.hasOwn(stored, name) || canonicalJson(stored[name]!.value) !== canonicalJson(value),
  );
  const merged = custody.variablesWith(Object.fromEntries(fresh));
  return Object.fromEntries(
    Object.entries(merged).filter(([name]) => !Object.hasOwn(given, name) || given[name] !== null),
  );
}
