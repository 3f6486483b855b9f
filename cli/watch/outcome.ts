import { redactText } from '../../server/work/redaction/redact.ts';

/** How a run ended, in progress lines and in the exit code. */
export type Outcome =
  /** The command ended well, and the session is still the agent's. */
  | 'completed'
  /** The session was handed on or finished while the command ran. */
  | 'passed on'
  /** The command failed: the session goes back to its source. */
  | 'failed'
  /** The command failed after it had taken the session over: the agent keeps it. */
  | 'kept'
  /** The handoff was ended by others while the command ran. */
  | 'gone';

export interface Taken {
  /** Of the handoff. */
  status: string;
  /** Of the tenure that it began; null when it cannot be read. */
  tenure: string | null;
}

/** Judges a run by what became of its tenure, and only then by the exit code: a model may hand off and its program fail afterwards. */
export function outcomeOf({ status, tenure }: Taken, exitCode: number | null): Outcome {
  if (tenure === 'HANDED_OFF' || tenure === 'COMPLETED') return 'passed on';
  if (tenure !== 'ACTIVE' && tenure !== 'PAUSED') return 'gone';
  if (exitCode === 0) return 'completed';
  return status === 'ACCEPTED' ? 'failed' : 'kept';
}

const maxReasonBytes = 3_000;

/**
 * For people and for the agent that gets the session back: what happened, and the last lines of the output. Secrets are redacted
 * before the text is cut: a part of a secret is not recognised.
 */
export function reasonOf(exitCode: number | null, output: string, stopped: string | null): string {
  const what =
    stopped ??
    (exitCode === null
      ? 'The command of baton watch was killed while it ran. It is not run again.'
      : `The command of baton watch ended with exit code ${exitCode}.`);
  const lines = redactText(output.replaceAll(/\u001B\[[0-9;?]*[A-Za-z]/g, ''))
    .text.split(/[\r\n]+/)
    .map((line) => line.replaceAll(/[\p{Cc}\p{Cf}]/gu, ' ').trimEnd())
    .filter((line) => line !== '')
    .slice(-20);
  const text = Buffer.from(lines.join('\n'))
    .subarray(-maxReasonBytes)
    .toString()
    .replace(/^\uFFFD+/, '');
  return text === '' ? `${what} It printed nothing.` : `${what} Its last lines:\n${text}`;
}
