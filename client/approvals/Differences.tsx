import { useEffect, useEffectEvent } from 'react';
import { difference } from '../log/changes.ts';
import { FileChange } from '../log/FileChange.tsx';
import type { Change } from './edits.ts';
import styles from './Decide.module.css';
import { wordsChanged } from './differs.ts';

/** What a person changed, word by word: shown before it is sent, and afterwards. */
export function Changes({ changes, title }: { changes: readonly Change[]; title?: string }) {
  return (
    <section className={styles.changes} aria-label="Changes">
      {title !== undefined && <h3>{title}</h3>}
      <dl>
        {changes.map(({ label, before, after, none }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              {wordsChanged(before, after).map(({ kind, text }, index) =>
                kind === 'SAME' ? (
                  text
                ) : kind === 'ADDED' ? (
                  <ins key={index}>{text}</ins>
                ) : (
                  <del key={index}>{text}</del>
                ),
              )}
              {after === '' && <em> {none}</em>}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

interface WentOnProps {
  before: string;
  after: string;
  /** Called when it is in sight. */
  onShown: (() => void) | undefined;
}

/** What the agent added to what is passed on since a person looked at it. */
export function WentOn({ before, after, onShown }: WentOnProps) {
  const shown = useEffectEvent(() => onShown?.());
  const isAsked = onShown !== undefined;
  useEffect(() => {
    if (isAsked) shown();
  }, [isAsked]);
  const lines = difference(before, after);
  return (
    <section className={styles.wentOn} aria-label="What is new">
      <h3>What is new</h3>
      {lines.length === 0 ? (
        <p className="soft small">The text for the target is the same; what stands behind it has changed.</p>
      ) : (
        <FileChange change={{ path: null, kind: 'CHANGED', lines }} />
      )}
    </section>
  );
}
