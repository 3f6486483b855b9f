/** What a Handoff carries for the next agent. Everything in it comes from the recorded log and the caller's input. */
export interface Context {
  summary: string;
  toolSummaries: ToolSummary[];
  filesModified: string[];
  pendingTasks: string[];
  decisions: string[];
  recentMessages: RecentMessage[];
  contextVariables: ContextVariable[];
  /** The target agent's instructions; null when it has none. */
  instructions: string | null;
}

export interface ToolSummary {
  toolName: string;
  callCount: number;
  errorCount: number;
  /** What the last call answered, or its error, shortened; null when it answered nothing. */
  lastResult: string | null;
}

export interface RecentMessage {
  role: 'USER' | 'ASSISTANT' | 'SYSTEM' | 'TOOL';
  content: string;
}

export interface ContextVariable {
  name: string;
  value: unknown;
  /** The agent or principal that set it last. */
  setBy: string;
}

/** Context variables as a Session keeps them. */
export type StoredVariables = Record<string, { value: unknown; setBy: string }>;

export const listVariables = (stored: StoredVariables): ContextVariable[] =>
  Object.entries(stored)
    .map(([name, { value, setBy }]) => ({ name, value, setBy }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));

/** Later values win, and are marked with who set them; the others keep their mark. */
export const mergeVariables = (stored: StoredVariables, given: Record<string, unknown>, setBy: string): StoredVariables => ({
  ...stored,
  ...Object.fromEntries(Object.entries(given).map(([name, value]) => [name, { value, setBy }])),
});
