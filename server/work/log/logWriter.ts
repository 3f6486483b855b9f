import type { Work } from '../../core/work.ts';
import type { MessageKind, MessageRole, ToolCall, Turn } from '../../generated/prisma/client.ts';

export interface LogCounts {
  id: string;
  messageCount: number;
  turnCount: number;
  toolCallCount: number;
}

type CallFields = Pick<ToolCall, 'callId' | 'name' | 'result' | 'error' | 'filesModified'> & {
  arguments: unknown;
  durationMs?: number | null;
};

interface NewMessage {
  role: MessageRole;
  kind?: MessageKind;
  content: string;
  createdAt: Date;
}

/** Stages entries of a locked Session's log under the next numbers, and updates `counts`. */
export class LogWriter<Counts extends LogCounts> {
  constructor(
    private readonly work: Work,
    readonly counts: Counts,
    /** Tenure of the entries; null for entries of no agent. */
    private readonly agentSessionId: string | null,
  ) {}

  turn(fields: Pick<Turn, 'truncated' | 'startedAt'> & Partial<Turn>) {
    const { work, agentSessionId } = this;
    const usage = {
      inputTokens: null,
      outputTokens: null,
      cacheCreationInputTokens: null,
      cacheReadInputTokens: null,
      model: null,
      windowTokens: null,
    };
    return work.insert('turns', {
      ...usage,
      ...fields,
      id: work.newId(),
      sessionId: this.counts.id,
      agentSessionId,
      index: (this.counts.turnCount += 1),
    });
  }

  message(turnId: string, { role, kind = 'TEXT', content, createdAt }: NewMessage) {
    const { work, agentSessionId } = this;
    const recorded = { recordedBy: work.caller.principal, recordedRole: work.caller.role };
    const sequence = (this.counts.messageCount += 1);
    return work.insert('messages', {
      id: work.newId(),
      sessionId: this.counts.id,
      sequence,
      role,
      kind,
      content,
      turnId,
      agentSessionId,
      createdAt,
      ...recorded,
    });
  }

  /** `message` is the one that made the call; undefined when unknown. */
  call(turnId: string, message: { id: string; sequence: number } | undefined, fields: CallFields) {
    const { work } = this;
    return work.insert('tool_calls', {
      ...fields,
      id: work.newId(),
      sessionId: this.counts.id,
      turnId,
      messageId: message?.id ?? null,
      index: (this.counts.toolCallCount += 1),
      sequence: message?.sequence ?? this.counts.messageCount,
      arguments: (fields.arguments ?? null) as never,
    });
  }
}
