import { useMemo, useState } from 'react';
import { useClient } from 'urql';
import { countOf, outcomeOf, runEach } from '../../acts/outcome.ts';
import { RunDialog, type Item, type RunDialogProps } from '../../acts/RunDialog.tsx';
import { showNotice } from '../../ui/notices.ts';
import { TextField } from '../../ui/TextField.tsx';
import { UndoNotice, type Undone } from '../../ui/UndoNotice.tsx';
import { CancelHandoffMutation } from '../decide/decide.ts';
import { newKey } from './idempotencyKey.ts';
import {
  emptyDraft,
  isComplete,
  ReassignMutationDocument,
  toInputOfMany,
  type Draft,
  type Payload,
} from './reassign.ts';
import styles from './ReassignDialog.module.css';
import { SkipHandoff, TargetChoice } from './ReassignFields.tsx';

interface ReassignManyDialogProps {
  sessions: readonly Item[];
  onClose: (done: readonly string[]) => void;
}

/** Reassigns many sessions: to one agent, or each to the agent of a type that has the lowest load then. */
export default function ReassignManyDialog({ sessions, onClose }: ReassignManyDialogProps) {
  const [draft, setDraft] = useState<Draft>(emptyDraft);
  const change = (part: Partial<Draft>): void => setDraft((now) => ({ ...now, ...part }));
  const run = useReassign(draft);
  return (
    <RunDialog
      title={`Reassign ${countOf(sessions.length, 'session')}`}
      items={sessions}
      word={`Reassign ${countOf(sessions.length, 'session')}`}
      busy="Reassigning …"
      icon="swap"
      wide
      isReady={isComplete(draft)}
      run={run}
      onAllDone={(payloads) => showNotice(<MovedMany payloads={payloads} />, { hasActs: true })}
      onClose={onClose}
      fields={
        <>
          <fieldset className={styles.target}>
            <legend className="label">To</legend>
            <TargetChoice draft={draft} holderId={null} giverId={null} onChange={change} describedBy={undefined} />
          </fieldset>
          {draft.by === 'type' && <QueueChoice draft={draft} onChange={change} />}
          <TextField
            label="Reason"
            hint="Why the sessions move. The next agents and the history show it."
            value={draft.reason}
            rows={2}
            onChange={(reason) => change({ reason })}
            error={undefined}
          />
          <SkipHandoff draft={draft} onChange={change} />
        </>
      }
    />
  );
}

/** Reassigns one session as the draft says. A retry of the same session has the same key and moves it once. */
export function useReassign(draft: Draft): RunDialogProps<Item, Payload>['run'] {
  const client = useClient();
  const key = useMemo(() => newKey(draft), [draft]);
  return async ({ id }) =>
    outcomeOf(await client.mutation(ReassignMutationDocument, { input: toInputOfMany(draft, id, `${key}-${id}`) }));
}

export function QueueChoice({ draft, onChange }: { draft: Draft; onChange: (part: Partial<Draft>) => void }) {
  return (
    <label className={styles.skip}>
      <input type="checkbox" checked={draft.queue} onChange={(event) => onChange({ queue: event.target.checked })} />
      <span>
        <span className="label">Wait in the queue</span>
        <span className="hint">
          When no agent of the type has a free place, the session is unassigned and waits for one.
        </span>
      </span>
    </label>
  );
}

/** The notice after many reassigns. Undo cancels the handoffs that still wait. */
function MovedMany({ payloads }: { payloads: readonly Payload[] }) {
  const client = useClient();
  const waiting = payloads.flatMap(({ handoff }) => (handoff?.status === 'INITIATED' ? [handoff.id] : []));
  const queued = payloads.filter(({ assignedAgent }) => assignedAgent === null).length;
  const undo = async (): Promise<Undone> => {
    const refusals: string[] = [];
    let unassigned = 0;
    await runEach(waiting, async (handoffId) => {
      const outcome = outcomeOf(await client.mutation(CancelHandoffMutation, { handoffId, reason: 'undone' }));
      if (!outcome.done) refusals.push(outcome.message);
      else if (outcome.payload.session.agent == null) unassigned += 1;
    });
    const text = `${waiting.length - refusals.length} of ${countOf(waiting.length, 'handoff')} cancelled.${unassigned > 0 ? ` ${countOf(unassigned, 'session')} found no place at the source and ${unassigned === 1 ? 'is' : 'are'} unassigned.` : ''}`;
    return refusals.length === 0
      ? { text, tone: unassigned > 0 ? 'bad' : 'good' }
      : { text: `${text} ${refusals[0]}`, tone: 'bad' };
  };
  const named = countOf(payloads.length, 'session');
  return (
    <UndoNotice
      text={`${named} reassigned.${queued > 0 ? ` ${queued} of them wait in the queue.` : ''}`}
      of={`move of ${named}`}
      undo={waiting.length > 0 ? undo : null}
    />
  );
}
