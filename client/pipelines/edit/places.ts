import type { Fault } from '../../../server/work/pipelines/rules.ts';
import type { Draft } from './draft.ts';

/** A fault with the field that it belongs to. */
export interface Problem {
  /** Such as `stages.0.name`; empty for the whole definition. */
  place: string;
  /** The path, then the reason. */
  text: string;
  /** Nothing was typed there yet. */
  isMissing: boolean;
}

const fields = {
  stages: [
    'name',
    'role',
    'agentType',
    'phase',
    'instructions',
    'payloadSchema',
    'acceptWithinMinutes',
    'remindAfterMinutes',
    'escalateTo',
  ],
  transitions: ['outcome', 'to', 'when.variable', 'when.value', 'when', 'payloadSchema', 'approval', 'from'],
};

/** The field of the form for a path in the definition: the nearest one that there is. */
export function placeOf(path: readonly (string | number)[], draft: Draft): string {
  const [list, index, ...rest] = path.map(String);
  if (list === undefined) return '';
  if (list !== 'stages' && list !== 'transitions')
    return ['slug', 'name', 'description', 'start'].includes(list) ? list : '';
  if (index === undefined || draft[list][Number(index)] === undefined) return 'stages';
  const within = rest.join('.');
  const field = fields[list].find((each) => within === each || within.startsWith(`${each}.`));
  return field === undefined ? `${list}.${index}` : `${list}.${index}.${field}`;
}

export function problemOf({ path, message }: Fault, draft: Draft): Problem {
  const [list, index] = path;
  const record =
    typeof index === 'number' && (list === 'stages' || list === 'transitions') ? draft[list][index] : draft;
  const typed = (record as unknown as Record<string, unknown> | undefined)?.[String(path.at(-1))];
  return {
    place: placeOf(path, draft),
    text: `${path.join('.')} ${message}`,
    isMissing: typeof typed === 'string' && typed.trim() === '',
  };
}

/** Focuses the field of a place, in a folded part too. */
export function focusPlace(form: HTMLElement, place: string): void {
  const found = form.querySelector<HTMLElement>(`[data-place="${place}"]`);
  for (let part = found?.closest('details'); part; part = part.parentElement?.closest('details')) part.open = true;
  const field = found?.querySelector<HTMLElement>('input, select, textarea, summary, button') ?? found;
  field?.scrollIntoView({ block: 'center' });
  field?.focus();
}
