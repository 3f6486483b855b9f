import { findSecrets } from './find.ts';
import { merged, Pieces, type Span } from './pieces.ts';

/** One text among several that are redacted together. */
export interface Leaf {
  text: string;
  /** Texts of one group follow each other: a secret may begin in one and end in the next. */
  group: string;
  /** What the whole text is, when the name that it belongs to says so: `password`. */
  kind?: string | null;
  /** What stands before it and tells what it is: the name of a header. It is no part of the text. */
  before?: string;
}

// No pattern reaches over it.
const border = '\n\0\n';
// A secret that is split has at most so much on either side: as much as the longest private keys.
const reach = 16_384;

/** The secrets of each leaf, in their order. One pass over all leaves, and up to three over the places where those of a group meet. */
export function spansOf(leaves: readonly Leaf[]): Span[][] {
  const spans: Span[][] = leaves.map(({ text, kind }) => (kind == null ? [] : [{ start: 0, end: text.length, kind }]));
  const open = leaves.flatMap(({ text, group, kind, before = '' }, leaf) => (kind == null && text !== '' ? [{ leaf, text, group, before }] : []));
  const all = new Pieces();
  const groups = new Map<string, typeof open>();
  for (const part of open) {
    all.between(part.before);
    all.add(part.leaf, part.text);
    all.between(border);
    const group = groups.get(part.group);
    if (group === undefined) groups.set(part.group, [part]);
    else group.push(part);
  }
  for (const finding of findSecrets(all.text)) all.place(finding, spans);
  for (const group of groups.values()) {
    for (const joined of meetings(group)) {
      for (const finding of findSecrets(joined.text)) if (joined.crosses(finding)) joined.place(finding, spans);
    }
  }
  return spans.map((found, leaf) => merged(found, leaves[leaf]!.text));
}

type Part = readonly { leaf: number; text: string }[];

/**
 * Where texts meet: two by two, each pair on its own, since what begins with its text must not seem to go on from the
 * text before; and all of them, for what goes on through a text and beyond.
 */
function meetings(group: Part): Pieces[] {
  if (group.length < 2) return [];
  if (group.length === 2) return [sideBySide(group, group.length)];
  return [sideBySide(group, 2), sideBySide(group.slice(1), 2), sideBySide(group, group.length)];
}

/** Texts side by side, with a border after every `together` of them; of a long text only its ends. */
function sideBySide(group: Part, together: number): Pieces {
  const joined = new Pieces();
  for (const [position, { leaf, text }] of group.entries()) {
    if (position > 0 && position % together === 0) joined.between(border);
    if (text.length <= 2 * reach) {
      joined.add(leaf, text);
      continue;
    }
    joined.add(leaf, text.slice(0, reach));
    joined.between(border);
    joined.add(leaf, text.slice(-reach), text.length - reach);
  }
  return joined;
}
