import { useEffect, useState, useSyncExternalStore, type ReactNode } from 'react';
import { useClient } from 'urql';
import { LiveEventsSubscription } from './documents.ts';
import { LiveEventsContext, MissedContext } from './events.ts';
import type { Live } from './live.ts';
import { LiveContext } from './state.ts';

/** Opens the page's stream and keeps it while the page is open. */
export function LiveProvider({
  live,
  reread,
  retryFailed,
  children,
}: {
  live: Live;
  reread: () => void;
  retryFailed: () => void;
  children: ReactNode;
}) {
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

  useEffect(() => {
    if (status.state === 'live') retryFailed();
  }, [status.state, retryFailed]);

  // Reconnects at once when the machine wakes up or is online again. The socket may have outlived what interrupted requests.
  useEffect(() => {
    const retry = () => {
      if (document.visibilityState !== 'visible') return;
      live.retryNow();
      retryFailed();
    };
    addEventListener('online', retry);
    document.addEventListener('visibilitychange', retry);
    return () => {
      removeEventListener('online', retry);
      document.removeEventListener('visibilitychange', retry);
    };
  }, [live, retryFailed]);

  return (
    <LiveEventsContext value={live.onEvent}>
      <MissedContext value={live.onMissed}>
        <LiveContext value={status}>{children}</LiveContext>
      </MissedContext>
    </LiveEventsContext>
  );
}

const patienceMs = 400;

/** Waits briefly for the stream: data read while it is live stays current. If the stream is later than that, the data is read again. */
export function WhenLive({
  live,
  reread,
  children,
  fallback,
}: {
  live: Live;
  reread: () => void;
  children: ReactNode;
  fallback: ReactNode;
}) {
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
