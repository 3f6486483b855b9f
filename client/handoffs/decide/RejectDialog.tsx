import { useEffect, useId, useRef, useState, type FormEvent } from 'react';
import { useMutation } from 'urql';
import type { HandoffActionsFragment as HandoffActionsData } from '../../gql/graphql.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { ErrorNote, RequestError } from '../../ui/ErrorNote.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { RejectMutation } from './decide.ts';
import styles from './HandoffActions.module.css';

/** Rejects a handoff. The reason is required: the agent that gets the session back reads it. */
export function RejectDialog({ handoff, onClose }: { handoff: HandoffActionsData; onClose: () => void }) {
  const [reason, setReason] = useState('');
  const [{ data, error, fetching }, reject] = useMutation(RejectMutation);
  const form = useId();
  const first = useRef<HTMLTextAreaElement>(null);
  useEffect(() => first.current?.focus(), []);
  const answer = data?.rejectHandoff;
  const refusal = answer && answer.__typename !== 'RejectHandoffPayload' ? answer : undefined;
  const ofReason = refusal?.__typename === 'BadUserInputError' && refusal.path.at(-1) === 'reason';
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (fetching || reason.trim() === '') return;
    const done = (await reject({ handoffId: handoff.id, reason: reason.trim() })).data?.rejectHandoff;
    if (done?.__typename === 'RejectHandoffPayload') onClose();
  };
  return (
    <Dialog
      title="Reject the handoff"
      onClose={onClose}
      footer={
        <>
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" form={form} className="button danger" aria-disabled={fetching || reason.trim() === ''}>
            <Icon name="back" /> {fetching ? 'Rejecting …' : 'Reject'}
          </button>
        </>
      }
    >
      <form id={form} className={styles.form} onSubmit={(event) => void submit(event)}>
        <p>
          <strong>{handoff.session.title}</strong>{' '}
          {handoff.sourceAgent ? `returns to '${handoff.sourceAgent.id}' if it has room; otherwise it will be unassigned.` : 'will be unassigned.'}
        </p>
        {error && <RequestError error={error} />}
        {refusal && !ofReason && <ErrorNote title="The handoff was not rejected">{refusal.message}</ErrorNote>}
        <div className="field">
          <label htmlFor={`${form}-reason`}>Reason</label>
          <textarea
            ref={first}
            id={`${form}-reason`}
            className="textarea"
            rows={3}
            required
            value={reason}
            aria-invalid={ofReason}
            aria-describedby={`${form}-hint`}
            onChange={(event) => setReason(event.target.value)}
          />
          <span className="hint" id={`${form}-hint`}>
            Say what is missing or wrong. The history shows it.
          </span>
          {ofReason && <ErrorNote>{refusal.message}</ErrorNote>}
        </div>
      </form>
    </Dialog>
  );
}
