import { useCallback, useMemo, useState, type ReactNode } from 'react';
import { Provider, useQuery } from 'urql';
import { createClient, isUnauthenticated } from '../urql.ts';
import { RequestError } from '../ui/ErrorNote.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import styles from './access.module.css';
import { keepKey, readKey } from './key.ts';
import { SignIn } from './SignIn.tsx';
import { AccessContext, ViewerQuery } from './viewer.ts';

/** Lets through who may look, with a client of their own; asks for a key where one is needed. */
export function AccessGate({ children }: { children: ReactNode }) {
  const [key, setKey] = useState(readKey);
  const [refused, setRefused] = useState(false);
  // Another key, another client: nothing that one caller read is shown to the next.
  const client = useMemo(() => createClient({ key, onUnauthenticated: () => setRefused(true) }), [key]);
  const change = useCallback((next: string | null) => {
    keepKey(next);
    setRefused(false);
    setKey(next);
  }, []);

  if (refused) return <SignIn wasRefused={key !== null} onKey={change} />;
  return (
    <Provider value={client}>
      <Known key={key} apiKey={key} onSignOut={() => change(null)}>
        {children}
      </Known>
    </Provider>
  );
}

interface KnownProps {
  apiKey: string | null;
  onSignOut: () => void;
  children: ReactNode;
}

function Known({ apiKey, onSignOut, children }: KnownProps) {
  const [{ data, error }, ask] = useQuery({ query: ViewerQuery });
  const access = useMemo(
    () =>
      data && {
        viewer: { role: data.viewer.role ?? null, agentId: data.viewer.agent?.id ?? null, keyName: data.viewer.key?.name ?? null },
        key: apiKey,
        signOut: onSignOut,
      },
    [data, apiKey, onSignOut],
  );
  if (access) return <AccessContext value={access}>{children}</AccessContext>;
  return (
    <main className={styles.waiting}>
      {error && !isUnauthenticated(error) ? <RequestError error={error} onRetry={() => ask({ requestPolicy: 'network-only' })} /> : <Skeleton height="3rem" />}
    </main>
  );
}
