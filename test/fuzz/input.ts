/** One request, as it is sent. Texts may hold any characters; bytes that are no UTF-8 are in `base64`. */
export interface HttpStep {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
  base64?: string;
  as?: As;
}

/** Messages of one WebSocket: a text each, or the bytes of a frame. */
export interface SocketStep {
  messages: (string | { base64: string })[];
  as?: As;
}

/** Bytes on a connection. */
export interface RawStep {
  raw: string;
}

export type Step = HttpStep | SocketStep | RawStep;

/** Whose key is sent; none without it. */
export const callers = ['ADMIN', 'OPERATOR', 'AGENT', 'ANALYST'] as const;
export type As = (typeof callers)[number];

/**
 * An input of the fuzzer: one or more requests, on the demonstration data. `{{session}}` and the like in a later step stand
 * for the newest id of that kind in the answers to earlier steps.
 */
export interface Input {
  /** The part of the generator that made it. */
  kind: string;
  steps: Step[];
}

/** What a found input did, and the input. A file in `found` holds one. */
export interface Found {
  failure: string;
  input: Input;
}
