import { later } from '../app/later.tsx';
import styles from './Markdown.module.css';

interface MarkdownTextProps {
  text: string;
}

const Plain = ({ text }: MarkdownTextProps) => <div className={styles.plain}>{text}</div>;

/** A text as Markdown, and as it is until the parser is here, which is as large as a page. */
export const MarkdownText = later<MarkdownTextProps>(() => import('./Markdown.tsx'), Plain);
