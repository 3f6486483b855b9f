import { useEffect, useEffectEvent, useState } from 'react';

/** Receives the files that are dropped anywhere on the page. Returns true while files are dragged over it. `onFiles` is null where none are taken. */
export function useFileDrop(onFiles: ((files: File[]) => void) | null): boolean {
  const [isOver, setOver] = useState(false);
  const take = useEffectEvent((files: File[]) => onFiles?.(files));
  const isOff = onFiles === null;
  useEffect(() => {
    if (isOff) return;
    const over = (event: DragEvent): void => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      // Otherwise the browser opens the file in place of the page.
      event.preventDefault();
      setOver(document.querySelector('dialog[open]') === null);
    };
    const leave = (event: DragEvent): void => {
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent): void => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      setOver(false);
      const files = [...event.dataTransfer.files];
      if (files.length > 0 && document.querySelector('dialog[open]') === null) take(files);
    };
    window.addEventListener('dragover', over);
    window.addEventListener('dragleave', leave);
    window.addEventListener('drop', drop);
    return () => {
      window.removeEventListener('dragover', over);
      window.removeEventListener('dragleave', leave);
      window.removeEventListener('drop', drop);
    };
  }, [isOff]);
  return isOver;
}
