import { useEffect, useState } from 'react';
import { useQuery } from 'urql';
import { Link } from 'wouter';
import { graphql } from '../gql/gql.ts';
import { useLiveEvents } from '../live/events.ts';
import { Time } from '../ui/Time.tsx';
import { countText, hasChanged, withAllSeen, withOpened, type Active } from './looked.ts';
import styles from './noticing.module.css';
import { looked } from './store.ts';

const most = 50;

const ChangedQuery = graphql(`
  query ChangedSessions($first: Int!) {
    sessions(first: $first, orderBy: { field: LAST_ACTIVITY }) {
      nodes {
        id
        lastActivityAt
      }
    }
  }
`);

/** The number of sessions that have changed since the person last looked. `href` shows them first. */
export function Changed({ href }: { href: string }) {
  const seen = looked.use();
  const [{ data }] = useQuery({ query: ChangedQuery, variables: { first: most }, requestPolicy: 'cache-and-network' });
  // What happens from now on, without another request.
  const [since, setSince] = useState<ReadonlyMap<string, string>>(() => new Map());
  useLiveEvents(({ session }) => {
    if (session !== null) setSince((now) => withNewest(now, session));
  });
  const read = data?.sessions.nodes;
  const newest = read && [
    ...read.filter(({ id }) => !since.has(id)),
    ...[...since].map(([id, lastActivityAt]) => ({ id, lastActivityAt })),
  ];
  useEffect(() => {
    if (read !== undefined && looked.get().sessions === null) looked.set(withAllSeen(looked.get(), read));
  }, [read]);
  if (newest === undefined || seen.sessions === null) return null;
  const changed = newest.filter((session) => hasChanged(seen, session)).length;
  // A line in both cases: the list below stays where it is.
  if (changed === 0) return <span>Nothing has changed since you last looked.</span>;
  return (
    <span>
      <Link href={href}>
        {countText(Math.min(changed, most), changed >= most)} {changed === 1 ? 'has' : 'have'} changed
      </Link>{' '}
      since you last looked (<Time at={seen.sessions} />
      ).{' '}
      <button type="button" className={styles.inline} onClick={() => looked.set(withAllSeen(looked.get(), newest))}>
        Mark all as seen
      </button>
    </span>
  );
}

/** The last ones to change, at most twice as many as are counted. */
function withNewest(known: ReadonlyMap<string, string>, { id, lastActivityAt }: Active): ReadonlyMap<string, string> {
  const others = [...known].filter(([each]) => each !== id);
  return new Map([...others, [id, lastActivityAt] as const].slice(-2 * most));
}

/** Whether a session has changed since the person last looked at it. */
export function useHasChanged(): (session: Active) => boolean {
  const seen = looked.use();
  return (session) => hasChanged(seen, session);
}

/** The session is open on the page: what happens meanwhile is seen. */
export function useSeen({ id, lastActivityAt }: Active): void {
  useEffect(() => {
    const see = (): void => {
      if (document.visibilityState !== 'visible') return;
      const before = looked.get();
      const next = withOpened(before, { id, lastActivityAt });
      if (next !== before) looked.set(next);
    };
    see();
    document.addEventListener('visibilitychange', see);
    return () => document.removeEventListener('visibilitychange', see);
  }, [id, lastActivityAt]);
}
