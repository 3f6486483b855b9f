import { Icon } from '../../ui/Icon.tsx';
import styles from './Editor.module.css';
import type { Problem } from './places.ts';

/** What has to be solved before the definition can be saved; each problem leads to its field. */
export function Problems({
  problems,
  isEqual,
  onChoose,
}: {
  problems: readonly Problem[];
  isEqual: boolean;
  onChoose: (place: string) => void;
}) {
  return (
    <section className={`card ${styles.part}`} aria-labelledby="problems">
      <h2 id="problems">Problems</h2>
      <p role="status" className={problems.length === 0 ? styles.good : styles.bad}>
        <Icon name={problems.length === 0 ? 'check' : 'alert'} size={14} />{' '}
        {problems.length === 0
          ? isEqual
            ? 'None. Nothing has changed.'
            : 'None.'
          : problems.length === 1
            ? '1 problem'
            : `${problems.length} problems`}
      </p>
      {problems.length > 0 && (
        <ul role="list" aria-label="Problems" className={styles.problems}>
          {problems.map(({ place, text }) => (
            <li key={text}>
              <button type="button" className={styles.problem} onClick={() => onChoose(place)}>
                {text}
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
