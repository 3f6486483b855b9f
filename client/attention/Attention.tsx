import { useEffect, useEffectEvent, useRef } from 'react';
import { useClient, useQuery } from 'urql';
import { useLocation } from 'wouter';
import { useAccess } from '../access/viewer.ts';
import { graphql } from '../gql/gql.ts';
import { useRereadOn } from '../live/events.ts';
import { mayNotify } from '../noticing/notify.ts';
import { notifies, setWaitingForViewer } from '../noticing/store.ts';
import { useSilence } from '../sessions/silence.ts';
import { useNow } from '../ui/clock.ts';
import { comeSince, heard, heardAt, keyOf, newestRead, type Newest } from './heard.ts';
import { noteCount } from './well.ts';

export const rereadEveryMs = 5_000;
export const minuteMs = 60_000;

const AttentionCountQuery = graphql(`
  query AttentionCount($where: AttentionFilter!, $newest: Int!, $hears: Boolean!) {
    attention(first: 0) {
      totalCount
    }
    heard: attention(where: $where, last: $newest) @include(if: $hears) {
      nodes {
        kind
        since
        session {
          id
          queueEntry {
            agentType
            role
          }
        }
        webhook {
          id
        }
      }
      pageInfo {
        hasPreviousPage
      }
      totalCount
    }
  }
`);

/**
 * The number of what needs a person, in the navigation; renders nothing when nothing does. What of it a person wants to hear of is counted in
 * the title and the badges, and announced when asked for.
 */
export function Attention({ className }: { className: string | undefined }) {
  const client = useClient();
  const [location, navigate] = useLocation();
  // An agent's key hears of what waits for that agent: Unread.
  const isPerson = useAccess().viewer.agentId === null;
  const wanted = heardAt(heard.use(), useNow());
  const where = wanted ?? {};
  const hears = isPerson && wanted !== undefined;
  // Items are read only to be announced.
  const announces = notifies.use() && mayNotify();
  const apart = hears && (announces || Object.keys(where).length > 0);
  const variables = { where, newest: announces ? newestRead : 0, hears: apart };
  const [{ data, operation }, ask] = useQuery({
    query: AttentionCountQuery,
    variables,
    requestPolicy: 'cache-and-network',
  });
  const reread = () => ask({ requestPolicy: 'network-only' });
  const count = data?.attention.totalCount;
  useRereadOn(() => true, reread, rereadEveryMs);
  useSilence(reread, minuteMs);
  useEffect(() => {
    if (count !== undefined) noteCount(count);
  }, [count]);
  const own = hears ? ((apart ? data?.heard?.totalCount : count) ?? 0) : 0;
  useEffect(() => {
    if (isPerson) setWaitingForViewer(own === 0 ? '' : own.toLocaleString('en'));
  }, [isPerson, own]);

  // Until the answer to another choice is there, that to the one before stands.
  const choice = JSON.stringify(operation?.variables);
  const before = useRef<{ choice: string; newest: Newest } | null>(null);
  const take = useEffectEvent((read: NonNullable<NonNullable<typeof data>['heard']>) => {
    const newest: Newest = {
      items: read.nodes.map((item) => ({ key: keyOf(item), since: item.since })),
      hasOlder: read.pageInfo.hasPreviousPage,
    };
    const last = before.current;
    before.current = { choice, newest };
    // Another choice finds what was there before.
    const fresh = last?.choice === choice ? comeSince(last.newest, newest) : [];
    // On the page itself they are in sight.
    const isSeen = /^\/(?:attention)?$/.test(location) && document.visibilityState === 'visible';
    if (fresh.length === 0 || isSeen || !announces) return;
    void import('./notes.ts').then(({ announceItems }) => announceItems(client, where, fresh, navigate));
  });
  const newest = announces ? data?.heard : undefined;
  useEffect(() => {
    if (newest) take(newest);
  }, [newest]);

  if (count === undefined || count === 0) return null;
  return (
    <span className={className}>
      {count.toLocaleString('en')}
      <span className="hidden"> to look at</span>
    </span>
  );
}
