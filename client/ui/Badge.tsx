import type { ReactNode } from 'react';
import styles from './Badge.module.css';
import { Icon, type IconName } from './Icon.tsx';

export type Tone = 'good' | 'info' | 'wait' | 'bad' | 'calm' | 'route' | 'violet';

export interface Look {
  tone: Tone;
  icon: IconName;
  word: string;
}

/** A status: by colour, by icon, and by word. */
export function Badge({ tone, icon, word, children }: Look & { children?: ReactNode }) {
  return (
    <span className={`${styles.badge} ${styles[tone]}`}>
      <Icon name={icon} size={13} />
      {word}
      {children}
    </span>
  );
}
