import { useMemo } from 'react';
import type { NamedDefinition } from '../../../server/work/pipelines/rules.ts';
import styles from './Difference.module.css';
import { differenceOf } from './difference.ts';

/** The changed lines between two definitions. `before` is null for a new pipeline. */
export function Difference({
  before,
  after,
  equal,
}: {
  before: NamedDefinition | null;
  after: NamedDefinition;
  equal: string;
}) {
  const lines = useMemo(() => differenceOf(before, after), [before, after]);
  if (lines.length === 0) return <p className="soft">{equal}</p>;
  return (
    <div className={styles.frame} tabIndex={0} role="region" aria-label="Difference">
      <ol role="list" className={styles.lines}>
        {lines.map((line, index) =>
          line.kind === 'gap' ? (
            <li key={index} className={styles.gap}>
              {line.lines === 1 ? '1 unchanged line' : `${line.lines} unchanged lines`}
            </li>
          ) : (
            <li key={index} data-kind={line.kind}>
              {line.kind === 'same' ? (
                line.text
              ) : line.kind === 'added' ? (
                <ins>
                  <span className="hidden">Added: </span>
                  {line.text}
                </ins>
              ) : (
                <del>
                  <span className="hidden">Removed: </span>
                  {line.text}
                </del>
              )}
            </li>
          ),
        )}
      </ol>
    </div>
  );
}
