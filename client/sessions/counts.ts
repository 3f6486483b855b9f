import { useEffect, useMemo, useRef, useState } from 'react';
import { useQuery } from 'urql';
import { graphql } from '../gql/gql.ts';
import type { SessionCountsQuery as Data, SessionCountsQueryVariables, SessionStatus } from '../gql/graphql.ts';
import { useLiveEvents } from '../live/events.ts';
import { fits, statuses, toFilter, type Facets, type View } from './filters.ts';

const SessionCountsQuery = graphql(`
  query SessionCounts(
    $all: SessionFilter!
    $running: SessionFilter!
    $paused: SessionFilter!
    $completed: SessionFilter!
    $failed: SessionFilter!
    $cancelled: SessionFilter!
    $unassigned: SessionFilter!
    $open: SessionFilter!
  ) {
    all: sessions(first: 0, where: $all) {
      totalCount
    }
    running: sessions(first: 0, where: $running) {
      totalCount
    }
    paused: sessions(first: 0, where: $paused) {
      totalCount
    }
    completed: sessions(first: 0, where: $completed) {
      totalCount
    }
    failed: sessions(first: 0, where: $failed) {
      totalCount
    }
    cancelled: sessions(first: 0, where: $cancelled) {
      totalCount
    }
    unassigned: sessions(first: 0, where: $unassigned) {
      totalCount
    }
    open: sessions(first: 0, where: $open) {
      totalCount
    }
  }
`);

export type SessionCounts = Record<SessionStatus | 'all' | 'unassigned' | 'open', number>;

/** The sessions read by the page, with their last known state. */
export type Known = Map<string, Facets>;

const recountEveryMs = 5_000;
/** A server process may hear of a change this much later than a count includes it. */
const lateMs = 1_500;

/** Whether to add a session's change to counts that were read `ageMs` ago (null while they are read), or to read them again: they may include it. */
export const isAdded = (ageMs: number | null, isNew: boolean, isKnown: boolean): boolean =>
  ageMs !== null && ageMs > lateMs && (isKnown || isNew);

/**
 * The number of sessions that each tab and switch of this view would show; undefined until counted. Changes of known sessions
 * are added; after a change of another session, or one just after a count, the counts are read again, at most every five seconds.
 */
export function useSessionCounts(view: View, known: Known): SessionCounts | undefined {
  const views = useMemo(() => viewsOf(view), [view]);
  const variables = useMemo(() => variablesOf(views), [views]);
  const [{ data, fetching, stale }, ask] = useQuery({
    query: SessionCountsQuery,
    variables,
    requestPolicy: 'cache-and-network',
  });
  const settled = !fetching && !stale;
  const [since, setSince] = useState({ settled, change: none });
  // A fresh count includes all changes.
  if (since.settled !== settled) setSince({ settled, change: settled ? none : since.change });
  const readAt = useRef<number | null>(null);
  useEffect(() => {
    readAt.current = settled ? performance.now() : null;
  }, [settled]);

  const recount = useRecount(settled, () => ask({ requestPolicy: 'network-only' }));
  useLiveEvents(({ type, session }) => {
    if (session === null) return;
    const before = known.get(session.id);
    known.set(session.id, session);
    const ageMs = readAt.current === null ? null : performance.now() - readAt.current;
    if (!isAdded(ageMs, type === 'SESSION_CREATED', before !== undefined)) return recount();
    const change = difference(before && countsOf(views, before), countsOf(views, session));
    setSince((now) => ({ ...now, change: sum(now.change, change) }));
  });
  return data && sum(read(data), since.change);
}

/** Calls back soon, but not during a request, and at most every five seconds. */
function useRecount(settled: boolean, count: () => void): () => void {
  const [isDue, setDue] = useState(false);
  const last = useRef(-Infinity);
  const latest = useRef(count);
  useEffect(() => {
    latest.current = count;
  });
  useEffect(() => {
    if (!isDue || !settled) return;
    const timer = setTimeout(
      () => {
        last.current = performance.now();
        setDue(false);
        latest.current();
      },
      Math.max(200, last.current + recountEveryMs - performance.now()),
    );
    return () => clearTimeout(timer);
  }, [isDue, settled]);
  return () => setDue(true);
}

const names = [...statuses, 'all', 'unassigned', 'open'] as const;
const build = (count: (name: keyof SessionCounts) => number): SessionCounts =>
  Object.fromEntries(names.map((name) => [name, count(name)])) as SessionCounts;
const none = build(() => 0);
const sum = (one: SessionCounts, other: SessionCounts): SessionCounts => build((name) => one[name] + other[name]);
const difference = (before: SessionCounts | undefined, after: SessionCounts): SessionCounts =>
  build((name) => after[name] - (before?.[name] ?? 0));

/** The views behind the tabs and switches: each keeps the other filters. */
function viewsOf(view: View): Record<keyof SessionCounts, View> {
  const byStatus = Object.fromEntries(statuses.map((status) => [status, { ...view, status }])) as Record<
    SessionStatus,
    View
  >;
  return {
    ...byStatus,
    all: { ...view, status: null },
    unassigned: { ...view, unassigned: true },
    open: { ...view, open: true },
  };
}

const variablesOf = (views: Record<keyof SessionCounts, View>): SessionCountsQueryVariables => ({
  all: toFilter(views.all),
  running: toFilter(views.RUNNING),
  paused: toFilter(views.PAUSED),
  completed: toFilter(views.COMPLETED),
  failed: toFilter(views.FAILED),
  cancelled: toFilter(views.CANCELLED),
  unassigned: toFilter(views.unassigned),
  open: toFilter(views.open),
});

/** One session's part of the counts. */
const countsOf = (views: Record<keyof SessionCounts, View>, session: Facets): SessionCounts =>
  build((name) => Number(fits(views[name], session)));

function read(data: Data): SessionCounts {
  return {
    all: data.all.totalCount,
    RUNNING: data.running.totalCount,
    PAUSED: data.paused.totalCount,
    COMPLETED: data.completed.totalCount,
    FAILED: data.failed.totalCount,
    CANCELLED: data.cancelled.totalCount,
    unassigned: data.unassigned.totalCount,
    open: data.open.totalCount,
  };
}
