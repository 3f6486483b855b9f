/** What attackers are given: a running server with keys, and records that make its answers large. */
export interface Target {
  url: string;
  /** Keys of one agent. Each has its own rate limit. */
  keys: string[];
  agentId: string;
  /** A session whose log holds 57 MB, held by the agent. */
  largeSessionId: string;
  /** A session of the agent that uploads are sent to. */
  uploadSessionId: string;
  /** A handoff with a full Context, one of 100 that the agent may read. */
  handoffId: string;
}

/** How often each answer came, by HTTP status and code, or by what became of a connection. */
export type Tally = Record<string, number>;

/** One kind of hostile traffic; it goes on until `signal` aborts. */
export type Attack = (target: Target, count: (answer: string) => void, signal: AbortSignal) => Promise<void>;
