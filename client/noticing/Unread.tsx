import { useEffect, useEffectEvent, useRef } from 'react';
import { useQuery } from 'urql';
import { useLocation } from 'wouter';
import { useAccess } from '../access/viewer.ts';
import { graphql } from '../gql/gql.ts';
import { useRereadOn } from '../live/events.ts';
import { countText, isUnread, withInboxSeen } from './looked.ts';
import { handoffNotes, mayNotify, notify } from './notify.ts';
import { looked, setWaitingForViewer } from './store.ts';

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

/** The agent whose inbox is open; null for that of all, or of the viewer's own agent; undefined when none is. */
function inboxAt(location: string, own: string | null): string | null | undefined {
  const [path, agent] = /^\/inbox(?:\/(.+))?$/.exec(location) ?? [];
  if (path === undefined) return undefined;
  return agent === undefined || agent === own ? null : decodeURIComponent(agent);
}

/**
 * The number of handoffs that began to wait since the inbox was last open, in the navigation. With an agent's key those to that agent, also in
 * the title and the badges, and announced when asked for; people hear of what needs a person instead: Attention.
 */
export function Unread({ className }: { className: string | undefined }) {
  const { viewer } = useAccess();
  const [location, navigate] = useLocation();
  const isAgent = viewer.agentId !== null;
  const seen = looked.use();
  const { inbox } = seen;
  const [{ data }, ask] = useQuery({
    query: UnreadQuery,
    variables: {
      where: {
        status: ['INITIATED'],
        ...(inbox !== null && { initiatedAfter: inbox }),
        ...(viewer.agentId !== null && { targetAgentId: viewer.agentId }),
      },
      first: most,
    },
    requestPolicy: 'cache-and-network',
  });
  useRereadOn(
    ({ type }) => type === 'HANDOFF_INITIATED',
    () => ask({ requestPolicy: 'network-only' }),
  );
  const waiting = data?.handoffs.nodes.filter((handoff) => handoff.status === 'INITIATED' && isUnread(seen, handoff));
  const ids = waiting?.map(({ id }) => id).join(' ');
  const open = inboxAt(location, viewer.agentId);
  const text =
    waiting === undefined || waiting.length === 0
      ? ''
      : countText(waiting.length, data?.handoffs.pageInfo.hasNextPage === true);

  useEffect(() => {
    if (isAgent) setWaitingForViewer(text);
  }, [isAgent, text]);

  const known = useRef<Set<string> | null>(null);
  const take = useEffectEvent(() => {
    if (waiting === undefined) return;
    const after =
      open === undefined || document.visibilityState !== 'visible'
        ? looked.get()
        : withInboxSeen(looked.get(), waiting, open);
    const fresh =
      known.current === null
        ? []
        : waiting.filter((handoff) => !known.current!.has(handoff.id) && isUnread(after, handoff));
    known.current = new Set([...(known.current ?? []), ...waiting.map(({ id }) => id)].slice(-1_000));
    if (fresh.length > 0 && isAgent && mayNotify()) notify(handoffNotes(fresh), navigate);
    if (after !== looked.get()) looked.set(after);
  });
  useEffect(() => take(), [ids, open]);
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
