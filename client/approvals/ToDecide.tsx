import { useEffect, useEffectEvent, useRef } from 'react';
import { useClient, useQuery } from 'urql';
import { useLocation } from 'wouter';
import { useMay } from '../access/viewer.ts';
import { graphql } from '../gql/gql.ts';
import { useRereadOn } from '../live/events.ts';
import { countText } from '../noticing/looked.ts';
import { decisionNotes, mayNotify, notify } from '../noticing/notify.ts';
import { setWaitingForViewer } from '../noticing/store.ts';

// Reads the first ones instead of counting all. New ones have later deadlines: they are among these unless more wait.
const most = 100;

const ToDecideQuery = graphql(`
  query ToDecide($first: Int!) {
    approvals(first: $first) {
      nodes {
        id
      }
      pageInfo {
        hasNextPage
      }
    }
  }
`);

const DecisionNotesQuery = graphql(`
  query DecisionNotes($first: Int!) {
    approvals(first: $first) {
      nodes {
        id
        text
        agent {
          id
        }
        session {
          id
          title
        }
        handoff {
          id
          targetAgent {
            id
          }
        }
      }
    }
  }
`);

/** The number of what waits for a person, in the navigation and, for people who decide, in the title; notifies of new ones when asked for. */
export function ToDecide({ className }: { className: string | undefined }) {
  const client = useClient();
  const decides = useMay('reassign');
  const [location, navigate] = useLocation();
  const [{ data }, ask] = useQuery({ query: ToDecideQuery, variables: { first: most } });
  const count = data?.approvals.nodes.length ?? 0;
  useRereadOn(
    ({ type }) =>
      type === 'HANDOFF_PROPOSED_FOR_APPROVAL' ||
      type === 'QUESTION_ASKED' ||
      (count > 0 && /^(?:HANDOFF_|QUESTION_|SESSION_)/.test(type)),
    () => ask({ requestPolicy: 'network-only' }),
  );
  const text = count === 0 ? '' : countText(count, data?.approvals.pageInfo.hasNextPage === true);
  useEffect(() => {
    if (decides) setWaitingForViewer(text);
  }, [decides, text]);

  const known = useRef<Set<string> | null>(null);
  const take = useEffectEvent((ids: readonly string[]) => {
    const before = known.current;
    known.current = new Set([...(before ?? []), ...ids].slice(-1_000));
    const fresh = before === null ? [] : ids.filter((id) => !before.has(id));
    // On the page itself they are in sight.
    const isSeen = location.startsWith('/decide') && document.visibilityState === 'visible';
    if (fresh.length === 0 || !decides || isSeen || !mayNotify()) return;
    void client
      .query(DecisionNotesQuery, { first: most }, { requestPolicy: 'network-only' })
      .then(({ data: read }) =>
        notify(decisionNotes((read?.approvals.nodes ?? []).filter(({ id }) => fresh.includes(id))), navigate),
      );
  });
  const ids = data?.approvals.nodes.map(({ id }) => id).join(' ');
  useEffect(() => {
    if (ids !== undefined) take(ids === '' ? [] : ids.split(' '));
  }, [ids]);

  if (count === 0) return null;
  return (
    <span className={className}>
      {text}
      <span className="hidden"> to decide</span>
    </span>
  );
}
