import { useState, type ReactNode } from 'react';
import { titleOf, type Outcome } from '../acts/outcome.ts';
import { ErrorNote } from '../ui/ErrorNote.tsx';

interface Running {
  busy: boolean;
  /** Null while another one runs: nothing was done. */
  run: <Payload>(act: () => Promise<Outcome<Payload>>) => Promise<Outcome<Payload> | null>;
  /** Why the last one was refused. */
  note: ReactNode;
  /** Its words. */
  said: string | null;
}

/** Runs one act at a time; a refused one says why. What a person typed stays. */
export function useAct(): Running {
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<Extract<Outcome, { done: false }> | null>(null);
  return {
    busy,
    async run(act) {
      if (busy) return null;
      setBusy(true);
      setRefusal(null);
      const outcome = await act();
      setBusy(false);
      if (!outcome.done) setRefusal(outcome);
      return outcome;
    },
    said: refusal?.message ?? null,
    note:
      refusal === null ? null : refusal.code === 'CONFLICT' ? (
        <ErrorNote title="Not approved: the agent went on since you looked">
          What is passed on now is below, with what is new. Approve it again, or decline.
        </ErrorNote>
      ) : (
        <ErrorNote title={titleOf(refusal)}>{refusal.message}</ErrorNote>
      ),
  };
}
