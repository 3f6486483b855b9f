import { useEffect, useRef, useState } from 'react';
import { Icon } from './Icon.tsx';
import { CloseNoticeContext, closeNotice, useNotices, type Notice } from './notices.ts';
import styles from './Notices.module.css';

const plainMs = 8_000;
const withActsMs = 30_000;

/** The notices of the page. F8 moves the focus to the last one. */
export function Notices() {
  const notices = useNotices();
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.key !== 'F8' || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
      const last = list.current?.lastElementChild?.querySelector<HTMLElement>('button, a');
      if (last == null) return;
      event.preventDefault();
      last.focus();
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, []);
  return (
    <section className={styles.host} aria-label="Notices">
      {/* Stands in the page from the start, so that screen readers announce what is added. */}
      <div ref={list} role="status" aria-atomic="false">
        {notices.map((notice) => (
          <Shown key={notice.id} notice={notice} />
        ))}
      </div>
    </section>
  );
}

function Shown({ notice: { id, content, hasActs } }: { notice: Notice }) {
  // Does not go away while one reads or uses it.
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    if (isHeld) return;
    const timer = setTimeout(() => closeNotice(id), hasActs ? withActsMs : plainMs);
    return () => clearTimeout(timer);
  }, [id, hasActs, isHeld]);
  const element = useRef<HTMLDivElement>(null);
  const close = (): void => {
    // The focus does not fall out of the page with the pressed button.
    if (element.current?.contains(document.activeElement))
      document.getElementById('main')?.focus({ preventScroll: true });
    closeNotice(id);
  };
  return (
    <div
      ref={element}
      className={styles.notice}
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <CloseNoticeContext value={close}>
        <div className={styles.content}>{content}</div>
      </CloseNoticeContext>
      <button type="button" className="button quiet small" onClick={close} aria-label="Close the notice">
        <Icon name="cross" size={14} />
      </button>
    </div>
  );
}
