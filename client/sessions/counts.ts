import { useQuery } from 'urql';
import { graphql } from '../gql/gql.ts';
import type { SessionStatus } from '../gql/graphql.ts';

export const SessionCountsQuery = graphql(`
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

/** How many sessions there are of each kind; undefined until they are counted. */
export function useSessionCounts(): SessionCounts | undefined {
  const [{ data }] = useQuery({ query: SessionCountsQuery, requestPolicy: 'cache-and-network' });
  if (!data) return undefined;
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
