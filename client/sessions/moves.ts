import { useQuery } from 'urql';
import { graphql } from '../gql/gql.ts';
import type { SessionMovesQuery } from '../gql/graphql.ts';
import { useAgain } from '../ui/useAgain.ts';

// The newest 100 tenures, as in the chain.
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

/** A tenure that began without a handoff, with the move's notes. */
export type Move = NonNullable<SessionMovesQuery['session']>['agentSessions']['nodes'][number];

/** The session's moves without a handoff, newest first. */
export function useMoves(sessionId: string, moment: string | number): Move[] {
  const [{ data }, ask] = useQuery({ query: MovesQuery, variables: { id: sessionId }, requestPolicy: 'cache-and-network' });
  useAgain(ask, moment);
  return (data?.session?.agentSessions.nodes ?? []).filter(({ initiatedByHandoff, startedBy }) => !initiatedByHandoff && startedBy?.type === 'SESSION_REASSIGNED');
}

/** The moves to show before each message, and after the last one of a page. Each is shown once, whatever the pages. */
export function movesAround(moves: readonly Move[], sequences: readonly number[]): { before: Map<number, Move[]>; after: Move[] } {
  const before = new Map<number, Move[]>();
  const after: Move[] = [];
  const [first = 1] = sequences;
  for (const move of moves.toReversed()) {
    const next = sequences.find((sequence) => sequence >= move.startSequence);
    // At the boundary of two pages it belongs to the end of the older one.
    if (next === first && first > 1) continue;
    if (next !== undefined) before.set(next, [...(before.get(next) ?? []), move]);
    else if (move.startSequence === (sequences.at(-1) ?? 0) + 1) after.push(move);
  }
  return { before, after };
}
