import { redactText, redactValue } from './redact.ts';

/** A line of the log without secrets: the last guard, since an error may quote what a caller sent. It stays JSON. */
export function redactLogLine(line: string): string {
  if (redactText(line).count === 0) return line;
  return `${JSON.stringify(redactValue(JSON.parse(line)).value)}\n`;
}
