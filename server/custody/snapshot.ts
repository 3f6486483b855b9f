import type { SnapshotType } from '../generated/prisma/client.ts';
import { statement } from '../core/changes.ts';
import { estimateTokens } from '../core/tokens.ts';
import type { Work } from '../core/work.ts';

/** The part of a locked Session's row that says what is visible: everything since its last truncation. */
export interface VisibleLog {
  id: string;
  messageCount: number;
  toolCallCount: number;
  visibleFrom: number;
  visibleCallsFrom: number;
}

export interface VisibleCounts {
  user: number;
  assistant: number;
  system: number;
  tool: number;
  handoff: number;
  /** UTF-8 bytes of the visible Messages. */
  bytes: number;
}

export const nothingVisible = (): VisibleCounts => ({ user: 0, assistant: 0, system: 0, tool: 0, handoff: 0, bytes: 0 });

const readVisibleStatement = statement(`
SELECT count(*) FILTER (WHERE role = 'USER')::int AS user, count(*) FILTER (WHERE role = 'ASSISTANT')::int AS assistant,
  count(*) FILTER (WHERE role = 'SYSTEM')::int AS system, count(*) FILTER (WHERE role = 'TOOL')::int AS tool,
  count(*) FILTER (WHERE role = 'HANDOFF')::int AS handoff, coalesce(sum(octet_length(content)), 0)::float8 AS bytes
FROM messages WHERE session_id = $1 AND sequence >= $2`);

/** Counts what a locked Session's log shows now. */
export async function readVisible(work: Work, log: VisibleLog): Promise<VisibleCounts> {
  if (log.messageCount < log.visibleFrom) return nothingVisible();
  const [counts] = await work.query<VisibleCounts>(readVisibleStatement, [log.id, log.visibleFrom]);
  return counts ?? nothingVisible();
}

/** Stages a ContextSnapshot of what is visible now and returns its id. */
export function captureSnapshot(
  work: Work,
  log: VisibleLog,
  type: SnapshotType,
  agentSessionId: string | null,
  visible: VisibleCounts,
): string {
  const { id } = work.insert('context_snapshots', {
    id: work.newId(),
    sessionId: log.id,
    agentSessionId,
    type,
    sequenceStart: log.visibleFrom,
    sequenceEnd: log.messageCount,
    userCount: visible.user,
    assistantCount: visible.assistant,
    systemCount: visible.system,
    toolCount: visible.tool,
    handoffCount: visible.handoff,
    callStart: log.visibleCallsFrom,
    callEnd: log.toolCallCount,
    tokenEstimate: estimateTokens(visible.bytes),
    capturedAt: work.now,
  });
  return id;
}
