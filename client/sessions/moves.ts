import { useState } from 'react';
import { useClient, useQuery } from 'urql';
import { graphql } from '../gql/gql.ts';
import type { SessionMovesQuery } from '../gql/graphql.ts';
import { useAgain } from '../ui/useAgain.ts';

const MovesQuery = graphql(`
  query SessionMoves($id: ID!, $after: String) {
    session(id: $id) {
      id
      agentSessions(first: 100, after: $after) {
        nodes {
          id
          startSequence
          startedAt
          agent {
            id
            ...AgentChip
          }
          initiatedByHandoff {
            id
          }
          startedBy {
            id
            type
            reason
            summary
            metadata
          }
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  }
`);

type Page = NonNullable<SessionMovesQuery['session']>['agentSessions'];
/** A tenure; a move is one that began without a handoff, with the move's notes. */
export type Tenure = Page['nodes'][number];
export type Move = Tenure;

export interface Tenures {
  /** Newest first: the newest 100, and those that were read since. */
  known: readonly Tenure[];
  hasEarlier: boolean;
  /** Reads 100 more. Returns what is known then; null when there are no more. */
  readEarlier: () => Promise<Tenures | null>;
}

const none: readonly Tenure[] = [];

/** The session's tenures. */
export function useTenures(sessionId: string, moment: string | number): Tenures {
  const client = useClient();
  const [{ data }, ask] = useQuery({ query: MovesQuery, variables: { id: sessionId, after: null }, requestPolicy: 'cache-and-network' });
  useAgain(ask, moment);
  const [earlier, setEarlier] = useState<{ tenures: readonly Tenure[]; pageInfo: Page['pageInfo'] } | null>(null);
  const newest = data?.session?.agentSessions;
  const from = (known: readonly Tenure[], pageInfo: Page['pageInfo'] | undefined): Tenures => ({
    known,
    hasEarlier: pageInfo?.hasNextPage === true,
    readEarlier: async () => {
      if (pageInfo?.hasNextPage !== true) return null;
      const answer = await client.query(MovesQuery, { id: sessionId, after: pageInfo.endCursor ?? null }).toPromise();
      const page = answer.data?.session?.agentSessions;
      if (page === undefined) return null;
      const tenures = merged(known, page.nodes);
      setEarlier({ tenures, pageInfo: page.pageInfo });
      return from(tenures, page.pageInfo);
    },
  });
  return from(merged(newest?.nodes ?? none, earlier?.tenures ?? none), earlier?.pageInfo ?? newest?.pageInfo);
}

/** The newest ones, and those of the others that are not among them. */
export function merged<Row extends { id: string }>(newest: readonly Row[], others: readonly Row[]): readonly Row[] {
  if (others.length === 0) return newest;
  const ids = new Set(newest.map(({ id }) => id));
  return [...newest, ...others.filter(({ id }) => !ids.has(id))];
}

/** The moves without a handoff, newest first. */
export const movesOf = (tenures: readonly Tenure[]): Move[] =>
  tenures.filter(({ initiatedByHandoff, startedBy }) => !initiatedByHandoff && startedBy?.type === 'SESSION_REASSIGNED');

/** The numbers of the entries of handoffs, in order: each is the last message before the tenure that it began. */
export const handoffNumbers = (tenures: readonly Pick<Tenure, 'startSequence' | 'initiatedByHandoff'>[]): number[] =>
  tenures.filter(({ initiatedByHandoff, startSequence }) => initiatedByHandoff && startSequence > 1).map(({ startSequence }) => startSequence - 1).toReversed();
