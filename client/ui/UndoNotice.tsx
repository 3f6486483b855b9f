import { useEffect, useRef, useState, type ReactNode, type Ref } from 'react';
import { usePageActions } from '../palette/actions.ts';
import { Icon } from './Icon.tsx';
import styles from './Notices.module.css';

export interface NoticeTextProps {
  tone?: 'good' | 'bad';
  /** For a text that gets the focus. */
  ref?: Ref<HTMLSpanElement>;
  children: ReactNode;
}

/** The words of a notice. */
export function NoticeText({ tone = 'good', ref, children }: NoticeTextProps) {
  return (
    <span ref={ref} tabIndex={ref === undefined ? undefined : -1} className={styles.text} data-tone={tone}>
      {children}
    </span>
  );
}

/** What an undo ended as. */
export interface Undone {
  text: string;
  tone: 'good' | 'bad';
}

interface UndoNoticeProps {
  text: string;
  /** What is undone, after "Undo": for the palette. */
  of: string;
  /** Null once it cannot be undone any more. */
  undo: (() => Promise<Undone>) | null;
  children?: ReactNode;
}

/** Says what was done, and takes it back on request. */
export function UndoNotice({ text, of, undo, children }: UndoNoticeProps) {
  const [state, setState] = useState<'idle' | 'undoing' | Undone>('idle');
  const isOver = typeof state === 'object';
  const run = async (): Promise<void> => {
    if (undo === null || state !== 'idle') return;
    setState('undoing');
    setState(await undo());
  };
  const offers = undo !== null && state === 'idle';
  usePageActions(offers ? [{ word: `Undo: ${of}`, icon: 'back', run: () => void run() }] : []);
  const said = useRef<HTMLSpanElement>(null);
  // The pressed button is gone: the focus stays in the notice, which does not go away under it.
  useEffect(() => {
    if (isOver && document.activeElement === document.body) said.current?.focus({ preventScroll: true });
  }, [isOver]);
  if (isOver) {
    return (
      <NoticeText ref={said} tone={state.tone}>
        {state.text}
      </NoticeText>
    );
  }
  return (
    <>
      <NoticeText>{text}</NoticeText>
      {children}
      {undo !== null && (
        <button type="button" className="button small" aria-disabled={state === 'undoing'} onClick={() => void run()}>
          <Icon name="back" size={14} /> {state === 'undoing' ? 'Undoing …' : 'Undo'}
        </button>
      )}
    </>
  );
}
