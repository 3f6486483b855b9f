import { createContext, useContext, useEffect, useEffectEvent, useRef } from 'react';
import { useClient } from 'urql';
import type { EventType } from '../gql/graphql.ts';
import type { Facets } from '../sessions/filters.ts';
import { SessionLogSubscription } from './documents.ts';

/** The part of an event that listeners get. The cache has the rest a moment later. */
export interface LiveEvent {
  type: EventType;
  session: ({ id: string; createdAt: string; lastActivityAt: string } & Facets) | null;
  handoff: { id: string; sourceAgent: { id: string } | null; targetAgent: { id: string } } | null;
  agent: { id: string } | null;
}

/** Calls back for each event before the cache has it; returns a function that unsubscribes. */
export type Subscribe = (listener: (event: LiveEvent) => void) => () => void;

export const LiveEventsContext = createContext<Subscribe>(() => () => undefined);

/** For new records and counts, which an update of a cached record does not show. */
export function useLiveEvents(listener: (event: LiveEvent) => void): void {
  const subscribe = useContext(LiveEventsContext);
  const latest = useEffectEvent(listener);
  useEffect(() => subscribe((event) => latest(event)), [subscribe]);
}

/** Calls back when events may have been missed and the page is read again; returns a function that unsubscribes. */
export const MissedContext = createContext<(listener: () => void) => () => void>(() => () => undefined);

/** For what a page learned from events alone. */
export function useMissed(listener: () => void): void {
  const subscribe = useContext(MissedContext);
  const latest = useEffectEvent(listener);
  useEffect(() => subscribe(() => latest()), [subscribe]);
}

const rereadEveryMs = 1_500;

/** Reads again when an event requires it: at once, then at most every `everyMs`. */
export function useRereadOn(
  concerns: (event: LiveEvent) => boolean,
  reread: () => void,
  everyMs = rereadEveryMs,
): void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const last = useRef(-Infinity);
  const latest = useRef(reread);
  useEffect(() => {
    latest.current = reread;
  });
  useLiveEvents((event) => {
    if (timer.current !== undefined || !concerns(event)) return;
    const wait = Math.max(50, last.current + everyMs - performance.now());
    timer.current = setTimeout(() => {
      timer.current = undefined;
      last.current = performance.now();
      latest.current();
    }, wait);
  });
  useEffect(() => () => clearTimeout(timer.current), []);
}

/** Keeps the session's version and time of change current, log entries included. */
export function useSessionLog(sessionId: string): void {
  const client = useClient();
  useEffect(() => {
    const { unsubscribe } = client
      .subscription(SessionLogSubscription, { sessionIds: [sessionId] })
      .subscribe(() => undefined);
    return unsubscribe;
  }, [client, sessionId]);
}
