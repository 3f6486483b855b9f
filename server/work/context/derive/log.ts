/** The part of one Session's log from which facts are derived, in order. */
export interface RecordedLog {
  messages: readonly RecordedMessage[];
  calls: readonly RecordedCall[];
  /** Each with the index of the Turn that states it. */
  workspaces: readonly (Workspace & { turn: number })[];
  /** Numbers of the messages by which programs record that a person stopped the agent. */
  stops?: readonly number[];
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
  /** Number of the last Message before the call. */
  sequence: number;
  name: string;
  arguments: unknown;
  /** Result and error may lack their middle; 2,000 characters at each end are enough. */
  result: string | null;
  error: string | null;
  filesModified: readonly string[];
}

/** An answered call of a sub-agent. */
export interface RecordedReport {
  /** The call in the log. */
  id: string;
  callId: string;
  /** Number of the last Message before the call. */
  sequence: number;
  name: string;
  arguments: unknown;
  outcome: string;
  /** Whether the outcome lacks its middle. */
  cut: boolean;
  failed: boolean;
}

/** Null means unknown. */
export interface Workspace {
  folder: string | null;
  branch: string | null;
  commit: string | null;
  /** The machine, and the address of the repository: known of a Session, not of a Turn. */
  host?: string | null;
  repository?: string | null;
  /** What the program of the newest Turn allowed its agent. */
  sandbox?: string | null | undefined;
  /** Only of a Session. */
  id?: string | null;
}

/** The fields of a JSON object; empty for any other value. */
export const fieldsOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
