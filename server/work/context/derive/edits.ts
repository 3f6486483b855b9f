import { fieldsOf, type RecordedCall } from './log.ts';

/** One change of one file. */
export interface Edit {
  /** Texts that it replaced, and by what; null where the log does not tell both. */
  swap: { from: string; to: string } | null;
  /** Whether the file is not there afterwards. */
  removes: boolean;
}

/** A text of this length may lack its end. */
const cutAt = 4_000;
const textOf = (...values: unknown[]): string | undefined =>
  values.find((value): value is string => typeof value === 'string');

/** A swap that the opposite one undoes: of the one place where its text stands. */
const swapOf = (from: string | undefined, to: string | undefined): Edit['swap'] =>
  from === undefined || to === undefined || from === '' || to === '' || Math.max(from.length, to.length) >= cutAt
    ? null
    : { from, to };
const opaque: Edit = { swap: null, removes: false };

/** The edits of a file by a call; `patch` is the text that may hold a patch. */
export function editsOf({ arguments: given }: RecordedCall, path: string, patch: string): Edit[] {
  const args = fieldsOf(given);
  if (patch.includes('*** Begin Patch')) return patch.length >= cutAt ? [opaque] : hunksOf(patch, path);
  const each = Array.isArray(args['edits']) ? args['edits'].map(fieldsOf) : [args];
  const edits = each.map((fields): Edit => {
    if (fields['replace_all'] === true || fields['replaceAll'] === true) return opaque;
    const from = textOf(fields['old_string'], fields['old_str'], fields['oldString']);
    return { ...opaque, swap: swapOf(from, textOf(fields['new_string'], fields['new_str'], fields['newString'])) };
  });
  return edits.length === 0 ? [opaque] : edits;
}

/** Whether a patch means a file by a name, which may be shorter than its path. */
export const isOfName = (path: string, name: string): boolean =>
  path === name || path.endsWith(`/${name.replace(/^\.\//, '')}`);

/** The hunks of a patch for one file. */
function hunksOf(patch: string, path: string): Edit[] {
  const [, ...sections] = patch.split(/^\*\*\* (?=(?:Add|Update|Delete) File: )/m);
  const section = sections.find((text) => isOfName(path, /^\w+ File: (.+)$/m.exec(text)?.[1]?.trim() ?? ''));
  if (section === undefined) return [opaque];
  if (section.startsWith('Delete')) return [{ swap: null, removes: true }];
  if (!section.startsWith('Update') || /^\*\*\* Move to: /m.test(section)) return [opaque];
  const hunks = section
    .split('\n')
    .slice(1)
    .join('\n')
    .split(/^@@.*\n/m);
  return hunks
    .filter((hunk) => /^[-+]/m.test(hunk))
    .map((hunk) => {
      const lines = hunk.split('\n').filter((line) => /^[-+ ]/.test(line));
      const side = (sign: string): string =>
        lines
          .filter((line) => !line.startsWith(sign))
          .map((line) => line.slice(1))
          .join('\n');
      return { swap: swapOf(side('+'), side('-')), removes: false };
    });
}

/** What is left of the edits of one file when one undid another. */
export function leftOf(edits: readonly Edit[]): Edit[] {
  const left: Edit[] = [];
  for (const edit of edits) {
    const { swap } = edit;
    const at = swap === null ? -1 : left.findLastIndex((earlier) => earlier.swap?.to === swap.from);
    if (swap === null || at < 0) {
      left.push(edit);
      continue;
    }
    const { from } = left[at]!.swap!;
    if (from === swap.to) left.splice(at, 1);
    else left[at] = { ...edit, swap: { from, to: swap.to } };
  }
  return left;
}
