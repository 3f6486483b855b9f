import { redactText, redactValue } from './redact.ts';

/** Removes secrets from a line of the server's log, because an error may quote a caller's input. The line stays JSON. */
export function redactLogLine(line: string): string {
  if (redactText(line).count === 0) return line;
  return `${JSON.stringify(redactValue(JSON.parse(line)).value)}\n`;
}
