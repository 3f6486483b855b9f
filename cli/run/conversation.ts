/** What an agent did in a tenure, as its log has it, and what its model reads of it. */

export interface Call {
  /** Unique in the Session, whatever the model called it. */
  id: string;
  name: string;
  /** Null when the model's could not be read. */
  arguments: Record<string, unknown> | null;
  /** Null: it has no outcome yet. */
  result: string | null;
  error: string | null;
  /** What the provider wants back with the call; known only to the process that got the answer. */
  providerOptions?: Record<string, Record<string, unknown>>;
}

/** One answer of the model. */
export interface Step {
  kind: 'step';
  text: string;
  calls: Call[];
}

/** What a person or a program said to the agent meanwhile. */
export interface Said {
  kind: 'said';
  text: string;
}

export type Entry = Step | Said;

export interface Tool {
  name: string;
  description: string;
  inputSchema: Record<string, unknown>;
}

/** What a model is asked. */
export interface Question {
  sessionId: string;
  agentId: string;
  /** Of the Session, how often the agent has it: 0 for the first time. */
  tenure: number;
  /** Steps of the tenure so far. */
  step: number;
  system: string;
  entries: readonly Entry[];
  tools: readonly Tool[];
}

export interface Usage {
  inputTokens: number | null;
  outputTokens: number | null;
  cacheReadInputTokens: number | null;
  cacheCreationInputTokens: number | null;
}

export interface Answer {
  /** As the provider gave it: Baton reads the calls in it. */
  response: unknown;
  text: string;
  /** The name by which the provider calls the model. */
  model: string;
  usage: Usage | null;
  /** It ended at the greatest length. */
  isCut: boolean;
  /** For each call in its order, what the provider wants back with it. */
  providerOptions: readonly (Call['providerOptions'] | undefined)[];
}

export interface Model {
  /** As the definition or the models file names it. */
  name: string;
  /** In tokens; null when not known. */
  contextWindow: number | null;
  /** Dollars for a million tokens; null when not known. */
  price: { input: number; output: number } | null;
  /** @throws ModelError */
  answer(question: Question, signal: AbortSignal): Promise<Answer>;
}

/** Why a model gave no answer. */
export class ModelError extends Error {
  constructor(
    message: string,
    /** Whether the same question may be answered later: over the limit, busy, or not reached. */
    readonly isPassing: boolean,
    /** Milliseconds after which the provider wants to be asked again; null when it does not say. */
    readonly retryAfterMs: number | null = null,
    /** Nothing answered at its address. */
    readonly isUnreached = false,
  ) {
    super(message);
  }
}
