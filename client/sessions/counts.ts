import { useEffect, useMemo, useRef, useState } from 'react';
import { useQuery } from 'urql';
import { graphql } from '../gql/gql.ts';
import type { SessionSituation } from '../gql/graphql.ts';
import { useLiveEvents } from '../live/events.ts';
import { fits, toFilter, type Facets, type View } from './filters.ts';
import { situations } from './looks.ts';
import { useSilence } from './silence.ts';

const SituationCountsQuery = graphql(`
  query SituationCounts(
    $WORKING: SessionFilter!
    $SILENT: SessionFilter!
    $WAITING_FOR_ACCEPTANCE: SessionFilter!
    $QUEUED: SessionFilter!
    $LIMIT_REACHED: SessionFilter!
    $WITHOUT_HOLDER: SessionFilter!
    $PAUSED: SessionFilter!
    $COMPLETED: SessionFilter!
    $FAILED: SessionFilter!
    $CANCELLED: SessionFilter!
  ) {
    WORKING: sessions(first: 0, where: $WORKING) {
      totalCount
    }
    SILENT: sessions(first: 0, where: $SILENT) {
      totalCount
    }
    WAITING_FOR_ACCEPTANCE: sessions(first: 0, where: $WAITING_FOR_ACCEPTANCE) {
      totalCount
    }
    QUEUED: sessions(first: 0, where: $QUEUED) {
      totalCount
    }
    LIMIT_REACHED: sessions(first: 0, where: $LIMIT_REACHED) {
      totalCount
    }
    WITHOUT_HOLDER: sessions(first: 0, where: $WITHOUT_HOLDER) {
      totalCount
    }
    PAUSED: sessions(first: 0, where: $PAUSED) {
      totalCount
    }
    COMPLETED: sessions(first: 0, where: $COMPLETED) {
      totalCount
    }
    FAILED: sessions(first: 0, where: $FAILED) {
      totalCount
    }
    CANCELLED: sessions(first: 0, where: $CANCELLED) {
      totalCount
    }
  }
`);

// In a query of its own: a query may have ten root fields.
const SwitchCountsQuery = graphql(`
  query SwitchCounts($WAITING_FOR_PERSON: SessionFilter!, $unassigned: SessionFilter!, $open: SessionFilter!) {
    WAITING_FOR_PERSON: sessions(first: 0, where: $WAITING_FOR_PERSON) {
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

export type SessionCounts = Record<SessionSituation | 'all' | 'unassigned' | 'open', number>;

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
  const variables = useMemo(() => build((name) => toFilter(views[name])), [views]);
  const [tabs, askTabs] = useQuery({ query: SituationCountsQuery, variables, requestPolicy: 'cache-and-network' });
  const [switches, askSwitches] = useQuery({
    query: SwitchCountsQuery,
    variables,
    requestPolicy: 'cache-and-network',
  });
  const settled = ![tabs, switches].some(({ fetching, stale }) => fetching || stale);
  const [since, setSince] = useState({ settled, change: none });
  // A fresh count includes all changes.
  if (since.settled !== settled) setSince({ settled, change: settled ? none : since.change });
  const readAt = useRef<number | null>(null);
  useEffect(() => {
    readAt.current = settled ? performance.now() : null;
  }, [settled]);

  const recount = useRecount(settled, () => {
    askTabs({ requestPolicy: 'network-only' });
    askSwitches({ requestPolicy: 'network-only' });
  });
  useSilence(recount);
  useLiveEvents(({ type, session }) => {
    if (session === null) return;
    const before = known.get(session.id);
    known.set(session.id, session);
    const ageMs = readAt.current === null ? null : performance.now() - readAt.current;
    if (!isAdded(ageMs, type === 'SESSION_CREATED', before !== undefined)) return recount();
    const change = difference(before && countsOf(views, before), countsOf(views, session));
    setSince((now) => ({ ...now, change: sum(now.change, change) }));
  });
  return tabs.data && switches.data && sum(read({ ...tabs.data, ...switches.data }), since.change);
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

const names = [...situations, 'all', 'unassigned', 'open'] as const;
const build = <Value>(of: (name: keyof SessionCounts) => Value): Record<keyof SessionCounts, Value> =>
  Object.fromEntries(names.map((name) => [name, of(name)])) as Record<keyof SessionCounts, Value>;
const none = build(() => 0);
const sum = (one: SessionCounts, other: SessionCounts): SessionCounts => build((name) => one[name] + other[name]);
const difference = (before: SessionCounts | undefined, after: SessionCounts): SessionCounts =>
  build((name) => after[name] - (before?.[name] ?? 0));

/** The views behind the tabs and switches: each keeps the other filters. */
const viewsOf = (view: View): Record<keyof SessionCounts, View> =>
  build((name) =>
    name === 'unassigned' || name === 'open'
      ? { ...view, [name]: true }
      : { ...view, situation: name === 'all' ? null : name },
  );

/** One session's part of the counts. */
const countsOf = (views: Record<keyof SessionCounts, View>, session: Facets): SessionCounts =>
  build((name) => Number(fits(views[name], session)));

/** Every session is in one situation. */
const read = (counted: Record<Exclude<keyof SessionCounts, 'all'>, { totalCount: number }>): SessionCounts =>
  build((name) =>
    name === 'all' ? situations.reduce((total, each) => total + counted[each].totalCount, 0) : counted[name].totalCount,
  );
