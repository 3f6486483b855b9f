import { useEffect, useState } from 'react';
import { Icon } from './Icon.tsx';

export interface CopyButtonProps {
  text: string;
  children: string;
  primary?: boolean;
  /** The browser does not give the clipboard to pages of plain HTTP on other machines: called so that the text can be selected instead. */
  onRefused?: () => void;
}

/** Copies, and says for a moment that it did. */
export function CopyButton({ text, children, primary = false, onRefused }: CopyButtonProps) {
  const [said, setSaid] = useState<string | null>(null);
  useEffect(() => {
    if (said === null) return;
    const timer = setTimeout(() => setSaid(null), 2_500);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid('Copied');
    } catch {
      onRefused?.();
      setSaid('Selected: press Ctrl+C');
    }
  };
  return (
    <>
      <button type="button" className={`button ${primary ? 'primary' : 'small'}`} onClick={() => void copy()}>
        <Icon name={said === null ? 'copy' : 'check'} size={14} />
        {said ?? children}
      </button>
      <span className="hidden" role="status">
        {said}
      </span>
    </>
  );
}
