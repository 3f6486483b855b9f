import type { Context } from './context.ts';
import type { Item } from './item.ts';

/** Where the whole of it is in the log. */
export const placeOf = ({ callId }: { callId: string }): string => ` (call ${callId})`;

/** What failed and was not repeated with success. */
export function attemptItem(attempt: Context['failedAttempts'][number], index: number): Item {
  const { what, error } = attempt;
  const place = placeOf(attempt);
  return {
    id: `failed-attempt-${index + 1}`,
    kind: 'FAILED_ATTEMPT',
    content: `${what}${place} -> ${error}`,
    stage: 'work',
    call: { made: what, gist: what, outcome: error },
    place,
  };
}

/** What failed, and what worked instead. */
export function solvedItem(solved: NonNullable<Context['solved']>[number], index: number): Item {
  const { what, error, worked, callId } = solved;
  const item = attemptItem({ what, error, callId }, index);
  return {
    ...item,
    id: `solved-${index + 1}`,
    content: `${item.content}; worked: ${worked}`,
    call: { made: what, gist: what, outcome: error, worked },
  };
}

/** A call in short, or files that were read. */
export function stepItem({ what, outcome, callId, since }: NonNullable<Context['steps']>[number], index: number): Item {
  const place = callId === null ? '' : placeOf({ callId });
  const item = {
    id: `${since === true ? 'look' : 'step'}-${index + 1}`,
    kind: 'CALL' as const,
    stage: since === true ? ('calls' as const) : ('rest' as const),
    ...(callId !== null && { place }),
  };
  return outcome === null
    ? { ...item, content: what + place, brief: what }
    : { ...item, content: `${what}${place} -> ${outcome}`, call: { made: what, gist: what, outcome } };
}

export const findingItem = (finding: NonNullable<Context['findings']>[number], index: number): Item => ({
  id: `finding-${index + 1}`,
  kind: 'FINDING',
  content: `${finding.line} (from ${finding.command})${placeOf(finding)}`,
  brief: finding.line,
  place: placeOf(finding),
  stage: 'work',
});

export const observationItem = (seen: NonNullable<Context['observations']>[number], index: number): Item => ({
  ...findingItem(seen, index),
  id: `observation-${index + 1}`,
  kind: 'OBSERVATION',
  stage: 'calls',
});
