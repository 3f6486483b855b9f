import type { ComponentProps, ReactNode } from 'react';
import { Link } from 'wouter';
import styles from './Badge.module.css';
import { Icon, type IconName } from './Icon.tsx';

export type Tone = 'good' | 'info' | 'wait' | 'bad' | 'calm' | 'route' | 'violet';

export interface Look {
  tone: Tone;
  icon: IconName;
  word: string;
}

const classes = (tone: Tone, className = '') => `${styles.badge} ${styles[tone]} ${className}`;

/** A status as colour, icon and word. */
export function Badge({ tone, icon, word, className, children }: Look & { className?: string; children?: ReactNode }) {
  return (
    <span className={classes(tone, className)}>
      <Icon name={icon} />
      {word}
      {children}
    </span>
  );
}

/** The same as a link, in one element because lists have a thousand of them. */
export function BadgeLink({
  tone,
  icon,
  word,
  className,
  ...link
}: Look & Omit<ComponentProps<'a'>, 'href' | 'children'> & { href: string }) {
  return (
    <Link {...link} className={classes(tone, className)}>
      <Icon name={icon} />
      {word}
    </Link>
  );
}
