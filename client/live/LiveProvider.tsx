import { useEffect, useState, useSyncExternalStore, type ReactNode } from 'react';
import { useClient } from 'urql';
import { LiveEventsSubscription } from './documents.ts';
import { LiveEventsContext } from './events.ts';
import type { Live } from './live.ts';
import { LiveContext } from './state.ts';

/** Opens the page's stream, and keeps it as long as the page is there. */
export function LiveProvider({ live, reread, children }: { live: Live; reread: () => void; children: ReactNode }) {
  const client = useClient();
  const status = useSyncExternalStore(live.onStatus, live.status);

  useEffect(() => {
    const stop = live.onMissed(reread);
    const { unsubscribe } = client.subscription(LiveEventsSubscription, {}).subscribe(() => undefined);
    return () => {
      unsubscribe();
      stop();
    };
  }, [client, live, reread]);

  // A machine that woke up or found its network need not wait.
  useEffect(() => {
    const retry = () => {
      if (document.visibilityState === 'visible') live.retryNow();
    };
    addEventListener('online', retry);
    document.addEventListener('visibilitychange', retry);
    return () => {
      removeEventListener('online', retry);
      document.removeEventListener('visibilitychange', retry);
    };
  }, [live]);

  return (
    <LiveEventsContext value={live.onEvent}>
      <LiveContext value={status}>{children}</LiveContext>
    </LiveEventsContext>
  );
}

const patienceMs = 400;

/** Waits a moment for the stream: what is read while it is live is never out of date. After that moment, what was read is read again. */
export function WhenLive({ live, reread, children, fallback }: { live: Live; reread: () => void; children: ReactNode; fallback: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    let waiting = true;
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      setOpen(true);
    }, patienceMs);
    void live.ready.then(() => {
      clearTimeout(timer);
      if (!waiting) return;
      if (late) reread();
      setOpen(true);
    });
    return () => {
      waiting = false;
      clearTimeout(timer);
    };
  }, [live, reread]);
  return isOpen ? children : fallback;
}
