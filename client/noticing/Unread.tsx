import { useEffect, useEffectEvent, useRef } from 'react';
import { useQuery } from 'urql';
import { useLocation } from 'wouter';
import { useAccess } from '../access/viewer.ts';
import { graphql } from '../gql/gql.ts';
import { useRereadOn } from '../live/events.ts';
import { countText } from './looked.ts';
import { mayNotify, notify } from './notify.ts';
import { looked, setUnread } from './store.ts';

// Reads the first ones instead of counting all: a long inbox costs no more than a short one.
const most = 50;

const UnreadQuery = graphql(`
  query Unread($where: HandoffFilter!, $first: Int!) {
    handoffs(where: $where, first: $first, orderBy: { field: INITIATED_AT, direction: DESC }) {
      nodes {
        id
        status
        initiatedAt
        session {
          id
          title
        }
        targetAgent {
          id
        }
      }
      pageInfo {
        hasNextPage
      }
    }
  }
`);

/** The number of handoffs that began to wait since the inbox was last open, in the navigation and the title; notifies of new ones when asked for. */
export function Unread({ className }: { className: string | undefined }) {
  const { viewer } = useAccess();
  const [location, navigate] = useLocation();
  const { inbox } = looked.use();
  const [{ data }, ask] = useQuery({
    query: UnreadQuery,
    variables: { where: { status: ['INITIATED'], ...(inbox !== null && { initiatedAfter: inbox }), ...(viewer.agentId !== null && { targetAgentId: viewer.agentId }) }, first: most },
    requestPolicy: 'cache-and-network',
  });
  useRereadOn(
    ({ type }) => type === 'HANDOFF_INITIATED',
    () => ask({ requestPolicy: 'network-only' }),
  );
  const waiting = data?.handoffs.nodes.filter(({ status, initiatedAt }) => status === 'INITIATED' && (inbox === null || initiatedAt > inbox));
  const ids = waiting?.map(({ id }) => id).join(' ');
  const isAtInbox = location === '/inbox' || location === `/inbox/${viewer.agentId ?? ''}`;
  const text = waiting === undefined || waiting.length === 0 ? '' : countText(waiting.length, data?.handoffs.pageInfo.hasNextPage === true);

  useEffect(() => setUnread(text), [text]);

  const known = useRef<Set<string> | null>(null);
  const take = useEffectEvent(() => {
    if (waiting === undefined) return;
    const isLooking = document.visibilityState === 'visible' && isAtInbox;
    const fresh = known.current === null ? [] : waiting.filter(({ id }) => !known.current!.has(id));
    known.current = new Set([...(known.current ?? []), ...waiting.map(({ id }) => id)].slice(-1_000));
    if (fresh.length > 0 && !isLooking && mayNotify()) notify(fresh, navigate);
    const newest = waiting[0]?.initiatedAt;
    if (isLooking && newest !== undefined) looked.set({ ...looked.get(), inbox: newest });
  });
  useEffect(() => take(), [ids, isAtInbox]);
  useEffect(() => {
    const again = (): void => take();
    document.addEventListener('visibilitychange', again);
    return () => document.removeEventListener('visibilitychange', again);
  }, []);

  if (text === '') return null;
  return (
    <span className={className}>
      {text}
      <span className="hidden"> unread</span>
    </span>
  );
}
