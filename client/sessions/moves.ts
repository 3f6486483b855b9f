import { useQuery } from 'urql';
import { graphql } from '../gql/gql.ts';
import type { SessionMovesQuery } from '../gql/graphql.ts';
import { useAgain } from '../ui/useAgain.ts';

// The newest 100, as in the chain.
const MovesQuery = graphql(`
  query SessionMoves($id: ID!) {
    session(id: $id) {
      id
      agentSessions(first: 100) {
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
      }
    }
  }
`);

/** A tenure; a move is one that began without a handoff, with the move's notes. */
export type Tenure = NonNullable<SessionMovesQuery['session']>['agentSessions']['nodes'][number];
export type Move = Tenure;

const none: readonly Tenure[] = [];

/** The session's tenures, newest first. */
export function useTenures(sessionId: string, moment: string | number): readonly Tenure[] {
  const [{ data }, ask] = useQuery({ query: MovesQuery, variables: { id: sessionId }, requestPolicy: 'cache-and-network' });
  useAgain(ask, moment);
  return data?.session?.agentSessions.nodes ?? none;
}

/** The moves without a handoff, newest first. */
export const movesOf = (tenures: readonly Tenure[]): Move[] =>
  tenures.filter(({ initiatedByHandoff, startedBy }) => !initiatedByHandoff && startedBy?.type === 'SESSION_REASSIGNED');

/** The moves before each message, those after the last one before the number that follows it. */
export function movesByNumber(moves: readonly Move[], newest: number): Map<number, Move[]> {
  const byNumber = new Map<number, Move[]>();
  for (const move of moves.toReversed()) {
    const number = Math.min(move.startSequence, newest + 1);
    byNumber.set(number, [...(byNumber.get(number) ?? []), move]);
  }
  return byNumber;
}

/** The numbers of the entries of handoffs, in order: each is the last message before the tenure that it began. */
export const handoffNumbers = (tenures: readonly Pick<Tenure, 'startSequence' | 'initiatedByHandoff'>[]): number[] =>
  tenures.filter(({ initiatedByHandoff, startSequence }) => initiatedByHandoff && startSequence > 1).map(({ startSequence }) => startSequence - 1).toReversed();
