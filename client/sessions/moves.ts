import { useClient, useQuery } from 'urql';
import { graphql } from '../gql/gql.ts';
import type { SessionMovesQuery } from '../gql/graphql.ts';
import { useAgain } from '../ui/useAgain.ts';
import { useEarlier, type Earlier } from './earlier.ts';

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

export type Tenures = Earlier<Tenure>;

/** The session's tenures. */
export function useTenures(sessionId: string, moment: string | number): Tenures {
  const client = useClient();
  const [{ data }, ask] = useQuery({
    query: MovesQuery,
    variables: { id: sessionId, after: null },
    requestPolicy: 'cache-and-network',
  });
  useAgain(ask, moment);
  return useEarlier(data?.session?.agentSessions, async (after) => {
    const answer = await client.query(MovesQuery, { id: sessionId, after }).toPromise();
    return answer.data?.session?.agentSessions;
  });
}

/** The moves without a handoff, newest first. */
export const movesOf = (tenures: readonly Tenure[]): Move[] =>
  tenures.filter(
    ({ initiatedByHandoff, startedBy }) => !initiatedByHandoff && startedBy?.type === 'SESSION_REASSIGNED',
  );

/** The numbers of the entries of handoffs, in order: each is the last message before the tenure that it began. */
export const handoffNumbers = (tenures: readonly Pick<Tenure, 'startSequence' | 'initiatedByHandoff'>[]): number[] =>
  tenures
    .filter(({ initiatedByHandoff, startSequence }) => initiatedByHandoff && startSequence > 1)
    .map(({ startSequence }) => startSequence - 1)
    .toReversed();
