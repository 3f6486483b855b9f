import { type Context, editedOf } from './context.ts';
import type { Item } from './item.ts';

/** Names of edited fields, in words. */
const fieldWords: Record<string, string> = {
  targetAgentId: 'target',
  contextVariables: 'variables',
  carry: 'what is passed on',
};
const wordsOf = (field: string): string => fieldWords[field] ?? field;

/** "The operator 'Alice' edited this handoff before approving it: reason, summary." Null when nothing was edited. */
export function editedText(context: Pick<Context, 'contextVariables'>): string | null {
  const edited = editedOf(context);
  if (edited === null) return null;
  const who = edited.by === null ? 'An operator' : `The operator '${edited.by}'`;
  return `${who} edited this handoff before approving it: ${edited.changes.map(({ field }) => wordsOf(field)).join(', ')}.`;
}

/** A line for each edited field with what the agent gave. */
export const originalsOf = (context: Pick<Context, 'contextVariables'>): string[] =>
  (editedOf(context)?.changes ?? []).flatMap(({ field, before }) =>
    before === undefined ? [] : [`${wordsOf(field)}: ${before ?? 'none'}`],
  );

/** In the heading: who edited what. */
export function editedItem(context: Context): Item | null {
  const content = editedText(context);
  return content === null ? null : { id: 'reason-3', kind: 'REASON', content, stage: 'head' };
}

/** What the agent gave, in the work. */
export function originalsItem(context: Context): Item | null {
  const originals = originalsOf(context);
  return originals.length === 0
    ? null
    : { id: 'reason-4', kind: 'REASON', content: originals.join('\n'), stage: 'work' };
}
