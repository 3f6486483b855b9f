import { Fold } from '../ui/Fold.tsx';

export interface Said {
  reason?: string | null;
  summary?: string | null;
  metadata?: unknown;
}

/** The notes of a move without a handoff. */
export function MoveSaid({ said: { reason, summary, metadata } }: { said: Said }) {
  return (
    <>
      {reason != null ? (
        <Fold text={reason} lines={3} characters={300} />
      ) : (
        <span className="soft">No reason was given.</span>
      )}
      {summary != null && <Fold text={summary} lines={4} characters={500} />}
      {metadata != null && <Fold text={JSON.stringify(metadata, null, 2)} lines={4} characters={300} mono />}
    </>
  );
}
