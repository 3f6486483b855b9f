import { useEffect, useState } from 'react';
import { Icon } from './Icon.tsx';

export interface CopyButtonProps {
  text: string;
  children: string;
  primary?: boolean;
  /** Called when the browser withholds the clipboard (plain HTTP on another host), so that the text can be selected instead. */
  onRefused?: () => void;
}

/** Copies the text and confirms it briefly. */
export function CopyButton({ text, children, primary = false, onRefused }: CopyButtonProps) {
  const [confirmation, setConfirmation] = useState<string | null>(null);
  useEffect(() => {
    if (confirmation === null) return;
    const timer = setTimeout(() => setConfirmation(null), 2_500);
    return () => clearTimeout(timer);
  }, [confirmation]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setConfirmation('Copied');
    } catch {
      onRefused?.();
      setConfirmation('Selected: press Ctrl+C');
    }
  };
  return (
    <>
      <button type="button" className={`button ${primary ? 'primary' : 'small'}`} onClick={() => void copy()}>
        <Icon name={confirmation === null ? 'copy' : 'check'} size={14} />
        {confirmation ?? children}
      </button>
      <span className="hidden" role="status">
        {confirmation}
      </span>
    </>
  );
}
