import { useState } from 'react';
import { handoffNumbers, type Tenures } from '../sessions/moves.ts';
import { Icon } from '../ui/Icon.tsx';
import styles from './LogBar.module.css';

interface LogBarProps {
  /** Numbers of the first and the last message. */
  oldest: number;
  newest: number;
  tenures: Tenures;
  /** The number of the message where the reader is. */
  place: () => number;
  onJump: (message: number, takesFocus?: boolean) => void;
}

/** Goes to the first and the last message, to a number, and from handoff to handoff. */
export function LogBar({ oldest, newest, tenures, place, onJump }: LogBarProps) {
  const [number, setNumber] = useState('');
  const [said, setSaid] = useState('');
  const go = (message: number | undefined, otherwise: string) => {
    setSaid(message === undefined ? otherwise : '');
    if (message !== undefined) onJump(message);
  };
  /** The button keeps the focus: one goes on from handoff to handoff. */
  const step = (message: number | undefined, otherwise: string) => {
    setSaid(message === undefined ? otherwise : `Handoff at message ${message}.`);
    if (message !== undefined) onJump(message, false);
  };
  const handoffs = handoffNumbers(tenures.known);
  /** Reads earlier ones until one is there. */
  const goBack = async () => {
    const from = place();
    const isEarlier = (each: number): boolean => each < from;
    let found = tenures;
    while (!handoffNumbers(found.known).some(isEarlier)) {
      const more = await found.readEarlier();
      if (more === null) break;
      found = more;
    }
    step(handoffNumbers(found.known).findLast(isEarlier), 'There is no earlier handoff.');
  };
  const wanted = Number(number);
  const isKnown = Number.isInteger(wanted) && wanted >= oldest && wanted <= newest;
  return (
    <div className={styles.bar} role="toolbar" aria-label="Go to">
      <button type="button" className="button small" onClick={() => go(oldest, '')}>
        First
      </button>
      <button type="button" className="button small" onClick={() => go(newest, '')}>
        Last
      </button>
      {(handoffs.length > 0 || tenures.hasEarlier) && (
        <>
          <button type="button" className="button small" onClick={() => void goBack()}>
            <Icon name="left" size={14} /> Handoff<span className="hidden"> before</span>
          </button>
          <button
            type="button"
            className="button small"
            onClick={() =>
              step(
                handoffs.find((each) => each > place()),
                'There is no later handoff.',
              )
            }
          >
            <span className="hidden">Next </span>Handoff <Icon name="arrow" size={14} />
          </button>
        </>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          go(isKnown ? wanted : undefined, `There are messages ${oldest} to ${newest}.`);
        }}
      >
        <input
          className="input"
          inputMode="numeric"
          aria-label="Number of a message"
          placeholder={`${oldest}–${newest}`}
          value={number}
          onChange={(event) => setNumber(event.target.value.replace(/\D/g, ''))}
        />
        <button type="submit" className="button small" disabled={number === ''}>
          Go
        </button>
      </form>
      <span className="soft small" role="status">
        {said}
      </span>
    </div>
  );
}
