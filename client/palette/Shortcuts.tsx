import { usePlaces } from '../app/usePlaces.ts';
import { Dialog } from '../ui/Dialog.tsx';
import styles from './Palette.module.css';

const shortcuts: { keys: string[]; does: string }[] = [
  { keys: ['Ctrl K', '⌘ K'], does: 'Search, go to a page, or act on the open page' },
  { keys: ['?'], does: 'Show this list' },
  { keys: ['j', 'k'], does: 'Go to the next or the previous row of a list' },
  { keys: ['o'], does: 'Open the row' },
  { keys: ['a'], does: 'Accept the handoff of the row or page' },
  { keys: ['r'], does: 'Reject the handoff, or reassign the session, of the row or page' },
  { keys: ['/'], does: 'Search in the page' },
  { keys: ['Ctrl Enter', '⌘ Enter'], does: 'Send an open dialog, and what was typed on Decide' },
  { keys: ['↑', '↓'], does: 'Choose a result in a list' },
  { keys: ['Home', 'End'], does: 'Choose the first or the last result' },
  { keys: ['Enter'], does: 'Open the chosen result' },
  { keys: ['F8'], does: 'Go to the last notice, such as one with an Undo button' },
  { keys: ['a', 'e', 'd'], does: 'On Decide and on a session: approve, edit or decline; 1 to 9 choose an answer' },
  { keys: ['r'], does: 'On Decide and on a session that waits for a person: resume it while it is paused' },
  { keys: ['Esc'], does: 'Close a dialog or a menu, or clear a selection' },
];

/** The keys of the dashboard. */
export default function Shortcuts({ onClose }: { onClose: () => void }) {
  const letters = usePlaces().map(({ key, word }) => `${key} ${word}`);
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl className={styles.shortcuts}>
        {[...shortcuts, { keys: ['g'], does: `Then a letter goes to a page: ${letters.join(', ')}` }].map(
          ({ keys, does }) => (
            <div key={does}>
              <dt>
                {keys.map((key, index) => (
                  <span key={key}>
                    {index > 0 && ' or '}
                    <kbd>{key}</kbd>
                  </span>
                ))}
              </dt>
              <dd>{does}</dd>
            </div>
          ),
        )}
      </dl>
    </Dialog>
  );
}
