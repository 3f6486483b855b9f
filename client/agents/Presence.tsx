import { useEffect, useEffectEvent, useState } from 'react';
import { useClient } from 'urql';
import { graphql } from '../gql/gql.ts';
import { Icon } from '../ui/Icon.tsx';
import { Time } from '../ui/Time.tsx';
import styles from './AgentChip.module.css';

const PresenceQuery = graphql(`
  query AgentPresence($ids: [ID!]!) {
    nodes(ids: $ids) {
      ... on Agent {
        id
        connected
        lastSeenAt
      }
    }
  }
`);

export interface Seen {
  connected: boolean;
  lastSeenAt?: string | null | undefined;
}

const everyMs = 10_000;
/** The most ids that one query takes. */
const mostIds = 100;

/** Whether agents are connected, by their ids. No event says it: it is read again while the page is visible. */
export function usePresence(ids: readonly string[]): ReadonlyMap<string, Seen> {
  const client = useClient();
  const [seen, setSeen] = useState<ReadonlyMap<string, Seen>>(() => new Map());
  const read = useEffectEvent(async () => {
    if (document.visibilityState !== 'visible') return;
    for (let at = 0; at < ids.length; at += mostIds) {
      const asked = { ids: ids.slice(at, at + mostIds) };
      const { data } = await client.query(PresenceQuery, asked, { requestPolicy: 'network-only' }).toPromise();
      const found = (data?.nodes ?? []).flatMap((node) =>
        node?.__typename === 'Agent' ? [[node.id, node] as const] : [],
      );
      setSeen((before) => new Map([...before, ...found]));
    }
  });
  const all = ids.join(' ');
  useEffect(() => {
    const again = (): void => void read();
    again();
    const timer = setInterval(again, everyMs);
    document.addEventListener('visibilitychange', again);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', again);
    };
  }, [all]);
  return seen;
}

/** "Connected", or when the agent was last seen. */
export function Presence({ seen }: { seen: Seen | undefined }) {
  if (seen === undefined) return null;
  if (seen.connected) {
    return (
      <span className={styles.connected} data-connected="true">
        <Icon name="live" size={12} /> Connected
      </span>
    );
  }
  return (
    <span className="soft small" data-connected="false">
      {seen.lastSeenAt == null ? (
        'Never seen'
      ) : (
        <>
          Last seen <Time at={seen.lastSeenAt} />
        </>
      )}
    </span>
  );
}

export function PresenceOf({ id }: { id: string }) {
  return <Presence seen={usePresence([id]).get(id)} />;
}
