import { diffWordsWithSpace } from 'diff';

export interface Words {
  kind: 'SAME' | 'ADDED' | 'REMOVED';
  text: string;
}

/** Longer searches for a short difference would hold the page. */
const mostMs = 100;
/** Characters of unchanged text that are shown on each side of a change. */
const around = 120;

/** The changed words of a text, each with a part of what stands around it. */
export function wordsChanged(before: string, after: string): Words[] {
  const parts = diffWordsWithSpace(before, after, { timeout: mostMs });
  const words: Words[] =
    parts === undefined
      ? [
          { kind: 'REMOVED', text: before },
          { kind: 'ADDED', text: after },
        ]
      : parts.map(({ value, added, removed }) => ({
          kind: added ? 'ADDED' : removed ? 'REMOVED' : 'SAME',
          text: value,
        }));
  return joined(words).map((part, index, all) =>
    part.kind === 'SAME' ? { ...part, text: shortened(part.text, index === 0, index === all.length - 1) } : part,
  );
}

/** One removed and one added text where only spaces stand between changes. */
function joined(words: readonly Words[]): Words[] {
  const runs: Words[] = [];
  let [removed, added, spaces] = ['', '', ''];
  const end = (): void => {
    if (removed !== '') runs.push({ kind: 'REMOVED', text: removed });
    if (added !== '') runs.push({ kind: 'ADDED', text: added });
    if (spaces !== '') runs.push({ kind: 'SAME', text: spaces });
    [removed, added, spaces] = ['', '', ''];
  };
  for (const { kind, text } of words) {
    if (kind === 'SAME' && (text.trim() !== '' || (removed === '' && added === ''))) {
      end();
      runs.push({ kind, text });
    } else if (kind === 'SAME') {
      spaces += text;
    } else {
      removed += spaces;
      added += spaces;
      spaces = '';
      if (kind === 'REMOVED') removed += text;
      else added += text;
    }
  }
  end();
  return runs;
}

/** The end of the text before the first change, the beginning after the last one, both between two. */
function shortened(text: string, isFirst: boolean, isLast: boolean): string {
  if (text.length <= 2 * around + 20) return text;
  const [beginning, end] = [isFirst ? '' : text.slice(0, around), isLast ? '' : text.slice(-around)];
  return `${beginning} ⋯ ${end}`;
}
