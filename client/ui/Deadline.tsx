import { useNow } from './clock.ts';
import { deadlineLook, isDistant } from './deadline.ts';
import styles from './Deadline.module.css';
import { Icon } from './Icon.tsx';
import { Time } from './Time.tsx';

/** A deadline that is coloured as it comes near, and says so in words; nothing while it is weeks away. */
export function Deadline({ at }: { at: string }) {
  const now = useNow();
  if (isDistant(at, now)) return null;
  const { near, icon, word } = deadlineLook(at, now);
  return (
    <span className={styles.deadline} data-near={near}>
      <Icon name={icon} size={14} /> {word} <Time at={at} isAhead />
    </span>
  );
}
