import { useEffect, useState } from 'react';

const pauseMs = 400;

/** The text once it has stayed the same for a moment: for what is asked while one types. */
export function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
