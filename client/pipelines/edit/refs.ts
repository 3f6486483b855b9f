import type { Draft, StageRef } from './draft.ts';

/** References to stages as the values of a select: a key, an unknown name after `?`, or empty for none. */
export const fromRef = (ref: StageRef | null): string =>
  ref === null ? '' : typeof ref === 'number' ? String(ref) : `?${ref}`;

export const toRef = (chosen: string): StageRef | null =>
  chosen === '' ? null : chosen.startsWith('?') ? chosen.slice(1) : Number(chosen);

/** The stages to choose from, and the present reference when it is to none of them. */
export function stageOptions({ stages }: Draft, present: StageRef | null): (readonly [string, string])[] {
  const known = stages.map(
    ({ key, name }, index) => [fromRef(key), name.trim() === '' ? `Stage ${index + 1}` : name] as const,
  );
  return present === null || known.some(([value]) => value === fromRef(present))
    ? known
    : [[fromRef(present), `${present} (unknown)`], ...known];
}
