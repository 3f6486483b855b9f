import { useCallback, useEffect, useEffectEvent, useMemo, useRef, useState, type ReactNode } from 'react';
import { Provider, useQuery } from 'urql';
import { LiveProvider, WhenLive } from '../live/LiveProvider.tsx';
import { connect, isUnauthenticated, type Connected } from '../urql.ts';
import { RequestError } from '../ui/ErrorNote.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import styles from './access.module.css';
import { keepKey, readKey } from './key.ts';
import { SignIn } from './SignIn.tsx';
import { joinTabs, type Tabs } from './tabs.ts';
import { AccessContext, ViewerQuery } from './viewer.ts';

/** Renders the dashboard with a client for the viewer, or asks for a key where one is needed. */
export function AccessGate({ children }: { children: ReactNode }) {
  const [key, setKey] = useState(readKey);
  const [refused, setRefused] = useState(false);
  // Each key gets its own client, so that no caller sees another's cached data.
  const connected = useMemo(() => connect({ key, onUnauthenticated: () => setRefused(true) }), [key]);
  const change = useCallback((next: string | null) => {
    keepKey(next);
    setRefused(false);
    setKey(next);
  }, []);

  const tabs = useRef<Tabs>(null);
  // A tab with a working key keeps it.
  const takeKey = useEffectEvent((given: string) => (key === null || refused) && given !== key && change(given));
  const takeSignOut = useEffectEvent(() => key !== null && change(null));
  useEffect(() => {
    const joined = joinTabs({ onKey: (given) => takeKey(given), onSignOut: () => takeSignOut() });
    tabs.current = joined;
    return () => joined.close();
  }, []);
  const signOut = useCallback(() => {
    tabs.current?.signOut();
    change(null);
  }, [change]);
  const offer = useCallback(() => {
    if (key !== null) tabs.current?.offer(key);
  }, [key]);

  if (refused) return <SignIn wasRefused={key !== null} onKey={change} />;
  return (
    <Provider value={connected.client}>
      <LiveProvider {...connected}>
        <Known key={key} apiKey={key} connected={connected} onKnown={offer} onSignOut={signOut}>
          {children}
        </Known>
      </LiveProvider>
    </Provider>
  );
}

interface KnownProps {
  apiKey: string | null;
  connected: Connected;
  /** The server accepted the key. */
  onKnown: () => void;
  onSignOut: () => void;
  children: ReactNode;
}

function Known({ apiKey, connected: { live, reread }, onKnown, onSignOut, children }: KnownProps) {
  const [{ data, error }, ask] = useQuery({ query: ViewerQuery });
  const access = useMemo(
    () =>
      data && {
        viewer: {
          role: data.viewer.role ?? null,
          agentId: data.viewer.agent?.id ?? null,
          keyName: data.viewer.key?.name ?? null,
        },
        key: apiKey,
        signOut: onSignOut,
      },
    [data, apiKey, onSignOut],
  );
  const isKnown = data !== undefined;
  useEffect(() => {
    if (isKnown) onKnown();
  }, [isKnown, onKnown]);
  const waiting = (
    <main className={styles.waiting}>
      {error && !isUnauthenticated(error) ? (
        <RequestError error={error} onRetry={() => ask({ requestPolicy: 'network-only' })} />
      ) : (
        <Skeleton height="3rem" />
      )}
    </main>
  );
  if (!access) return waiting;
  return (
    <WhenLive live={live} reread={reread} fallback={waiting}>
      <AccessContext value={access}>{children}</AccessContext>
    </WhenLive>
  );
}
