import { findSecrets } from './find.ts';
import type { Finding } from './finding.ts';
import { findingsOfStep, merged, Pieces, type Span } from './pieces.ts';

/** One of several texts that are redacted together. */
export interface Leaf {
  text: string;
  /** Texts of one group are consecutive: a secret may begin in one and end in the next. */
  group: string;
  /** Kind of the whole text, when its name determines it: `password`. */
  kind?: string | null;
  /** Context before the text that determines its kind, such as the name of a header. Not part of the text. */
  before?: string;
}

// No pattern matches across it.
const border = '\n\0\n';
// Longest part of a split secret on either side: the length of the longest private keys.
const reach = 16_384;

/** Leaves that are only listed or marked between two rests. */
export const leavesOfStep = 2_000;

/** Leaves that are searched between two steps. */
const usual = { leaves: 500, characters: 32 * 1024 };

/**
 * Finds the secrets of each leaf, in order. Searches all leaves once, and the borders within each group up to three times.
 * Each step takes a few milliseconds.
 */
export function* spansOf(leaves: readonly Leaf[], step: typeof usual = usual): Generator<void, Span[][], void> {
  const spans: Span[][] = [];
  const open: { leaf: number; text: string; group: string; before: string }[] = [];
  for (const [leaf, { text, group, kind, before = '' }] of leaves.entries()) {
    spans.push(kind == null ? [] : [{ start: 0, end: text.length, kind }]);
    if (kind == null && text !== '') open.push({ leaf, text, group, before });
    if (leaf % leavesOfStep === 0) yield;
  }
  const groups = new Map<string, typeof open>();
  for (const parts of stepsOf(open, step)) {
    const all = new Pieces();
    for (const part of parts) {
      all.between(part.before);
      all.add(part.leaf, part.text);
      all.between(border);
      const group = groups.get(part.group);
      if (group === undefined) groups.set(part.group, [part]);
      else group.push(part);
    }
    yield* placed(yield* findSecrets(all.text), (finding) => all.place(finding, spans));
  }
  for (const group of groups.values()) {
    for (const joined of bordersOf(group, step)) {
      yield* placed(yield* findSecrets(joined.text), (finding) => {
        if (joined.crosses(finding)) joined.place(finding, spans);
      });
    }
  }
  for (const [leaf, found] of spans.entries()) {
    if (found.length > 0) spans[leaf] = yield* merged(found, leaves[leaf]!.text);
    if (leaf % leavesOfStep === 0) yield;
  }
  return spans;
}

function* placed(findings: readonly Finding[], place: (finding: Finding) => void): Generator<void, void, void> {
  for (const [index, finding] of findings.entries()) {
    place(finding);
    if (index % findingsOfStep === 0) yield;
  }
  yield;
}

/** Divides leaves into steps, each with an even number of leaves but the last. */
function* stepsOf<Part extends { text: string }>(
  parts: readonly Part[],
  { leaves, characters }: typeof usual,
): Generator<readonly Part[]> {
  let [from, length] = [0, 0];
  for (const [index, { text }] of parts.entries()) {
    length += text.length;
    const count = index + 1 - from;
    if (count % 2 === 1 || (count < leaves && length < characters)) continue;
    yield parts.slice(from, index + 1);
    [from, length] = [index + 1, 0];
  }
  if (from < parts.length) yield parts.slice(from);
}

type Part = readonly { leaf: number; text: string }[];

/**
 * The borders between texts. Each pair separately, because a token that starts a text must not seem to continue the
 * text before it; and all together, for a secret that spans more than two texts.
 */
function* bordersOf(group: Part, step: typeof usual): Generator<Pieces> {
  if (group.length < 2) return;
  if (group.length > 2)
    for (const from of [0, 1]) for (const parts of stepsOf(group.slice(from), step)) yield sideBySide(parts, 2);
  yield sideBySide(group, group.length);
}

/** Joins texts, with a border after every `together` of them. Of a long text it takes only both ends. */
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
