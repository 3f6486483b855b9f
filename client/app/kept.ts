import { useEffect, useState } from 'react';

// Without storage the changes last until the page is left.
function keptText(key: string): string | null {
  try {
    return sessionStorage.getItem(key);
  } catch {
    return null;
  }
}

function keepText(key: string, text: string | null): void {
  try {
    if (text === null) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, text);
  } catch {
    // As above.
  }
}

/**
 * State of a form that outlives navigation and reloads: kept for the tab until it equals `initial` again or is dropped. The
 * browser asks before the tab closes with it.
 */
export function useKept<Value>(
  name: string,
  initial: Value,
): {
  value: Value;
  change: (update: (now: Value) => Value) => void;
  isChanged: boolean;
  wasKept: boolean;
  drop: () => void;
} {
  const key = `baton.unsaved.${name}`;
  const [first] = useState(() => ({ text: JSON.stringify(initial), kept: keptText(key) }));
  const [value, setValue] = useState<Value>(() => JSON.parse(first.kept ?? first.text) as Value);
  const [wasKept, setWasKept] = useState(first.kept !== null && first.kept !== first.text);
  const text = JSON.stringify(value);
  const isChanged = text !== first.text;

  useEffect(() => {
    keepText(key, isChanged ? text : null);
  }, [key, text, isChanged]);

  useEffect(() => {
    if (!isChanged) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isChanged]);

  return {
    value,
    change: setValue,
    isChanged,
    wasKept: wasKept && isChanged,
    drop() {
      keepText(key, null);
      setWasKept(false);
      setValue(JSON.parse(first.text) as Value);
    },
  };
}
