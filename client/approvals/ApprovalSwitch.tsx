import { useState } from 'react';
import { titleOf, type Outcome } from '../acts/outcome.ts';
import { ErrorNote } from '../ui/ErrorNote.tsx';
import styles from './ApprovalSwitch.module.css';

interface ApprovalSwitchProps {
  isRequired: boolean;
  /** Whose handoffs, for screen readers; without it, each handoff of the page's record. */
  of?: string;
  /** Undefined when the viewer may not change it. */
  change: ((isRequired: boolean) => Promise<Outcome>) | undefined;
}

/** Whether a person approves handoffs, changed at once. Renders nothing for viewers who may not change it when none does. */
export function ApprovalSwitch({ isRequired, of, change }: ApprovalSwitchProps) {
  const [wanted, setWanted] = useState<boolean | null>(null);
  const [refusal, setRefusal] = useState<Extract<Outcome, { done: false }> | null>(null);
  if (change === undefined) return isRequired ? <p className="small">A person approves each handoff.</p> : null;
  const turn = async (to: boolean): Promise<void> => {
    if (wanted !== null) return;
    setWanted(to);
    setRefusal(null);
    const outcome = await change(to);
    setWanted(null);
    if (!outcome.done) setRefusal(outcome);
  };
  return (
    <>
      <label className={styles.switch}>
        <input
          type="checkbox"
          checked={wanted ?? isRequired}
          aria-disabled={wanted !== null}
          onChange={({ target }) => void turn(target.checked)}
        />{' '}
        <span>A person approves each handoff{of !== undefined && <span className="hidden"> {of}</span>}</span>
      </label>
      {refusal && <ErrorNote title={titleOf(refusal)}>{refusal.message}</ErrorNote>}
    </>
  );
}
