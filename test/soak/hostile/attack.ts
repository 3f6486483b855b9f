/** The attackers' target: a running server with keys, and records with large answers. */
export interface Target {
  url: string;
  /** Keys of one agent, each with its own rate limit. */
  keys: string[];
  agentId: string;
  /** A session with a log of 57 MB, held by the agent. */
  largeSessionId: string;
  /** A session of the agent for uploads. */
  uploadSessionId: string;
  /** One of 100 handoffs with a full Context that the agent may read. */
  handoffId: string;
}

/** Counts of answers by HTTP status and code, or by the end of a connection. */
export type Tally = Record<string, number>;

/** One kind of hostile traffic, until `signal` aborts. */
export type Attack = (target: Target, count: (answer: string) => void, signal: AbortSignal) => Promise<void>;
