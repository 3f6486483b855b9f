import { Icon } from '../ui/Icon.tsx';
import { Tooltip } from '../ui/Tooltip.tsx';
import styles from './LiveState.module.css';
import { useLiveStatus, type LiveStatus } from './state.ts';

/** Whether what one sees is so now. */
export function LiveState() {
  const status = useLiveStatus();
  const { word, means } = wordsOf(status);
  return (
    <Tooltip content={means}>
      <button type="button" className={`${styles.state} ${styles[status.kind]}`}>
        <Icon name={status.kind === 'live' ? 'live' : status.kind === 'ended' ? 'cross' : 'clock'} size={12} />
        <span role="status">{word}</span>
      </button>
    </Tooltip>
  );
}

function wordsOf(status: LiveStatus): { word: string; means: string } {
  switch (status.kind) {
    case 'connecting':
      return { word: 'Connecting', means: 'What you see was read when the page was loaded; changes follow as soon as the connection stands.' };
    case 'live':
      return { word: 'Live', means: 'Every change shows here as soon as it is committed.' };
    case 'reconnecting':
      return { word: 'Reconnecting', means: 'The connection was lost. What you see may be old; everything that was missed is made up for when it is back.' };
    case 'ended':
      return { word: 'Not live', means: status.reason };
  }
}
