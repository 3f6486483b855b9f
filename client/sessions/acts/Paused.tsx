import { useState } from 'react';
import { useClient } from 'urql';
import { titleOf, type Outcome } from '../../acts/outcome.ts';
import { useKeys } from '../../approvals/useKeys.ts';
import { graphql } from '../../gql/gql.ts';
import { readFragment, type FragmentType } from '../../gql/index.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { showNotice } from '../../ui/notices.ts';
import { TextField } from '../../ui/TextField.tsx';
import { actOnSession, raiseBudget } from './acts.ts';
import styles from './Paused.module.css';
import { SessionsActed } from './SessionsActed.tsx';

export const PausedFragment = graphql(`
  fragment Paused on Session {
    id
    title
    pauseReason
    tokenBudget
  }
`);

/** The reason that Baton gives to the pause of a session whose budget is used up. */
const budgetUsed = 'token budget used';

interface PausedProps {
  session: FragmentType<typeof PausedFragment>;
  /** What the button says. */
  word?: string;
  /** What resuming means here. */
  hint?: string;
  /** Whether it acts by the key r. */
  keys?: boolean;
  onResumed?: () => void;
}

/** Resumes a paused session, with a higher budget of tokens where its budget is used up. */
export function Paused({ session: masked, word = 'Resume', hint, keys = false, onResumed }: PausedProps) {
  const { id, title, pauseReason, tokenBudget } = readFragment(PausedFragment, masked);
  const client = useClient();
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<Extract<Outcome, { done: false }> | null>(null);
  const [budget, setBudget] = useState('');
  const needsBudget = tokenBudget != null && (pauseReason === budgetUsed || refusal !== null);
  const resume = async (): Promise<void> => {
    if (busy) return;
    setBusy(true);
    setRefusal(null);
    const raised: Outcome =
      needsBudget && budget !== '' ? await raiseBudget(client, id, Number(budget)) : { done: true, payload: null };
    const outcome = raised.done ? await actOnSession(client, 'resume', id) : raised;
    setBusy(false);
    if (!outcome.done) return setRefusal(outcome);
    showNotice(<SessionsActed act="resume" sessions={[{ id, title }]} />, { hasActs: true });
    onResumed?.();
  };
  useKeys(keys ? { r: () => void resume() } : {});
  return (
    <form
      className={styles.paused}
      onSubmit={(event) => {
        event.preventDefault();
        void resume();
      }}
    >
      {hint !== undefined && <p className="soft small">{hint}</p>}
      {needsBudget && (
        <TextField
          label="Token budget"
          value={budget}
          numeric
          error={undefined}
          hint={`It was ${tokenBudget.toLocaleString()} tokens. Give a higher one, if it is used up.`}
          onChange={setBudget}
        />
      )}
      {refusal && <ErrorNote title={titleOf(refusal)}>{refusal.message}</ErrorNote>}
      <button type="submit" className="button small" aria-disabled={busy} aria-keyshortcuts={keys ? 'r' : undefined}>
        <Icon name="play" size={14} /> {busy ? 'Resuming …' : word}
      </button>
    </form>
  );
}
