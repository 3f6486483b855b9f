import { useClient, useQuery } from 'urql';
import { Link } from 'wouter';
import { outcomeOf, type Outcome, type PayloadOf } from '../../acts/outcome.ts';
import { graphql } from '../../gql/gql.ts';
import type { CancelHandoffMutation as Cancelled, HandoffStatus } from '../../gql/graphql.ts';
import { useCloseNotice } from '../../ui/notices.ts';
import { UndoNotice, type Undone } from '../../ui/UndoNotice.tsx';
import { CancelHandoffMutation } from '../decide/decide.ts';

const MovedHandoff = graphql(`
  query MovedHandoff($id: ID!) {
    handoff(id: $id) {
      id
      status
    }
  }
`);

interface MovedProps {
  payload: {
    /** Null when none was created. */
    handoff?: (Handoff & { id: string; status: HandoffStatus }) | null | undefined;
    message: string;
    session: { title: string };
  };
}

/** The notice after a reassign or an approval. While the target has not accepted, it takes the move back. */
export function Moved({ payload: { handoff, message, session } }: MovedProps) {
  const client = useClient();
  const close = useCloseNotice();
  // Events change the status in the cache.
  const [{ data }] = useQuery({ query: MovedHandoff, variables: { id: handoff?.id ?? '' }, pause: handoff == null });
  const waits = (data?.handoff?.status ?? handoff?.status) === 'INITIATED';
  const undo = async (): Promise<Undone> =>
    takenBack(
      handoff!,
      outcomeOf(await client.mutation(CancelHandoffMutation, { handoffId: handoff!.id, reason: 'undone' })),
    );
  return (
    <UndoNotice text={message} of={`move of ${session.title}`} undo={waits ? undo : null}>
      {handoff && (
        <Link href={`/handoffs/${handoff.id}`} className="small" onClick={close}>
          Open the handoff
        </Link>
      )}
    </UndoNotice>
  );
}

interface Handoff {
  sourceAgent?: { id: string } | null | undefined;
  targetAgent: { id: string };
}

/** Where the session went: its source may have no free place any more. */
export function takenBack(
  { sourceAgent, targetAgent }: Handoff,
  outcome: Outcome<PayloadOf<Cancelled['answer']>>,
): Undone {
  if (!outcome.done) return { text: `Not taken back: ${outcome.message}`, tone: 'bad' };
  const holder = outcome.payload.session.agent?.id;
  if (holder !== undefined)
    return {
      text: `Taken back: '${holder}' holds the session again; the handoff to '${targetAgent.id}' was cancelled.`,
      tone: 'good',
    };
  if (!sourceAgent)
    return {
      text: `Taken back: the session is unassigned again; the handoff to '${targetAgent.id}' was cancelled.`,
      tone: 'good',
    };
  return {
    text: `The handoff to '${targetAgent.id}' was cancelled, but '${sourceAgent.id}' has no free place: the session is unassigned.`,
    tone: 'bad',
  };
}
