import { useState } from 'react';
import { useMutation } from 'urql';
import { useMay } from '../../access/viewer.ts';
import { graphql } from '../../gql/gql.ts';
import { readFragment, type FragmentType } from '../../gql/index.ts';
import type { HandoffActionsFragment as HandoffActionsData } from '../../gql/graphql.ts';
import { usePageActions, type PageAction } from '../../palette/actions.ts';
import { ErrorNote, RequestError } from '../../ui/ErrorNote.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { AcceptMutation, CompleteMutation } from './decide.ts';
import styles from './HandoffActions.module.css';
import { RejectDialog } from './RejectDialog.tsx';

export const HandoffActionsFragment = graphql(`
  fragment HandoffActions on Handoff {
    id
    status
    sourceAgent {
      id
    }
    targetAgent {
      id
    }
    session {
      id
      title
    }
  }
`);

export interface HandoffActionsProps {
  handoff: FragmentType<typeof HandoffActionsFragment>;
  /** For lists whose rows come and go: the list then owns the dialog, so that typed text survives. */
  onReject?: (handoff: HandoffActionsData) => void;
}

/** The actions on an open handoff that the viewer may take, as its target or as an operator. */
export function HandoffActions({ handoff: masked, onReject }: HandoffActionsProps) {
  const handoff = readFragment(HandoffActionsFragment, masked);
  const { id, status, targetAgent, session } = handoff;
  const [rejecting, setRejecting] = useState(false);
  const [accepted, accept] = useMutation(AcceptMutation);
  const [completed, complete] = useMutation(CompleteMutation);
  const may = useMay('decideHandoff', targetAgent.id);
  const answers = [accepted.data?.acceptHandoff, completed.data?.completeHandoff];
  const refusal = answers.find((answer) => answer && 'message' in answer);
  const error = accepted.error ?? completed.error;
  const busy = accepted.fetching || completed.fetching;
  const of = `"${session.title}"`;
  const acts: PageAction[] = [];
  // Not those of the rows of a list: there are many.
  if (may && !busy && onReject === undefined) {
    if (status === 'INITIATED') acts.push({ word: 'Accept this handoff', icon: 'check', run: () => void accept({ handoffId: id }) }, { word: 'Reject this handoff …', icon: 'back', run: () => setRejecting(true) });
    if (status === 'ACCEPTED') acts.push({ word: 'Complete this handoff', icon: 'doubleCheck', run: () => void complete({ handoffId: id }) });
  }
  usePageActions(acts);
  if (!may) return null;
  return (
    <div className={styles.actions}>
      {status === 'INITIATED' && (
        <>
          <button type="button" className="button primary small" aria-disabled={busy} aria-label={`Accept ${of}`} onClick={() => void (busy || accept({ handoffId: id }))}>
            <Icon name="check" size={14} /> {accepted.fetching ? 'Accepting …' : 'Accept'}
          </button>
          <button type="button" className="button danger small" aria-label={`Reject ${of}`} onClick={() => (onReject ? onReject(handoff) : setRejecting(true))}>
            <Icon name="back" size={14} /> Reject …
          </button>
        </>
      )}
      {status === 'ACCEPTED' && (
        <button type="button" className="button primary small" aria-disabled={busy} aria-label={`Complete ${of}`} onClick={() => void (busy || complete({ handoffId: id }))}>
          <Icon name="doubleCheck" size={14} /> {completed.fetching ? 'Completing …' : 'Complete'}
        </button>
      )}
      {refusal && 'message' in refusal && (
        <div className={styles.error}>
          <ErrorNote title="Nothing was changed">{refusal.message}</ErrorNote>
        </div>
      )}
      {error && (
        <div className={styles.error}>
          <RequestError error={error} />
        </div>
      )}
      {rejecting && <RejectDialog handoff={handoff} onClose={() => setRejecting(false)} />}
    </div>
  );
}
