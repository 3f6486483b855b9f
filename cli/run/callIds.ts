import { createHash } from 'node:crypto';

/**
 * The id under which a call is recorded. Models repeat theirs, or give none; Baton and the next runner know a call by it. Nine letters
 * and digits, as the strictest provider wants them.
 */
export function callId(agentSessionId: string, step: number, index: number): string {
  const hash = createHash('sha256').update(`${agentSessionId} ${step} ${index}`).digest();
  return hash.readBigUInt64BE().toString(36).padStart(13, '0').slice(-9);
}
