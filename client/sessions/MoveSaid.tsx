import { Fold } from '../ui/Fold.tsx';
import type { Move } from './moves.ts';

/** The notes of a move without a handoff. */
export function MoveSaid({ move }: { move: Move }) {
  const { reason, summary, metadata } = move.startedBy ?? {};
  return (
    <>
      {reason != null ? <Fold text={reason} lines={3} characters={300} /> : <span className="soft">No reason was given.</span>}
      {summary != null && <Fold text={summary} lines={4} characters={500} />}
      {metadata != null && <Fold text={JSON.stringify(metadata, null, 2)} lines={4} characters={300} mono />}
    </>
  );
}
