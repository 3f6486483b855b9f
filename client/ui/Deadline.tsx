import { useNow } from './clock.ts';
import { deadlineLook } from './deadline.ts';
import styles from './Deadline.module.css';
import { Icon } from './Icon.tsx';
import { Time } from './Time.tsx';

/** A deadline that is coloured as it comes near, and says so in words. */
export function Deadline({ at }: { at: string }) {
  const { near, icon, word } = deadlineLook(at, useNow());
  return (
    <span className={styles.deadline} data-near={near}>
      <Icon name={icon} size={14} /> {word} <Time at={at} />
    </span>
  );
}
