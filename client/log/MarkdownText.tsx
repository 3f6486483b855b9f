import { lazy, Suspense } from 'react';
import styles from './Markdown.module.css';

// The parser is as large as a page.
const Markdown = lazy(() => import('./Markdown.tsx'));

/** A text as Markdown, and as it is until the parser is here. */
export function MarkdownText({ text }: { text: string }) {
  return (
    <Suspense fallback={<div className={styles.plain}>{text}</div>}>
      <Markdown text={text} />
    </Suspense>
  );
}
