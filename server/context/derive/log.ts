/** The recorded log of one Session, in order, as far as facts are derived from it. */
export interface RecordedLog {
  messages: readonly RecordedMessage[];
  calls: readonly RecordedCall[];
  /** Where the work stood, by the index of the Turn that says so. */
  workspaces: readonly (Workspace & { turn: number })[];
}

export interface RecordedMessage {
  sequence: number;
  role: 'USER' | 'ASSISTANT' | 'SYSTEM' | 'TOOL' | 'HANDOFF';
  content: string;
}

export interface RecordedCall {
  callId: string;
  /** Index of its Turn. */
  turn: number;
  /** Number of the last Message when it was made. */
  sequence: number;
  name: string;
  arguments: unknown;
  /** Result and error may be cut in the middle: 2,000 characters of the beginning and of the end are enough. */
  result: string | null;
  error: string | null;
  filesModified: readonly string[];
}

/** Where the work stands. Null: nobody said. */
export interface Workspace {
  folder: string | null;
  branch: string | null;
  commit: string | null;
}

/** A JSON object's fields; none for any other value. */
export const fieldsOf = (value: unknown): Record<string, unknown> => (typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {});
