import { statement } from '../../core/changes.ts';
import { estimateTokens } from '../../core/tokens.ts';
import type { Work } from '../../core/work.ts';
import type { SnapshotType } from '../../generated/prisma/client.ts';
import { visibleCtes, type VisibleCounts } from '../context/visible.ts';

/** The visible range of a locked Session's log: everything since its last truncation. */
export interface VisibleLog {
  id: string;
  messageCount: number;
  toolCallCount: number;
  visibleFrom: number;
  visibleCallsFrom: number;
}

export const nothingVisible = (): VisibleCounts => ({
  user: 0,
  assistant: 0,
  system: 0,
  tool: 0,
  handoff: 0,
  bytes: 0,
  reported: null,
  bytesSince: 0,
});

const readVisibleStatement = statement(`
WITH ${visibleCtes({ from: '$2', callsFrom: '$3', tenure: '(SELECT last_agent_session_id FROM sessions WHERE id = $1)' })}
SELECT * FROM visible`);

/** Counts the part of a locked Session's log that its holder can see. */
export async function readVisible(work: Work, log: VisibleLog): Promise<VisibleCounts> {
  if (log.messageCount < log.visibleFrom && log.toolCallCount < log.visibleCallsFrom) return nothingVisible();
  const [counts] = await work.query<VisibleCounts>(readVisibleStatement, [
    log.id,
    log.visibleFrom,
    log.visibleCallsFrom,
  ]);
  return counts ?? nothingVisible();
}

/** At the start of a tenure the reported tokens belong to another agent's context window. */
function tokensOf(type: SnapshotType, { bytes, reported, bytesSince }: VisibleCounts): number {
  return type === 'SESSION_START' || reported === null ? estimateTokens(bytes) : reported + estimateTokens(bytesSince);
}

/** Stages a ContextSnapshot of the visible log and returns its id. */
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
    tokenEstimate: Math.min(tokensOf(type, visible), 2 ** 31 - 1),
    capturedAt: work.now,
  });
  return id;
}
