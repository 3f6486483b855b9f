import { useId, type ReactNode } from 'react';
import type { ReassignDialogQuery } from '../../gql/graphql.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { AgentChoice } from './AgentChoice.tsx';
import { ContextPreview } from './ContextPreview.tsx';
import { placeOf, type Draft, type Place, type Refusal } from './reassign.ts';
import styles from './ReassignDialog.module.css';
import { Suggestions } from './Suggestions.tsx';
import { TypeChoice } from './TypeChoice.tsx';

export type ReassignData = ReassignDialogQuery;

export interface ReassignFieldsProps {
  session: NonNullable<ReassignData['session']>;
  draft: Draft;
  onChange: (part: Partial<Draft>) => void;
  refusal: Refusal | null;
}

/** Target, reason and content. A server error is shown beside its field. */
export function ReassignFields({ session, draft, onChange, refusal }: ReassignFieldsProps) {
  const targetError = useId();
  const holderId = session.agent?.id ?? null;
  const describedBy = refusal ? targetError : undefined;
  const waiting = session.openHandoff?.status === 'INITIATED' ? session.openHandoff : null;
  const targetTitle = draft.by === 'agent' ? 'This agent cannot take it' : 'No agent of this type can take it';
  const errorAt = (place: Place): ReactNode =>
    refusal &&
    placeOf(refusal, draft) === place && (
      <ErrorNote title={place === 'target' ? targetTitle : undefined}>{refusal.message}</ErrorNote>
    );
  return (
    <>
      <fieldset className={styles.target}>
        <legend className="label">
          To <span className="hint">{holderId === null ? 'It is unassigned now.' : `'${holderId}' holds it now.`}</span>
        </legend>
        <TargetChoice
          sessionId={session.id}
          draft={draft}
          holderId={holderId}
          giverId={waiting?.sourceAgent?.id ?? null}
          onChange={onChange}
          describedBy={describedBy}
        />
        <div id={targetError}>{errorAt('target')}</div>
      </fieldset>
      <TextField
        label="Reason"
        hint="Why the session moves. The next agent and the history show it."
        value={draft.reason}
        rows={2}
        onChange={(reason) => onChange({ reason })}
        error={errorAt('reason')}
      />
      {!draft.skipHandoff && (
        <TextField
          label="Summary"
          hint="What the next agent should know. If this is empty, Baton composes a summary from the log."
          value={draft.summary}
          rows={4}
          onChange={(summary) => onChange({ summary })}
          error={errorAt('summary')}
        />
      )}
      <SkipHandoff draft={draft} onChange={onChange} />
      {!draft.skipHandoff && <ContextPreview sessionId={session.id} />}
    </>
  );
}

interface TargetChoiceProps {
  /** The session for which agents are suggested; without one none are. */
  sessionId?: string;
  draft: Draft;
  holderId: string | null;
  giverId: string | null;
  onChange: (part: Partial<Draft>) => void;
  describedBy: string | undefined;
}

/** An agent, or any of a type. */
export function TargetChoice({ sessionId, draft, holderId, giverId, onChange, describedBy }: TargetChoiceProps) {
  return (
    <>
      <div className={styles.switch}>
        <Way draft={draft} by="agent" word="An agent" onChange={onChange} />
        <Way draft={draft} by="type" word="Any of a type" onChange={onChange} />
      </div>
      {/* Stays mounted when hidden: the search survives a switch to types and back, and the focus is set only once. */}
      <div hidden={draft.by !== 'agent'}>
        {sessionId !== undefined && (
          <Suggestions sessionId={sessionId} value={draft.agentId} onChange={(agentId) => onChange({ agentId })} />
        )}
        <AgentChoice
          holderId={holderId}
          giverId={giverId}
          value={draft.agentId}
          onChange={(agentId) => onChange({ agentId })}
          describedBy={describedBy}
        />
      </div>
      {draft.by === 'type' && (
        <TypeChoice
          holderId={holderId}
          value={draft.agentType}
          onChange={(agentType) => onChange({ agentType })}
          describedBy={describedBy}
        />
      )}
    </>
  );
}

export function SkipHandoff({ draft, onChange }: { draft: Draft; onChange: (part: Partial<Draft>) => void }) {
  return (
    <label className={styles.skip}>
      <input
        type="checkbox"
        checked={draft.skipHandoff}
        onChange={(event) => onChange({ skipHandoff: event.target.checked })}
      />
      <span>
        <span className="label">Skip handoff (quick reassign)</span>
        <span className="hint">
          Moves the session without a handoff: Baton keeps no context for the next agent, and the agent does not have to
          accept. The event is still recorded.
        </span>
      </span>
    </label>
  );
}

function Way({
  draft,
  by,
  word,
  onChange,
}: {
  draft: Draft;
  by: Draft['by'];
  word: string;
  onChange: (part: Partial<Draft>) => void;
}) {
  return (
    <label>
      <input type="radio" name="by" checked={draft.by === by} onChange={() => onChange({ by })} />
      <span>{word}</span>
    </label>
  );
}

interface TextFieldProps {
  label: string;
  hint: string;
  value: string;
  rows: number;
  onChange: (value: string) => void;
  error: ReactNode;
}

function TextField({ label, hint, value, rows, onChange, error }: TextFieldProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        className="textarea"
        rows={rows}
        value={value}
        aria-invalid={Boolean(error)}
        aria-describedby={`${id}-hint`}
        onChange={(event) => onChange(event.target.value)}
      />
      <span className="hint" id={`${id}-hint`}>
        {hint}
      </span>
      {error}
    </div>
  );
}
