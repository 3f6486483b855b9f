import { useEffect, useId, useState } from 'react';
import { Icon } from './Icon.tsx';
import styles from './SearchField.module.css';

const typingPauseMs = 250;

interface SearchFieldProps {
  /** Also what stands in the empty field. */
  label: string;
  text: string;
  onText: (text: string) => void;
}

/** Searches after a pause in typing. A late URL update never overwrites typed text. */
export function SearchField({ label, text, onText }: SearchFieldProps) {
  const id = useId();
  const [typed, setTyped] = useState(text);
  const [seen, setSeen] = useState(text);
  if (seen !== text) {
    setSeen(text);
    setTyped(text);
  }
  useEffect(() => {
    if (typed === text) return;
    const timer = setTimeout(() => onText(typed), typingPauseMs);
    return () => clearTimeout(timer);
  }, [typed, text, onText]);
  return (
    <div className={styles.search}>
      <label htmlFor={id} className="hidden">
        {label}
      </label>
      <Icon name="search" />
      <input
        id={id}
        type="search"
        aria-keyshortcuts="/"
        className="input"
        placeholder={label}
        maxLength={500}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
    </div>
  );
}
