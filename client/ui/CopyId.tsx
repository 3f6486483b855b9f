import type { MenuAct } from './ActMenu.tsx';
import styles from './CopyId.module.css';
import { Icon } from './Icon.tsx';
import { showNotice } from './notices.ts';
import { NoticeText } from './UndoNotice.tsx';

/** Copies an id and says so. Where the browser withholds the clipboard (plain HTTP of another host), the notice shows the id to select. */
async function copy(id: string, noun: string): Promise<void> {
  const copied = await navigator.clipboard?.writeText(id).then(
    () => true,
    () => false,
  );
  showNotice(
    copied ? (
      <NoticeText>The id of the {noun} was copied.</NoticeText>
    ) : (
      <NoticeText>
        This browser does not let the page copy. The id: <code>{id}</code>
      </NoticeText>
    ),
    { hasActs: !copied },
  );
}

/** An id, copied when pressed. */
export function CopyId({ id, noun }: { id: string; noun: string }) {
  return (
    <button type="button" className={styles.id} title={id} onClick={() => void copy(id, noun)}>
      <span className="hidden">Copy the id of the {noun} </span>
      <code>{id}</code> <Icon name="copy" size={14} />
    </button>
  );
}

export const copyAct = (id: string, noun: string): MenuAct => ({
  word: `Copy the id of this ${noun}`,
  icon: 'copy',
  run: () => void copy(id, noun),
});
