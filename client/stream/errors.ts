/** Why a stream ended without `stop()`: `code` is the server's, or `SOCKET_CLOSED` with the close reason. */
export class StreamError extends Error {
  override readonly name = 'StreamError';

  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

export interface Refusal {
  message: string;
  extensions?: { code?: unknown; [key: string]: unknown };
}

export type Verdict = 'expired' | 'retry' | 'end';

/** Errors of the server are temporary; errors in the request are permanent. */
export function judge(refusals: readonly Refusal[]): { verdict: Verdict; error: StreamError } {
  const { message = 'The server refused the stream and did not say why', extensions } = refusals[0] ?? {};
  const code = typeof extensions?.code === 'string' ? extensions.code : 'UNKNOWN';
  const error = new StreamError(code, message);
  if (code === 'CURSOR_EXPIRED') return { verdict: 'expired', error };
  return { verdict: ['UNAVAILABLE', 'RATE_LIMITED', 'INTERNAL_SERVER_ERROR'].includes(code) ? 'retry' : 'end', error };
}

export interface Closing {
  code: number | undefined;
  reason: string;
}

// A retry would fail again: wrong key, wrong protocol, or our own error.
const fatal = [4400, 4401, 4403, 4406, 4409, 4429];
const restarting = [1001, 1012];
const overloaded = [1008, 1013];

/** What a closed socket means for its streams. */
export function judgeClosing({
  code,
  reason,
}: Closing): { verdict: 'retry' | 'restart' | 'later' } | { verdict: 'end'; error: StreamError } {
  if (code !== undefined && fatal.includes(code)) {
    const known = code === 4401 ? 'UNAUTHENTICATED' : code === 4403 ? 'FORBIDDEN' : 'SOCKET_CLOSED';
    return { verdict: 'end', error: new StreamError(known, `The server closed the socket: ${code} ${reason}`.trim()) };
  }
  if (code !== undefined && restarting.includes(code)) return { verdict: 'restart' };
  return { verdict: code !== undefined && overloaded.includes(code) ? 'later' : 'retry' };
}
