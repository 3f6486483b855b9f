import { isObject, type Exported, type Fields } from './transcript.ts';

/** What the line stands for; null when Baton did not write it. */
export function exportedIn({ baton }: Fields): Exported | null {
  if (!isObject(baton) || typeof baton['session'] !== 'string') return null;
  return { session: baton['session'], message: numberIn(baton['message']), call: numberIn(baton['call']) };
}

const numberIn = (value: unknown): number | null =>
  typeof value === 'number' && Number.isInteger(value) ? value : null;

/** Whether the log of the Session has what the line stands for. A log that was restored from an earlier backup may not. */
export const isInLog = (
  exported: Exported | null,
  { session, messageCount, toolCallCount }: { session: string; messageCount: number; toolCallCount: number },
): boolean =>
  exported?.session === session && (exported.message ?? 0) <= messageCount && (exported.call ?? 0) <= toolCallCount;
