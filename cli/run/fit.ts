import type { Call, Entry } from './conversation.ts';

/** Characters for a token, as Baton estimates them. */
const perToken = 4;
/** From this share of the window on results are left out, until the conversation takes less than the other. */
const fullFrom = 0.8;
const fullTo = 0.6;
/** A reference is about as long. */
const shortest = 300;

/**
 * Replaces the oldest results of tools by references when the conversation nearly fills the window of the model. `left` has the calls whose
 * results were replaced before, and gets those of this time.
 */
export function fitInto(
  contextWindow: number | null,
  entries: readonly Entry[],
  { fixed, left }: { fixed: number; left: Set<string> },
): { entries: Entry[]; truncated: boolean } {
  const shown = (): Entry[] => entries.map((entry) => withReferences(entry, left));
  if (contextWindow === null) return { entries: shown(), truncated: false };
  let size = fixed + JSON.stringify(shown()).length;
  const most = contextWindow * perToken;
  if (size <= most * fullFrom) return { entries: shown(), truncated: false };
  let truncated = false;
  // The last step stays whole: the model has not read its results yet.
  for (const entry of entries.slice(0, -1))
    for (const call of entry.kind === 'step' ? entry.calls : []) {
      if (size <= most * fullTo) break;
      if (left.has(call.id) || (call.result?.length ?? 0) <= shortest) continue;
      left.add(call.id);
      size -= call.result!.length - reference(call).length;
      truncated = true;
    }
  return { entries: shown(), truncated };
}

const withReferences = (entry: Entry, left: ReadonlySet<string>): Entry =>
  entry.kind === 'said' || !entry.calls.some(({ id }) => left.has(id))
    ? entry
    : { ...entry, calls: entry.calls.map((call) => (left.has(call.id) ? { ...call, result: reference(call) } : call)) };

const reference = ({ id, result }: Call): string =>
  `[${result?.length ?? 0} characters left out: the tool read gives them, with {"call": "${id}"}]`;
