import { useEffect, useState, useSyncExternalStore, type ComponentType } from 'react';

export interface Later<Props> {
  (props: Props): React.ReactNode;
  /** Loads the code before it is shown. A failure is reported when it is shown. */
  preload: () => void;
}

/**
 * A component whose code is loaded when it is shown, or before by `preload`. Without `lazy`: React holds back for 300 ms what a lazy component
 * shows after a fallback, and suspends once also when the code is there.
 */
export function later<Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
  Waiting: ComponentType<Props>,
): Later<Props> {
  let found: ComponentType<Props> | null = null;
  let loading: Promise<void> | null = null;
  const listeners = new Set<() => void>();
  const subscribe = (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  const read = (): Promise<void> =>
    (loading ??= load().then(
      (module) => {
        found = module.default;
        for (const listener of listeners) listener();
      },
      (error: unknown) => {
        loading = null;
        throw error;
      },
    ));
  function Loaded(props: Props) {
    const Found = useSyncExternalStore(subscribe, () => found);
    const [failure, setFailure] = useState<{ error: unknown } | null>(null);
    const isThere = Found !== null;
    useEffect(() => {
      if (!isThere) read().catch((error: unknown) => setFailure({ error }));
    }, [isThere]);
    if (failure !== null) throw failure.error;
    return Found === null ? <Waiting {...props} /> : <Found {...props} />;
  }
  return Object.assign(Loaded, { preload: () => void read().catch(() => undefined) });
}
