import { useEffect, useRef, useState } from 'react';
import { useQuery } from 'urql';
import { graphql } from '../gql/gql.ts';
import type { SessionCountsQuery as Data, SessionStatus } from '../gql/graphql.ts';
import { useLiveEvents } from '../live/events.ts';
import { statuses, type Facets } from './filters.ts';

const SessionCountsQuery = graphql(`
  query SessionCounts {
    all: sessions(first: 0) {
      totalCount
    }
    running: sessions(first: 0, where: { status: [RUNNING] }) {
      totalCount
    }
    paused: sessions(first: 0, where: { status: [PAUSED] }) {
      totalCount
    }
    completed: sessions(first: 0, where: { status: [COMPLETED] }) {
      totalCount
    }
    failed: sessions(first: 0, where: { status: [FAILED] }) {
      totalCount
    }
    cancelled: sessions(first: 0, where: { status: [CANCELLED] }) {
      totalCount
    }
    unassigned: sessions(first: 0, where: { unassigned: true }) {
      totalCount
    }
    open: sessions(first: 0, where: { hasOpenHandoff: true }) {
      totalCount
    }
  }
`);

export type SessionCounts = Record<SessionStatus | 'all' | 'unassigned' | 'open', number>;

/** The sessions read by the page, with their last known state. */
export type Known = Map<string, Facets>;

const recountEveryMs = 5_000;

/**
 * The number of sessions by kind; undefined until counted. Changes of known sessions are added; after a change of another
 * session the counts are read again, at most every five seconds.
 */
export function useSessionCounts(known: Known): SessionCounts | undefined {
  const [{ data, fetching, stale }, ask] = useQuery({ query: SessionCountsQuery, requestPolicy: 'cache-and-network' });
  const settled = !fetching && !stale;
  const [since, setSince] = useState({ settled, change: none });
  // A fresh count includes all changes.
  if (since.settled !== settled) setSince({ settled, change: settled ? none : since.change });

  const recount = useRecount(settled, () => ask({ requestPolicy: 'network-only' }));
  useLiveEvents(({ type, session }) => {
    if (session === null) return;
    const before = known.get(session.id);
    known.set(session.id, session);
    if (!settled || (before === undefined && type !== 'SESSION_CREATED')) return recount();
    const change = difference(before && countsOf(before), countsOf(session));
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
    const timer = setTimeout(() => {
      last.current = performance.now();
      setDue(false);
      latest.current();
    }, Math.max(200, last.current + recountEveryMs - performance.now()));
    return () => clearTimeout(timer);
  }, [isDue, settled]);
  return () => setDue(true);
}

const names = [...statuses, 'all', 'unassigned', 'open'] as const;
const build = (count: (name: keyof SessionCounts) => number): SessionCounts => Object.fromEntries(names.map((name) => [name, count(name)])) as SessionCounts;
const none = build(() => 0);
const sum = (one: SessionCounts, other: SessionCounts): SessionCounts => build((name) => one[name] + other[name]);
const difference = (before: SessionCounts | undefined, after: SessionCounts): SessionCounts => build((name) => after[name] - (before?.[name] ?? 0));

/** One session's part of the counts. */
function countsOf({ status, agent, openHandoff }: Facets): SessionCounts {
  return build((name) => Number(name === 'all' || name === status || (name === 'unassigned' && agent == null) || (name === 'open' && openHandoff != null)));
}

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
