import type { MenuAct } from './ActMenu.tsx';
import styles from './CopyId.module.css';
import { Icon } from './Icon.tsx';
import { showNotice } from './notices.ts';
import { NoticeText } from './UndoNotice.tsx';

/** Copies a text and says so. Where the browser withholds the clipboard (plain HTTP of another host), the notice shows the text to select. */
export async function copyText(text: string, noun: string): Promise<void> {
  const copied = await navigator.clipboard?.writeText(text).then(
    () => true,
    () => false,
  );
  showNotice(
    copied ? (
      <NoticeText>The {noun} was copied.</NoticeText>
    ) : (
      <NoticeText>
        This browser does not let the page copy. The {noun}: <code>{text}</code>
      </NoticeText>
    ),
    { hasActs: !copied },
  );
}

/** An id, copied when pressed. */
export function CopyId({ id, noun }: { id: string; noun: string }) {
  return (
    <button type="button" className={styles.id} title={id} onClick={() => void copyText(id, `id of the ${noun}`)}>
      <span className="hidden">Copy the id of the {noun} </span>
      <code>{id}</code> <Icon name="copy" size={14} />
    </button>
  );
}

export const copyAct = (id: string, noun: string): MenuAct => ({
  word: `Copy the id of this ${noun}`,
  icon: 'copy',
  run: () => void copyText(id, `id of the ${noun}`),
});
