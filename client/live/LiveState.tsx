import { useEffect, useState } from 'react';
import { Icon, type IconName } from '../ui/Icon.tsx';
import { Tooltip } from '../ui/Tooltip.tsx';
import type { Status } from '../stream/index.ts';
import styles from './LiveState.module.css';
import { useLiveStatus } from './state.ts';

/** Shows whether the page is live. */
export function LiveState() {
  const status = useLiveStatus();
  const { look, icon, word, means } = wordsOf(status);
  return (
    <Tooltip content={means}>
      <button type="button" className={`${styles.state} ${styles[look]}`} data-live={status.state}>
        <Icon name={icon} size={12} />
        {/* The seconds are not announced by screen readers. */}
        <span role="status">{word}</span>
        {status.state === 'waiting' && <Countdown until={status.until} />}
      </button>
    </Tooltip>
  );
}

function Countdown({ until }: { until: number }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 250);
    return () => clearInterval(timer);
  }, []);
  return <span aria-hidden="true"> in {Math.max(1, Math.ceil((until - now) / 1_000))} s</span>;
}

interface Words {
  look: 'live' | 'connecting' | 'reconnecting' | 'ended';
  icon: IconName;
  word: string;
  means: string;
}

function wordsOf(status: Status): Words {
  switch (status.state) {
    case 'live':
      return { look: 'live', icon: 'live', word: 'Live', means: 'Shows every change as soon as it is committed.' };
    case 'connecting':
    case 'behind':
      return {
        look: 'connecting',
        icon: 'clock',
        word: 'Connecting',
        means: 'The page may be out of date. It shows the missed changes as soon as the connection is open.',
      };
    case 'waiting':
      return {
        look: 'reconnecting',
        icon: 'alert',
        word: 'Reconnecting',
        means: `The connection was lost (${status.reason}). The page may be out of date. It shows the missed changes when the connection is back.`,
      };
    case 'closed':
      return {
        look: 'ended',
        icon: 'cross',
        word: 'Not live',
        means: status.error?.message ?? 'The connection was closed. Reload the page to see the current state.',
      };
  }
}
